import { once } from "node:events";
import { createGunzip } from "node:zlib";
import { cutData, measureUnpacked, unpack, type Bytes, type StoredDocument } from "../../catalog/stored-document.ts";
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

/** The JSON text of a document. Throws as `unpackText` does. */
export async function readText({ content }: StoredDocument, work: LargeWork): Promise<string> {
  return typeof content === "string" ? content : cutData(await unpackText(content, work));
}

/** Decompresses a body to text. Throws 503 and 499 as `work` does, and an Error when the body is damaged. */
export async function unpackText(packed: Bytes, work: LargeWork): Promise<string> {
  const bytes = measureUnpacked(packed);
  if (bytes < MIN_LARGE_BYTES) return new TextDecoder().decode(unpack(packed));
  // Room for the bytes and for the text.
  await work.begin(2 * bytes);
  return (await unpackInPieces(new Blob([packed]), bytes, work)).text();
}

/**
 * Decompresses a large body in pieces, off the event loop. Throws 499 when the client of `work` has disconnected, and an Error
 * when the result does not have this number of bytes.
 */
export async function unpackInPieces(packed: Blob, bytes: number, work: LargeWork): Promise<Blob> {
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
  return new Blob(parts);
}
