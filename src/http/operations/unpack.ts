import { once } from "node:events";
import { createGunzip } from "node:zlib";
import {
  ENVELOPE_END,
  ENVELOPE_START,
  measureUnpacked,
  unpack,
  type Bytes,
  type StoredDocument,
} from "../../catalog/stored-document.ts";
import type { LargeWork } from "./large-work.ts";

/**
 * Bodies of this size or more are large: they are counted while they are made, kept and read, and sent as a Blob. Bun
 * copies a Buffer for each slow reader, but not a Blob. A Blob makes a small answer a fifth more expensive, and nearly all
 * of a smaller body fits into the system's send buffer.
 */
export const MIN_LARGE_BYTES = 64 * 1024;
/** How much of a packed body is read at once, and the size of the buffers for the result. */
const PACKED_PIECE_BYTES = 64 * 1024;
const PIECE_BYTES = 256 * 1024;

/** The JSON text of a document, as bytes. Throws as `unpackBytes` does. */
export async function readBytes({ content }: StoredDocument, work: LargeWork): Promise<Buffer> {
  if (typeof content === "string") return Buffer.from(content);
  const body = await unpackBytes(content, work);
  return body.subarray(ENVELOPE_START.length, -ENVELOPE_END.length);
}

/** The JSON text of a document. Throws as `unpackBytes` does. */
export async function readText(document: StoredDocument, work: LargeWork): Promise<string> {
  const { content } = document;
  return typeof content === "string" ? content : (await readBytes(document, work)).toString();
}

/** Decompresses. Throws 503 and 499 as `work` does, and an Error when it is damaged. */
export async function unpackBytes(packed: Bytes, work: LargeWork): Promise<Buffer> {
  const bytes = measureUnpacked(packed);
  if (bytes < MIN_LARGE_BYTES) {
    const { buffer, byteOffset, byteLength } = unpack(packed);
    return Buffer.from(buffer, byteOffset, byteLength);
  }
  // Room for the result, and for what is made of it.
  await work.begin(2 * bytes);
  const whole = Buffer.allocUnsafe(bytes);
  let end = 0;
  await unpackParts(new Blob([packed]), bytes, work, (part) => {
    whole.set(part, end);
    end += part.byteLength;
  });
  return whole;
}

/** Decompresses a large body, off the event loop. Throws as `unpackBytes` does. */
export async function unpackInPieces(packed: Blob, bytes: number, work: LargeWork): Promise<Blob> {
  const parts: Bytes[] = [];
  await unpackParts(packed, bytes, work, (part) => parts.push(part));
  return new Blob(parts);
}

/** Calls `take` with each part of the result. Throws an Error when the result does not have this number of bytes. */
async function unpackParts(packed: Blob, bytes: number, work: LargeWork, take: (part: Bytes) => void): Promise<void> {
  const decoder = createGunzip({ chunkSize: PIECE_BYTES });
  let unpackedBytes = 0;
  decoder.on("data", (part: Bytes) => {
    unpackedBytes += part.byteLength;
    if (unpackedBytes > bytes) decoder.destroy(new Error(`a body of ${bytes} bytes is damaged: it gives more`));
    else take(part);
  });
  const end = once(decoder, "end");
  // It may fail before anything awaits it.
  end.catch(() => undefined);
  try {
    for (let from = 0; from < packed.size; from += PACKED_PIECE_BYTES) {
      await work.pause();
      const piece = await packed.slice(from, from + PACKED_PIECE_BYTES).bytes();
      if (!decoder.write(piece)) await Promise.race([once(decoder, "drain"), end]);
    }
    decoder.end();
    await end;
  } finally {
    decoder.destroy();
  }
  if (unpackedBytes !== bytes) throw new Error(`a body of ${bytes} bytes is damaged: it gives ${unpackedBytes}`);
}
