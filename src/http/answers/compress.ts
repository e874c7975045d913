// The coders, and how hard each tries.
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

/** Quick, middling, thorough. */
export type Level = 0 | 1 | 2;

const BROTLI_QUALITIES = [4, 5, 9] as const;
const ZSTD_LEVELS = [3, 6, 12] as const;
const GZIP_LEVELS = [4, 6, 9] as const;
/** What is read of a large body at once. */
const PIECE_BYTES = 256 * 1024;
/** By how much a small body grows at most that cannot be compressed: headers, and a few bytes for each block. */
const MAX_GROWTH_BYTES = 1024;

const brotli = promisify(brotliCompress);
const zstd = promisify(zstdCompress);
const deflate = promisify(gzip);

/** Compresses off the event loop. */
export async function compress(content: Uint8Array, encoding: Coding, level: Level): Promise<Uint8Array<ArrayBuffer>> {
  // Room for all of the result: a coder that has to ask for more holds its memory while all others have their first go.
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

/** The same of a large body, without a copy of the whole; stops when the client of `work` has gone. Throws 499. */
export async function compressInPieces(content: Blob, encoding: Coding, level: Level, work: LargeWork): Promise<Blob> {
  const coder = createCoder(encoding, level, content.size);
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

// Brotli takes memory and time for its window, however little of it is used: 22 MB by default, 3 MB for 64 KiB.
function toWindowBits(contentBytes: number): number {
  const bits = Math.ceil(Math.log2(contentBytes));
  return Math.min(Math.max(bits, constants.BROTLI_MIN_WINDOW_BITS), constants.BROTLI_DEFAULT_WINDOW);
}

function zstdOptions(level: Level) {
  return { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVELS[level] } };
}
