// All that writes a SQLite file: transactions one after another, the size of the log, and a disk that is full.
import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ExpectedError } from "../catalog/expected-error.ts";
import type { Connection } from "./engine.ts";
import { DatabaseUnusable, diskFull } from "./errors.ts";
import { sql } from "./query.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** How long a write waits for another process's, in milliseconds. Transactions here are short. */
export const BUSY_TIMEOUT_MS = 10_000;
/** The same for what can wait: SQLite blocks the whole process meanwhile. */
const SOON_MS = 50;
/** Readers here take milliseconds; the log is not emptied while a backup or a copy reads. */
const CHECKPOINT_TIMEOUT_MS = 200;
/** SQLite empties the log at 8 MB, but only while nobody reads. Busy servers always do. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** What imports leave free on a disk, for a prune or a small import; of a small disk a quarter. */
const SPARE_BYTES = 32 * 1024 * 1024;
const SPARE_SHARE = 4;
/** No limit: the most pages that a file can have. */
const MAX_PAGES = 4_294_967_294;

/** `content` leaves spare room on the disk; `soon` fails soon while others write, and does not sync. */
export type WriteKind = "short" | "content" | "soon";

export class SqliteWriter {
  readonly #handle: SqliteConnection;
  readonly #path: string;
  #maxLogBytes = MAX_LOG_BYTES;

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
        // The log takes disk space for what fits into the file: empty it and try again.
        this.#checkpoint();
        return await this.#begin(use, kind).catch((last: unknown) => {
          if (isDiskFull(last)) this.#checkpoint();
          throw toDiskFull(last, this.#path);
        });
      } finally {
        this.#limitLog();
      }
    });
  }

  async snapshot<T>(use: (transaction: Connection) => Promise<T>): Promise<T> {
    return this.#handle.takeTurn(async () => this.#handle.transact("deferred", use));
  }

  async emptyLog(): Promise<void> {
    return this.#handle.takeTurn(async () => this.#checkpoint());
  }

  /** Rewrites the whole file: to a temporary file, then to the log, then over the file. Throws ExpectedError. */
  async vacuum(): Promise<{ before: number; after: number }> {
    return this.#handle.takeTurn(async () => {
      const measure = (): number => statSync(this.#path).size + this.#measureLog();
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
          `To write ${this.#path} anew takes ${neededMb} beside it for a while, and ${freeMb} are free. Make room, or ` +
            "take less: `lectern prune --keep N`.",
        );
      }
      this.#limitGrowth("short");
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
    const [timeoutMs, synchronous] = kind === "soon" ? [SOON_MS, "normal"] : [BUSY_TIMEOUT_MS, "full"];
    this.#handle.execute(`pragma busy_timeout = ${timeoutMs}`);
    this.#handle.execute(`pragma synchronous = ${synchronous}`);
    this.#limitGrowth(kind);
    return this.#handle.transact("immediate", use);
  }

  /** Leaves spare room on the disk, also once the log is in the file: a file never shrinks. */
  #limitGrowth(kind: WriteKind): void {
    let pages = MAX_PAGES;
    if (kind === "content") {
      const { bavail, bsize, blocks } = statfsSync(dirname(this.#path));
      const freeBytes = bavail * bsize;
      const spareBytes = Math.min(SPARE_BYTES, (blocks * bsize) / SPARE_SHARE);
      // What is written takes its size in the log, and again in the file.
      const growth = Math.max(0, Math.min(freeBytes + this.#measureLog() - spareBytes, freeBytes / 3));
      pages = Math.ceil((statSync(this.#path).size + growth) / PAGE_BYTES);
    }
    this.#handle.execute(`pragma max_page_count = ${pages}`);
  }

  /** Moves the log into the file and truncates it, as far as readers allow. Never throws. */
  #checkpoint(): void {
    this.#handle.execute(`pragma busy_timeout = ${CHECKPOINT_TIMEOUT_MS}`);
    try {
      this.#handle.execute("pragma wal_checkpoint(truncate)");
    } catch {
      // It may fail on a full disk; the next transaction reports that.
    }
  }

  /** Keeps the log from growing while others read without a pause, when SQLite itself never empties it. */
  #limitLog(): void {
    if (this.#measureLog() <= this.#maxLogBytes) return;
    this.#checkpoint();
    // A long reader, such as a backup, is waited for now and then, not after each transaction.
    this.#maxLogBytes = this.#measureLog() + MAX_LOG_BYTES;
  }

  #measureLog(): number {
    return statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }
}

/** Lessons are a few KB: pages of this size keep most out of overflow chains. */
export const PAGE_BYTES = 8192;

function formatMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000).toLocaleString("en-US")} MB`;
}

/** True for a full disk. The index of the log needs some space, too, when the first process opens the file. */
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
    `Another process is writing to the database ${path}, and did not end in time: \`lectern vacuum\` takes minutes with a ` +
      "large one. Nothing was changed; run the command again when that process has ended.",
    { cause: error },
  );
}
