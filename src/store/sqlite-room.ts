// Room on the disk of a SQLite file: its log, a disk that is full, and what the file does not need any more.
import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { measureDisk } from "./disk-reserve.ts";
import { DatabaseBusy, DiskFull, TooLittleRoom } from "./errors.ts";
import type { Connection } from "./engine.ts";
import { sql } from "./query.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** How long a write waits for another process's, in milliseconds. Transactions here are short. */
export const BUSY_TIMEOUT_MS = 10_000;
/** Readers here take milliseconds; a backup or a copy is not waited for. */
const SHRINK_TIMEOUT_MS = 200;
/** SQLite takes the log over at 8 MB, as far as nobody reads what was before. Servers at work always do. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/**
 * Writes the whole database anew: to a temporary file, then to the log, then over the file. Throws TooLittleRoom, DiskFull.
 */
export async function vacuum(
  write: SqliteConnection,
  path: string,
  shrink: () => void,
): Promise<{ before: number; after: number }> {
  const measure = (): number => statSync(path).size + measureLog(path);
  shrink();
  const before = measure();
  const [used] = await write.run(sql<{ bytes: number }>`
    select (page_count - freelist_count) * page_size as bytes
    from pragma_page_count, pragma_freelist_count, pragma_page_size`);
  const needed = 2 * (used?.bytes ?? 0);
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < needed) throw new TooLittleRoom(path, needed, bavail * bsize);
  try {
    write.execute("vacuum");
  } catch (error) {
    throw toDiskFull(error, path);
  } finally {
    shrink();
  }
  return { before, after: measure() };
}

/** Takes the log over into the file and gives back its room, as far as readers let it. Never throws. */
export function shrinkLog(write: SqliteConnection): void {
  write.execute(`pragma busy_timeout = ${SHRINK_TIMEOUT_MS}`);
  try {
    write.execute("pragma wal_checkpoint(truncate)");
  } catch {
    // With a disk that is full it may fail, and whatever comes next will say so.
  }
  write.execute(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
}

/**
 * Keeps the log of the file at `path` from growing while others read without a pause, and so always keep SQLite from taking
 * the last of it over. Call it after each transaction that may wait for such readers. Never throws.
 */
export function limitLog(path: string, shrink: () => void): () => void {
  let limit = MAX_LOG_BYTES;
  return () => {
    if (measureLog(path) <= limit) return;
    shrink();
    // Who reads for long, such as a backup, is waited for now and then, not after each transaction.
    limit = measureLog(path) + MAX_LOG_BYTES;
  };
}

/** No limit: more pages than any file has. */
const MAX_PAGES = 4_294_967_294;

/**
 * Lets the next transaction of a handle make the file only so large that the disk keeps its spare room, and that what the log
 * holds of it fits into the file; `heldBytes` are reserved for that. Undefined takes the limit away. A file never shrinks, so
 * imports that fail one after another would fill the disk otherwise.
 */
export function limitGrowth(
  handle: SqliteConnection,
  { path, pageBytes }: { path: string; pageBytes: number },
  heldBytes: number | undefined,
): void {
  if (heldBytes === undefined) {
    handle.execute(`pragma max_page_count = ${MAX_PAGES}`);
    return;
  }
  const { freeBytes, spareBytes } = measureDisk(dirname(path));
  const unspared = freeBytes + heldBytes + measureLog(path) - spareBytes;
  const growth = Math.max(0, Math.min(unspared, Math.max(heldBytes, freeBytes / 3)));
  handle.execute(`pragma max_page_count = ${Math.ceil((statSync(path).size + growth) / pageBytes)}`);
}

function measureLog(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Runs a transaction, once more where the disk was full of the log; `prepare` is called before each. Throws DatabaseBusy, and
 * DiskFull, when the log is empty as far as readers let it.
 */
export async function transactDespiteLog<T>(
  handle: SqliteConnection,
  path: string,
  { shrink, prepare }: { shrink: () => void; prepare: () => void },
  use: (transaction: Connection) => Promise<T>,
): Promise<T> {
  try {
    prepare();
    return await handle.transact("immediate", use);
  } catch (error) {
    if (!isDiskFull(error)) throw toBusy(error, path);
  }
  // The log takes room for what is in the file already.
  shrink();
  try {
    prepare();
    return await handle.transact("immediate", use);
  } catch (error) {
    if (isDiskFull(error)) shrink();
    throw toDiskFull(error, path);
  }
}

/** True for a disk without room. The index of the log needs some too, as soon as the first process opens the file. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE" || code === "ENOSPC";
}

/** The error as DiskFull if that is what it says, else as it is. */
export function toDiskFull(error: unknown, path: string): unknown {
  return isDiskFull(error) ? new DiskFull(`the disk of ${path}`, error) : error;
}

/** The error as DatabaseBusy if that is what it says, else as it is. */
export function toBusy(error: unknown, path: string): unknown {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && code.startsWith("SQLITE_BUSY") ? new DatabaseBusy(path, error) : error;
}
