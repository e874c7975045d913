// Writes built files for browsers. Text files get a compressed copy, so that servers need not compress them.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const deflate = promisify(gzip);

/** The names of files that are worth compressing. */
const TEXT = /\.(html|css|js|json|svg)$/;
/** A smaller file fits into one packet even without compression. */
const MIN_BYTES = 512;

export interface FileToWrite {
  /** The last part of the file's URL, without folders. */
  name: string;
  content: Uint8Array<ArrayBuffer>;
}

/** Replaces the content of a folder with these files and with `.gz` copies of the larger text files. */
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
