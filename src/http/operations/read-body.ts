import { once } from "node:events";
import { createGunzip } from "node:zlib";
import {
  ENVELOPE_END,
  ENVELOPE_START,
  isPacked,
  measureUnpacked,
  unpack,
  type Body,
  type Bytes,
} from "../../catalog/body.ts";
import type { Making } from "./making.ts";

/**
 * Bodies of this size or more are large: they are counted while they are made, kept and read, and sent as a Blob. Bun
 * copies a Buffer for each slow reader, but not a Blob. A Blob makes a small answer a fifth more expensive, and nearly all
 * of a smaller body fits into the system's send buffer.
 */
export const MIN_LARGE_BYTES = 64 * 1024;
/** How much of a packed body is read at once, and the size of the buffers for the result. */
const PACKED_PIECE_BYTES = 64 * 1024;
const PIECE_BYTES = 256 * 1024;

/** The `data` of a stored body, as bytes of JSON. Throws 503 and 499 as `making` does, and an Error when it is damaged. */
export async function readData(bytes: Body["bytes"], making: Making): Promise<Bytes> {
  const body = await readWhole(bytes, making);
  return body.subarray(ENVELOPE_START.length, body.byteLength - ENVELOPE_END.length);
}

async function readWhole(bytes: Bytes, making: Making): Promise<Bytes> {
  if (!isPacked(bytes)) return bytes;
  const contentBytes = measureUnpacked(bytes);
  if (contentBytes < MIN_LARGE_BYTES) return unpack(bytes);
  await making.begin(2 * contentBytes);
  return (await unpackInPieces(new Blob([bytes]), contentBytes, making)).bytes();
}

/**
 * Decompresses a large body in pieces, off the event loop. Throws 499 when the client has disconnected, and an Error when the
 * result does not have this number of bytes.
 */
export async function unpackInPieces(packed: Blob, bytes: number, making: Making): Promise<Blob> {
  const decoder = createGunzip({ chunkSize: PIECE_BYTES });
  const parts: Bytes[] = [];
  let unpackedBytes = 0;
  decoder.on("data", (part: Bytes) => {
    parts.push(part);
    unpackedBytes += part.byteLength;
    if (unpackedBytes > bytes) decoder.destroy(new Error(`a body of ${bytes} bytes is damaged: it gives more`));
  });
  const end = once(decoder, "end");
  // It may fail before anything awaits it.
  end.catch(() => undefined);
  try {
    for (let from = 0; from < packed.size; from += PACKED_PIECE_BYTES) {
      await making.pause();
      const piece = await packed.slice(from, from + PACKED_PIECE_BYTES).bytes();
      if (!decoder.write(piece)) await Promise.race([once(decoder, "drain"), end]);
    }
    decoder.end();
    await end;
  } finally {
    decoder.destroy();
  }
  if (unpackedBytes !== bytes) throw new Error(`a body of ${bytes} bytes is damaged: it gives ${unpackedBytes}`);
  return new Blob(parts);
}
