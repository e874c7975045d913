// Writes built files for browsers, each with a compressed copy, so that servers need not compress.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const deflate = promisify(gzip);

/** Files worth compressing. */
const TEXT = /\.(html|css|js|json|svg)$/;
/** Compressing a smaller file saves no packet. */
const MIN_BYTES = 512;

export interface FileToWrite {
  /** The last part of its URL, without folders. */
  name: string;
  content: Uint8Array<ArrayBuffer>;
}

/** Replaces a folder with these files and `.gz` copies of the text files. */
export async function writeBuiltFiles(folder: string, files: readonly FileToWrite[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all(
    files.map(async ({ name, content }) => {
      await Bun.write(join(folder, name), content);
      if (!TEXT.test(name) || content.byteLength < MIN_BYTES) return;
      await Bun.write(join(folder, `${name}.gz`), await deflate(content, { level: 9 }));
    }),
  );
}
