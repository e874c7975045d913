// The compressors of each coding, and their levels.
import { once } from "node:events";
import type { Transform } from "node:stream";
import { promisify } from "node:util";
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from "node:zlib";
import type { Coding } from "../request/encoding.ts";
import type { LargeWork } from "../operations/large-work.ts";

/** Medium, thorough. It depends on the size of the content alone, so that equal content gives equal bytes. */
type Level = 0 | 1;

const BROTLI_QUALITIES = [5, 9] as const;
const ZSTD_LEVELS = [6, 12] as const;
const GZIP_LEVELS = [6, 9] as const;
/** Above this size the thorough level takes too long for what it saves. */
const MAX_THOROUGH_BYTES = 128 * 1024;
/** How much of a large body is read at once. */
const PIECE_BYTES = 256 * 1024;
/** The most by which a body grows that cannot be compressed: headers, and a few bytes for each block. */
const MAX_GROWTH_BYTES = 1024;

const brotli = promisify(brotliCompress);
const zstd = promisify(zstdCompress);
const deflate = promisify(gzip);

/** Compresses off the event loop. */
export async function compress(content: Uint8Array, encoding: Coding): Promise<Uint8Array<ArrayBuffer>> {
  const level = levelFor(content.byteLength);
  // A buffer for the whole result. A compressor that needs a second buffer gets it after all others have had their turn,
  // and holds its memory meanwhile.
  const chunkSize = content.byteLength + MAX_GROWTH_BYTES;
  switch (encoding) {
    case "br":
      return brotli(content, { ...brotliOptions(level, content.byteLength), chunkSize });
    case "zstd":
      return zstd(content, { ...zstdOptions(level), chunkSize });
    case "gzip":
      return deflate(content, { level: GZIP_LEVELS[level], chunkSize });
  }
}

/**
 * Compresses a large body in pieces, without a copy of the whole. Throws 499 when the client of `work` has disconnected.
 */
export async function compressInPieces(content: Blob, encoding: Coding, work: LargeWork): Promise<Blob> {
  const coder = createCoder(encoding, levelFor(content.size), content.size);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  coder.on("data", (part: Uint8Array<ArrayBuffer>) => parts.push(part));
  const end = once(coder, "end");
  try {
    for (let from = 0; from < content.size; from += PIECE_BYTES) {
      await work.pause();
      const piece = await content.slice(from, from + PIECE_BYTES).bytes();
      if (!coder.write(piece)) await once(coder, "drain");
    }
    coder.end();
    await end;
  } finally {
    coder.destroy();
  }
  return new Blob(parts);
}

function levelFor(contentBytes: number): Level {
  return contentBytes > MAX_THOROUGH_BYTES ? 0 : 1;
}

function createCoder(encoding: Coding, level: Level, contentBytes: number): Transform {
  switch (encoding) {
    case "br":
      return createBrotliCompress(brotliOptions(level, contentBytes));
    case "zstd":
      return createZstdCompress(zstdOptions(level));
    case "gzip":
      return createGzip({ level: GZIP_LEVELS[level] });
  }
}

function brotliOptions(level: Level, contentBytes: number) {
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITIES[level],
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: contentBytes,
      [constants.BROTLI_PARAM_LGWIN]: toWindowBits(contentBytes),
    },
  };
}

// Brotli takes memory and time for its whole window, even for small content: 22 MB by default, 3 MB for 64 KiB.
function toWindowBits(contentBytes: number): number {
  const bits = Math.ceil(Math.log2(contentBytes));
  return Math.min(Math.max(bits, constants.BROTLI_MIN_WINDOW_BITS), constants.BROTLI_DEFAULT_WINDOW);
}

function zstdOptions(level: Level) {
  return { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVELS[level] } };
}
