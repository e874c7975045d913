import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";

/** Enough to take SQLite's log over into the file, which must grow by as much: 16 MB at most, but for one transaction. */
const RESERVE_BYTES = 16 * 1024 * 1024;
/** What imports leave of a disk: a reserve for the next one, and as much for what that writes, or for a prune. */
const SPARE_BYTES = 2 * RESERVE_BYTES;
/** Of a small disk they leave a quarter. */
const SPARE_SHARE = 4;
/** With more than this nothing is reserved: the next batch of an import looks again. */
const PLENTY_BYTES = 1024 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** What a process holds of the disk of a folder. `emptyLog` is called after each change of that. */
export class DiskReserves {
  /** Undefined where nothing is held. */
  heldBytes: number | undefined;
  readonly #folder: string;
  readonly #emptyLog: () => Promise<void>;

  constructor(folder: string, emptyLog: () => Promise<void>) {
    this.#folder = folder;
    this.#emptyLog = emptyLog;
  }

  /** Undefined while nothing needs to be held. */
  async take(): Promise<{ giveBack(): Promise<void> } | undefined> {
    const reserve = reserveDisk(this.#folder);
    if (reserve === undefined) return undefined;
    this.heldBytes = (this.heldBytes ?? 0) + reserve.bytes;
    // From now on the log takes no room that was there before, so that what it holds fits into the reserve.
    await this.#emptyLog();
    return {
      giveBack: async () => {
        if (!reserve.giveBack()) return;
        const left = (this.heldBytes ?? 0) - reserve.bytes;
        this.heldBytes = left === 0 ? undefined : left;
        await this.#emptyLog();
      },
    };
  }
}

/** Room on a disk that nobody else can take, until it is given back or the process ends, in whatever way. */
interface DiskReserve {
  bytes: number;
  /** False when it was called before. */
  giveBack(): boolean;
}

/** Room on the disk of a folder: what is free, and what imports leave of it. */
export function measureDisk(folder: string): { freeBytes: number; spareBytes: number } {
  const { bavail, bsize, blocks } = statfsSync(folder);
  return { freeBytes: bavail * bsize, spareBytes: Math.min(SPARE_BYTES, (blocks * bsize) / SPARE_SHARE) };
}

/**
 * Takes room on the disk of a folder, half of what is free at most. Undefined while there is plenty, or none to take. The
 * file that takes it has lost its name already, so that nothing of it can be left.
 */
function reserveDisk(folder: string): DiskReserve | undefined {
  const { freeBytes, spareBytes } = measureDisk(folder);
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
  const wanted = Math.min(spareBytes, freeBytes) / 2;
  let bytes = 0;
  try {
    while (bytes < wanted) bytes += writeSync(file, chunk);
  } catch {
    // What there was, then.
  }
  let isHeld = true;
  return {
    bytes,
    giveBack() {
      if (!isHeld) return false;
      isHeld = false;
      closeSync(file);
      return true;
    },
  };
}
