// Writes a SQLite file: serializes transactions, limits the log, and handles a full disk.
import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { measureSpare } from "../../catalog/disk-space.ts";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { DatabaseUnusable, diskFull, type Connection } from "../engine.ts";
import { sql } from "../queries/query.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** The longest wait for another process's write. Transactions are short. */
export const BUSY_TIMEOUT_MS = 10_000;
/** How long a write that can be retried waits: briefly, because SQLite blocks the whole process meanwhile. */
const SOON_MS = 50;
/** How long a checkpoint waits for readers. Reads take milliseconds; during a backup or copy, checkpoints fail. */
export const CHECKPOINT_TIMEOUT_MS = 200;
/** The log size that forces a checkpoint. SQLite empties the log at 8 MB, but readers of a busy server prevent this. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** The disk counts as tight if less than so many times the spare space is free. Transactions then stay checkpointable. */
const TIGHT_SPARES = 8;
const CACHE_BYTES = 16_000 * 1024;
/** Pages beyond this are written to the log at once, so that the disk shows what a transaction needs. */
const TIGHT_CACHE_BYTES = 256 * 1024;
/** The unit of `blocks` in a file's status. */
const BLOCK_BYTES = 512;
/** SQLite's maximum number of pages, which means no limit. */
const MAX_PAGES = 4_294_967_294;

/** `content` leaves spare disk space; `soon` fails fast while others write, and does not sync. */
export type WriteKind = "short" | "content" | "soon";

export class SqliteWriter {
  readonly #handle: SqliteConnection;
  readonly #path: string;
  /** The size of the log that the last checkpoint could not empty. */
  #heldLogBytes = 0;

  constructor(handle: SqliteConnection, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  async transact<T>(use: (transaction: Connection) => Promise<T>, kind: WriteKind): Promise<T> {
    return this.#handle.takeTurn(async () => {
      try {
        return await this.#begin(use, kind);
      } catch (error) {
        if (!isDiskFull(error)) throw toBusy(error, this.#path);
        // A checkpoint frees the log's space on the disk.
        this.#checkpoint();
        return await this.#begin(use, kind).catch((last: unknown) => {
          if (isDiskFull(last)) this.#checkpoint();
          throw toDiskFull(last, this.#path);
        });
      } finally {
        this.#limitLog(kind);
      }
    });
  }

  async snapshot<T>(use: (transaction: Connection) => Promise<T>): Promise<T> {
    return this.#handle.takeTurn(async () => this.#handle.transact("deferred", use));
  }

  async emptyLog(): Promise<void> {
    return this.#handle.takeTurn(async () => this.#checkpoint());
  }

  /** Rewrites the file through a temporary file and the log. Throws ExpectedError. */
  async vacuum(): Promise<{ before: number; after: number }> {
    return this.#handle.takeTurn(async () => {
      const measure = (): number => statSync(this.#path).size + this.measureLog();
      this.#checkpoint();
      const before = measure();
      const [used] = await this.#handle.run(sql<{ bytes: number }>`
        select (page_count - freelist_count) * page_size as bytes
        from pragma_page_count, pragma_freelist_count, pragma_page_size`);
      const needed = 2 * (used?.bytes ?? 0);
      const { bavail, bsize } = statfsSync(dirname(this.#path));
      if (bavail * bsize < needed) {
        const [neededMb, freeMb] = [formatMegabytes(needed), formatMegabytes(bavail * bsize)];
        throw new ExpectedError(
          `Rewriting ${this.#path} needs ${neededMb} of temporary space, but only ${freeMb} is free. Free some space, ` +
            "or shrink the database with `lectern prune --keep N`.",
        );
      }
      await this.#limitGrowth("short");
      try {
        this.#handle.execute("vacuum");
      } catch (error) {
        throw toDiskFull(error, this.#path);
      } finally {
        this.#checkpoint();
      }
      return { before, after: measure() };
    });
  }

  close(): void {
    this.#handle.close();
  }

  async #begin<T>(use: (transaction: Connection) => Promise<T>, kind: WriteKind): Promise<T> {
    const isTight = this.#isTight(kind);
    const [timeoutMs, synchronous] = kind === "soon" ? [SOON_MS, "normal"] : [BUSY_TIMEOUT_MS, "full"];
    this.#handle.execute(`pragma busy_timeout = ${timeoutMs}`);
    this.#handle.execute(`pragma synchronous = ${synchronous}`);
    this.#handle.execute(`pragma cache_size = -${(isTight ? TIGHT_CACHE_BYTES : CACHE_BYTES) / 1024}`);
    await this.#limitGrowth(kind);
    // On a tight disk, the log was emptied before: after the last transaction, or after the failure that led to a retry.
    const isLogHeld = isTight && this.measureLog() > 0;
    const keptShare = !isLogHeld ? 0 : kind === "content" ? 1 / 2 : 1 / 4;
    // The space that a transaction takes up in such a log stays taken if the transaction is rolled back.
    if (isLogHeld) await this.#requireCheckpointSpace(keptShare);
    return this.#handle.transact("immediate", async (transaction) => {
      const result = await use(transaction);
      if (isTight) await this.#requireCheckpointSpace(keptShare);
      return result;
    });
  }

  #isTight(kind: WriteKind): boolean {
    if (kind === "soon") return false;
    const { freeBytes, spareBytes } = measureSpare(dirname(this.#path));
    return freeBytes - this.measureLog() < TIGHT_SPARES * spareBytes;
  }

  /** Limits the file's growth to leave spare disk space. */
  async #limitGrowth(kind: WriteKind): Promise<void> {
    let pages = MAX_PAGES;
    if (kind === "content") {
      const unwritten = await this.#measureUnwritten();
      const { freeBytes, spareBytes } = measureSpare(dirname(this.#path));
      const usable = freeBytes - unwritten;
      // Written pages take up space in the log, and again in the file.
      const growth = Math.max(0, Math.min(usable - spareBytes, usable / 3));
      pages = Math.ceil((statSync(this.#path).size + unwritten + growth) / PAGE_BYTES);
    }
    this.#handle.execute(`pragma max_page_count = ${pages}`);
  }

  /**
   * Throws, so that a transaction is rolled back, if too little space is left to move its pages into the file: then no
   * checkpoint could empty the log. With a log that a reader keeps, a share of the spare space must be left, too.
   */
  async #requireCheckpointSpace(keptShare: number): Promise<void> {
    const unwritten = await this.#measureUnwritten();
    const { freeBytes, spareBytes } = measureSpare(dirname(this.#path));
    // A prune, for example, needs none.
    const least = Math.max(keptShare * spareBytes, unwritten > 0 ? 2 * TIGHT_CACHE_BYTES : 0);
    if (freeBytes < unwritten + least)
      throw Object.assign(new Error("No space for a checkpoint"), { code: "SQLITE_FULL" });
  }

  /** Returns by how many bytes the pages in the log make the file grow. */
  async #measureUnwritten(): Promise<number> {
    const [row] = await this.#handle.run(sql<{ pages: number }>`select page_count as pages from pragma_page_count`);
    // A checkpoint beside a reader can leave holes in the file.
    const { size, blocks } = statSync(this.#path);
    const missing = (row?.pages ?? 0) * PAGE_BYTES - Math.min(size, blocks * BLOCK_BYTES);
    return Math.max(0, Math.min(missing, this.measureLog()));
  }

  /** Moves the log into the file and truncates the log, as far as readers allow. Never throws. */
  #checkpoint(): void {
    this.#handle.execute(`pragma busy_timeout = ${CHECKPOINT_TIMEOUT_MS}`);
    try {
      this.#handle.execute("pragma wal_checkpoint(truncate)");
    } catch {
      // A checkpoint can fail on a full disk, which the next transaction reports.
    }
  }

  /** Limits the log under constant reads, during which SQLite never empties the log. Empties it if the disk is tight. */
  #limitLog(kind: WriteKind): void {
    const isKept = this.#heldLogBytes > 0 || !this.#isTight(kind);
    if (this.measureLog() <= (isKept ? this.#heldLogBytes + MAX_LOG_BYTES : 0)) return;
    this.#checkpoint();
    // Retry only after more growth, since a backup blocks checkpoints for a long time.
    this.#heldLogBytes = this.measureLog();
  }

  measureLog(): number {
    return statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }
}

/** The page size. Lessons take up a few KB, so this size keeps most of them out of overflow chains. */
export const PAGE_BYTES = 8192;

function formatMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000).toLocaleString("en-US")} MB`;
}

/** Returns true for a full disk. When the first process opens the file, the log's index needs space, too. */
function isDiskFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE" || code === "ENOSPC";
}

export function toDiskFull(error: unknown, path: string): unknown {
  return isDiskFull(error) ? diskFull(`the disk of ${path}`, error) : error;
}

export function toBusy(error: unknown, path: string): unknown {
  const { code } = error as { code?: unknown };
  if (typeof code !== "string" || !code.startsWith("SQLITE_BUSY")) return error;
  return new DatabaseUnusable(
    `Another process is writing to the database ${path} and did not finish in time. Nothing was changed. Run the ` +
      "command again when that process has ended; on a large database, `lectern vacuum` takes minutes.",
    { cause: error },
  );
}
