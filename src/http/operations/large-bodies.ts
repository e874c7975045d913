import { once } from "node:events";
import { createGunzip, createGzip, type Gunzip, type Gzip } from "node:zlib";
import {
  BodyDamaged,
  ENVELOPE_END,
  ENVELOPE_START,
  isPacked,
  measureUnpacked,
  unpack,
  type Body,
  type Bytes,
} from "../../catalog/body.ts";
import { HttpError } from "../request/errors.ts";
import type { AnswerWork } from "./answer-work.ts";

/**
 * From this size on, a body is a Blob, because Bun copies a Buffer for each slow reader. Smaller bodies fit in the send
 * buffer.
 */
export const MIN_LARGE_BYTES = 64 * 1024;
const PIECE_BYTES = 256 * 1024;
const GZIP_LEVEL = 6;

/** Returns a stored body's `data` as JSON bytes. Throws 503 or 499, as `work` does, or BodyDamaged. */
export async function readData(stored: Body, work: AnswerWork): Promise<Bytes> {
  const { bytes } = stored;
  const contentBytes = isPacked(bytes) ? measureUnpacked(bytes) : 0;
  let body = bytes;
  if (contentBytes >= MIN_LARGE_BYTES) {
    await work.hold(2 * contentBytes, { readBytes: bytes.byteLength });
    body = await (await unpackInPieces(new Blob([bytes]), contentBytes, work)).bytes();
  } else if (isPacked(bytes)) {
    body = unpack(bytes);
  }
  return body.subarray(ENVELOPE_START.length, body.byteLength - ENVELOPE_END.length);
}

export function unpackInPieces(packed: Blob, bytes: number, work: AnswerWork): Promise<Blob> {
  return codeInPieces(createGunzip({ chunkSize: PIECE_BYTES }), packed, work, bytes);
}

export function packInPieces(content: Blob, work: AnswerWork): Promise<Blob> {
  return codeInPieces(createGzip({ level: GZIP_LEVEL }), content, work);
}

/** Compresses or decompresses a body off the event loop, without copying all of it. */
async function codeInPieces(coder: Gzip | Gunzip, content: Blob, work: AnswerWork, expected?: number): Promise<Blob> {
  const parts: Bytes[] = [];
  let bytes = 0;
  const fault = (): Error => new BodyDamaged("A body", `${bytes} bytes of ${expected}`);
  coder.on("data", (part: Bytes) => {
    parts.push(part);
    bytes += part.byteLength;
    if (bytes > (expected ?? Infinity)) coder.destroy(fault());
  });
  const end = once(coder, "end");
  // The stream might fail before anything awaits its end.
  end.catch(() => undefined);
  try {
    for (let from = 0; from < content.size; from += PIECE_BYTES) {
      await work.pause();
      const piece = await content.slice(from, from + PIECE_BYTES).bytes();
      if (!coder.write(piece)) await Promise.race([once(coder, "drain"), end]);
    }
    coder.end();
    await end;
  } catch (error) {
    throw error instanceof HttpError ? error : new BodyDamaged("A body", error);
  } finally {
    coder.destroy();
  }
  if (bytes < (expected ?? 0)) throw fault();
  return new Blob(parts);
}
