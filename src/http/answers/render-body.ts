import {
  ENVELOPE_END as END,
  ENVELOPE_START as START,
  measureUnpacked,
  type Bytes,
} from "../../catalog/stored-document.ts";
import { EncodedBody } from "./encoded-body.ts";
import type { LargeWork } from "../operations/large-work.ts";
import { BYTES_AT_ONCE } from "../operations/json-pieces.ts";
import type { OperationResult } from "../operations/operation.ts";
import { MIN_LARGE_BYTES } from "../operations/unpack.ts";
import type { ResponseCache } from "./response-cache.ts";

/**
 * Memory for a character of a document while its text becomes bytes: 2 bytes in the string where it has letters beyond
 * Latin-1, about as many in UTF-8.
 */
const BYTES_PER_CHARACTER = 4;

const encoder = new TextEncoder();

/** There is no memory for a document that was read. The caller drops it, waits for room, and reads it again. */
export interface NeedsRoom {
  neededBytes: number;
}

/**
 * The body of a success: the result in its envelope, or the body that the store has. Equal content that the cache holds
 * already gives the same object. Throws 503 and 499 as `work` does.
 */
export function renderBody(
  { data, digest }: OperationResult,
  cache: ResponseCache,
  work: LargeWork,
): EncodedBody | NeedsRoom | Promise<EncodedBody> {
  const known = digest === undefined ? undefined : cache.findBody(digest);
  if (known !== undefined) return known;
  if (data instanceof Uint8Array) return takeStored(data, digest ?? "", cache, work);
  if (!Array.isArray(data)) return renderPieces(data, digest, cache, work);

  const neededBytes = BYTES_PER_CHARACTER * data.reduce((sum, piece) => sum + piece.length, 0);
  if (neededBytes >= BYTES_PER_CHARACTER * MIN_LARGE_BYTES) {
    return work.tryRequire(neededBytes) ? renderPieces(data, digest, cache, work) : { neededBytes };
  }
  if (digest === undefined) return renderPieces(data, undefined, cache, work);
  return createBody(digest, [encoder.encode(START + data.join("") + END)], cache, work);
}

/** The body that the store has, in gzip: the usual case. */
function takeStored(gzip: Bytes, digest: string, cache: ResponseCache, work: LargeWork): EncodedBody | NeedsRoom {
  const contentBytes = measureUnpacked(gzip);
  if (contentBytes < MIN_LARGE_BYTES) return new EncodedBody(digest, { gzip });
  const neededBytes = gzip.byteLength;
  if (!work.tryRequire(neededBytes)) return { neededBytes };
  const body = new EncodedBody(digest, { gzip: new Blob([gzip]) }, contentBytes);
  cache.large.hold(body, work.keep(neededBytes));
  return body;
}

async function renderPieces(
  pieces: Iterable<string> | AsyncIterable<string>,
  knownDigest: string | undefined,
  cache: ResponseCache,
  work: LargeWork,
): Promise<EncodedBody> {
  const hasher = knownDigest === undefined ? new Bun.CryptoHasher("sha256") : undefined;
  const parts = [encoder.encode(START)];
  let bytes = 0;
  const take = async (text: string): Promise<void> => {
    const part = encoder.encode(text);
    parts.push(part);
    bytes += part.byteLength;
    // Room for the parts and for the body that is made of them.
    if (bytes >= MIN_LARGE_BYTES) await work.require(2 * bytes);
    for (let from = 0; from < part.byteLength; from += BYTES_AT_ONCE) {
      if (from > 0) await work.pause();
      hasher?.update(part.subarray(from, from + BYTES_AT_ONCE));
    }
  };
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length < BYTES_AT_ONCE) continue;
    await take(text);
    text = "";
    await work.pause();
  }
  await take(text);
  parts.push(encoder.encode(END));
  const digest = knownDigest ?? hasher?.digest("hex").slice(0, 32) ?? "";
  return cache.findBody(digest) ?? createBody(digest, parts, cache, work);
}

function createBody(digest: string, parts: Bytes[], cache: ResponseCache, work: LargeWork): EncodedBody {
  const bytes = parts.reduce((sum, part) => sum + part.byteLength, 0);
  const [only] = parts;
  if (bytes < MIN_LARGE_BYTES) {
    return new EncodedBody(digest, { identity: parts.length === 1 && only ? only : Buffer.concat(parts) });
  }
  const body = new EncodedBody(digest, { identity: new Blob(parts) });
  cache.large.hold(body, work.keep(bytes));
  return body;
}
