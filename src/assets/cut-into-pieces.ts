import { PIECE_BYTES } from "./asset-store.ts";

/** Cuts content into pieces of PIECE_BYTES, the last of which is shorter; none of an empty file. Each is a copy. */
export async function* cutIntoPieces(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let piece = new Uint8Array(PIECE_BYTES);
  let filled = 0;
  for await (const bytes of content) {
    for (let from = 0; from < bytes.byteLength;) {
      const part = bytes.subarray(from, from + PIECE_BYTES - filled);
      piece.set(part, filled);
      filled += part.byteLength;
      from += part.byteLength;
      if (filled < PIECE_BYTES) continue;
      yield piece;
      piece = new Uint8Array(PIECE_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.slice(0, filled);
}
