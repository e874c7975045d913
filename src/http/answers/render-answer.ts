import { ENVELOPE_END, ENVELOPE_START, type Bytes } from "../../catalog/body.ts";
import type { Making } from "../operations/making.ts";
import type { OperationResult, Pieces } from "../operations/operation.ts";
import { MIN_LARGE_BYTES } from "../operations/read-body.ts";
import { AnswerBody } from "./answer-body.ts";

/** A digest is computed over this many bytes before other requests may get their turn. */
const MAX_BYTES_AT_ONCE = 1024 * 1024;

const encoder = new TextEncoder();

/**
 * The body of a success: the one that the store has, or the result in its envelope, complete before anything of it is sent. Throws
 * as the operation does, and as `making` does.
 */
export async function renderBody(result: OperationResult, making: Making): Promise<AnswerBody> {
  if (!("body" in result)) return renderPieces(result.data, making);
  const { bytes } = result.body;
  const body = AnswerBody.ofStored(result.body);
  if (body.isLarge) await making.hold(bytes.byteLength);
  return body;
}

async function renderPieces(pieces: Pieces, making: Making): Promise<AnswerBody> {
  const hasher = new Bun.CryptoHasher("sha256");
  const parts: Bytes[] = [encoder.encode(ENVELOPE_START)];
  let bytes = 0;
  for await (const piece of pieces) {
    const part = typeof piece === "string" ? encoder.encode(piece) : piece;
    parts.push(part);
    bytes += part.byteLength;
    // Room for the parts and for the body that is made of them.
    if (bytes >= MIN_LARGE_BYTES) await making.hold(2 * bytes);
    for (let from = 0; from < part.byteLength; from += MAX_BYTES_AT_ONCE) {
      hasher.update(part.subarray(from, from + MAX_BYTES_AT_ONCE));
      await making.pause();
    }
  }
  parts.push(encoder.encode(ENVELOPE_END));
  return AnswerBody.ofParts(hasher.digest("hex").slice(0, 32), parts);
}
