// Writes what is built for browsers: each file, and beside it the same compressed, which a server then need not do.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** What text is, and gets smaller. */
const TEXT = /\.(html|css|js|json|svg)$/;
/** The best compression takes 10 seconds for 4 MB, the next one half a second, for a tenth more bytes. */
const LARGE_BYTES = 1024 * 1024;
const LARGE_QUALITY = 9;
/** Less than this saves no packet. */
const MIN_BYTES = 512;

export interface FileToWrite {
  /** Its name is its last part in the address: no folders. */
  name: string;
  content: Uint8Array<ArrayBuffer>;
}

/** Makes a folder that holds the files, with `.br` and `.gz` beside those that are text, and nothing else. */
export async function writeBuiltFiles(folder: string, files: readonly FileToWrite[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all(
    files.map(async ({ name, content }) => {
      await Bun.write(join(folder, name), content);
      if (!TEXT.test(name) || content.byteLength < MIN_BYTES) return;
      const isLarge = content.byteLength > LARGE_BYTES;
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: isLarge ? LARGE_QUALITY : constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength,
      };
      await Bun.write(join(folder, `${name}.br`), await brotli(content, { params }));
      await Bun.write(join(folder, `${name}.gz`), await deflate(content, { level: 9 }));
    }),
  );
}
