// The folder of a preview's database: private, temporary, and gone with the preview.
import { Database } from "bun:sqlite";
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "lectern-preview-";
/** Held as long as its preview runs: the system ends a lock on it with the process, in whatever way that dies. */
const LOCK = "running.db";
/** A folder without a lock is one that is being made, or was then cut off. */
const MAKING_MS = 60_000;

export interface PreviewFolder {
  path: string;
  /** Removes it with all that is in it. May be called again. */
  remove(): void;
}

/** Makes a folder, and removes those of previews that were killed. */
export function openPreviewFolder(): PreviewFolder {
  const parent = tmpdir();
  for (const name of readdirSync(parent)) if (name.startsWith(PREFIX)) removeAbandoned(join(parent, name));
  const path = mkdtempSync(join(parent, PREFIX));
  const lock = takeLock(path);
  return {
    path,
    remove() {
      lock.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function takeLock(folder: string): Database {
  const lock = new Database(join(folder, LOCK));
  lock.run("begin exclusive");
  return lock;
}

// What cannot be looked at or removed is another user's, or is being removed by another preview.
function removeAbandoned(folder: string): void {
  try {
    const found = lstatSync(folder);
    // Another user may have put it there, or a link that leads elsewhere.
    if (!found.isDirectory() || (process.getuid !== undefined && found.uid !== process.getuid())) return;
    if (!existsSync(join(folder, LOCK)) && Date.now() - found.mtimeMs < MAKING_MS) return;
    const lock = takeLock(folder);
    lock.close();
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It is in use.
  }
}
