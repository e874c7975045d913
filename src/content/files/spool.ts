import { close, mkdtempSync, openSync, read, rmSync, write } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ExpectedError } from "../../catalog/expected-error.ts";

const readAt = promisify(read);
const writeAt = promisify(write);

/** The position of a stored text. */
export interface SpooledText {
  from: number;
  bytes: number;
}

/** Stores texts in a private temporary file, whose space the system frees when the process ends. */
export class Spool {
  readonly #file = openNamelessFile();
  #end = 0;

  /** Appends text. Throws ExpectedError if the disk is full. */
  async append(text: string): Promise<SpooledText> {
    const bytes = Buffer.from(text);
    const from = this.#end;
    this.#end += bytes.byteLength;
    try {
      for (let written = 0; written < bytes.byteLength;) {
        const { bytesWritten } = await writeAt(this.#file, bytes, written, bytes.byteLength - written, from + written);
        written += bytesWritten;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      throw new ExpectedError(
        `No space left in the temporary folder ${tmpdir()}. Free some space, or set TMPDIR to another folder.`,
        { cause: error },
      );
    }
    return { from, bytes: bytes.byteLength };
  }

  async read({ from, bytes }: SpooledText): Promise<string> {
    const buffer = Buffer.alloc(bytes);
    for (let filled = 0; filled < bytes;) {
      const { bytesRead } = await readAt(this.#file, buffer, filled, bytes - filled, from + filled);
      if (bytesRead === 0) throw new Error("a temporary file is shorter than expected");
      filled += bytesRead;
    }
    return buffer.toString();
  }

  async close(): Promise<void> {
    await promisify(close)(this.#file);
  }
}

/** Opens a private temporary file and deletes its name, so that the system frees the space even after a crash. */
export function openNamelessFile(): number {
  const folder = mkdtempSync(join(tmpdir(), "lectern-"));
  try {
    return openSync(join(folder, "unpacked"), "wx+", 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
