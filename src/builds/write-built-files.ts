// Writes what is built for browsers: each file, and beside it the same compressed, which a server then need not do.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const deflate = promisify(gzip);

/** What text is, and gets smaller. */
const TEXT = /\.(html|css|js|json|svg)$/;
/** Less than this saves no packet. */
const MIN_BYTES = 512;

export interface FileToWrite {
  /** Its name is its last part in the address: no folders. */
  name: string;
  content: Uint8Array<ArrayBuffer>;
}

/** Makes a folder that holds the files, with `.gz` beside those that are text, and nothing else. */
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
