import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";

/** Enough to take SQLite's log over into the file, which must grow by as much: 16 MB, and the largest transaction. */
const RESERVE_BYTES = 32 * 1024 * 1024;
/** With more than this nothing is reserved: the next batch of an import looks again. */
const PLENTY_BYTES = 1024 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** Room on a disk that nobody else can take, until it is given back or the process ends, in whatever way. */
export interface DiskReserve {
  /** Does nothing when it was called before. */
  giveBack(): void;
}

/**
 * Takes room on the disk of a folder, half of what is free at most. Undefined while there is plenty, or none to take. The
 * file that takes it has lost its name already, so that nothing of it can be left.
 */
export function reserveDisk(folder: string): DiskReserve | undefined {
  const { bavail, bsize } = statfsSync(folder);
  const freeBytes = bavail * bsize;
  if (freeBytes > PLENTY_BYTES) return undefined;
  const path = `${folder}/.lectern-reserve-${process.pid}`;
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch {
    return undefined;
  }
  rmSync(path);
  // Some disks keep zeros for nothing.
  const chunk = crypto.getRandomValues(Buffer.alloc(CHUNK_BYTES));
  const bytes = Math.min(RESERVE_BYTES, freeBytes / 2);
  try {
    for (let written = 0; written < bytes;) written += writeSync(file, chunk);
  } catch {
    // What there was, then.
  }
  let isHeld = true;
  return {
    giveBack() {
      if (isHeld) closeSync(file);
      isHeld = false;
    },
  };
}
