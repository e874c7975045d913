// A copy of a SQLite database as one file: complete and equal, or not there at all.
import { Database } from "bun:sqlite";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { ExpectedError } from "../catalog/expected-error.ts";
import { copyStore, type CopyProgress, type TableDigest } from "./copy-store.ts";

/** The backup would have to take the place of a file. */
export class BackupExists extends ExpectedError {}

/** A backup that is being written, beside the place where it will stand. */
export interface UnfinishedBackup {
  /** Where it is written. */
  path: string;
  /** Fills it, compares it with the database, and gives it its name. Throws BackupExists, and what `copyStore` throws. */
  finish(onProgress: (progress: CopyProgress) => void): Promise<TableDigest[]>;
  /** Removes what is written, without waiting for anything; after `finish` there is nothing to remove. */
  discard(): void;
}

/**
 * Begins a backup of the database that a URL names. The file can be read by its owner only, from the first byte on, and
 * holds the state of one moment under an identity of its own. Throws BackupExists, and the system's error for a folder that
 * cannot be written.
 */
export function beginBackup(fromUrl: string, file: string): UnfinishedBackup {
  requireNoFile(file);
  const path = `${file}.unfinished-${process.pid}`;
  closeSync(openSync(path, "wx", 0o600));
  return {
    path,
    async finish(onProgress) {
      const digests = await copyStore(fromUrl, `sqlite:${path}`, onProgress);
      // One file by itself, that can be read where nothing can be written.
      const database = new Database(path);
      database.run("pragma journal_mode = delete");
      database.close();
      sync(path);
      giveName(path, file);
      sync(dirname(file));
      return digests;
    },
    discard() {
      for (const ending of ["", "-wal", "-shm", "-journal"]) rmSync(path + ending, { force: true });
    },
  };
}

// A rename would replace what has come there meanwhile; a link does not.
function giveName(path: string, file: string): void {
  try {
    linkSync(path, file);
  } catch (error) {
    requireNoFile(file);
    const { code } = error as NodeJS.ErrnoException;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(code ?? "")) throw error;
    renameSync(path, file);
    return;
  }
  rmSync(path);
}

function requireNoFile(file: string): void {
  if (existsSync(file)) throw new BackupExists(`There is a file ${file} already; a backup never replaces one.`);
}

function sync(path: string): void {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}
