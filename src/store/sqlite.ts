// SQLite: the embedded engine. One file, readable by its owner only; its log and the lock files lie beside it.
import { SQL } from "bun";
import { Database, SQLiteError } from "bun:sqlite";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { LockHolder, ProjectLock } from "../catalog/store.ts";
import { migrate } from "./schema.ts";
import { openSqliteReader } from "./sqlite-reader.ts";
import type { TakeLock } from "./version-queries.ts";

/** How long a write waits for another process's, in milliseconds. Transactions here are short. */
const BUSY_TIMEOUT_MS = 10_000;
const LOCK_RETRY_MS = 100;
const PRAGMAS = [`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`, "pragma synchronous = full", "pragma cache_size = -16000"];
/** Twice the cache: the indexes of a million lessons fit, and a random lesson costs one read of the file. */
const READ_PRAGMAS = ["pragma query_only = on", "pragma cache_size = -32000"];

export interface SqliteConnections {
  /** Two handles: on one, a read would see the rows of a transaction that is still open. */
  read: SQL;
  write: SQL;
  takeLock: TakeLock;
}

/** There is no database, and none was to be made. */
export class DatabaseMissing extends Error {}

/** Opens, or creates, the database file at `path` and brings its schema up to date. Throws DatabaseMissing. */
export async function openSqlite(path: string, create: boolean): Promise<SqliteConnections> {
  if (!create && !existsSync(path)) {
    throw new DatabaseMissing(`There is no database at ${path}; \`lectern import\` and \`lectern serve\` make one.`);
  }
  createPrivateFile(path);
  const write = await openHandle(path, [
    // Only read when the file is new. Lessons are a few KB: pages of 8 KB keep most of them out of overflow chains.
    "pragma page_size = 8192",
    "pragma journal_mode = wal",
  ]);
  await migrate(write, { withoutRowid: " without rowid" });
  const read = openSqliteReader(path, [...PRAGMAS, ...READ_PRAGMAS]);
  return { read, write, takeLock: (project, ...rest) => takeFileLock(`${path}.${project}.lock`, ...rest) };
}

async function openHandle(path: string, pragmas: string[]): Promise<SQL> {
  const sql = new SQL({ adapter: "sqlite", filename: path, create: false });
  for (const pragma of [...PRAGMAS, ...pragmas]) await sql.unsafe(pragma);
  return sql;
}

// SQLite gives its log the permissions of the database file.
function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}

// The lock is an open transaction on a little SQLite file of its own: the system ends it with the process, in whatever
// way that dies; it works wherever the database itself does; holding it keeps nobody from the database.
async function takeFileLock(
  path: string,
  holder: LockHolder,
  onWait: (holder: LockHolder | undefined) => void,
): Promise<ProjectLock> {
  createPrivateFile(path);
  const lock = new Database(path);
  const mine = JSON.stringify(holder);
  let hasWaited = false;
  for (;;) {
    try {
      lock.run("create table if not exists holder (id integer primary key, json text not null)");
      lock.run("begin immediate");
      // Others can read who holds it only after a commit, which gives the lock away for a moment: so look again.
      if (readHolder(lock) === mine) return { release: async () => lock.close() };
      lock.run("insert or replace into holder (id, json) values (1, ?)", [mine]);
      lock.run("commit");
    } catch (error) {
      if (lock.inTransaction) lock.run("rollback");
      if (!(error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY"))) {
        lock.close();
        throw error;
      }
      if (!hasWaited) onWait(parseHolder(readHolder(lock)));
      hasWaited = true;
      await Bun.sleep(LOCK_RETRY_MS);
    }
  }
}

function readHolder(lock: Database): string | undefined {
  try {
    return lock.query<{ json: string }, []>("select json from holder").get()?.json;
  } catch {
    return undefined;
  }
}

function parseHolder(json: string | undefined): LockHolder | undefined {
  return json === undefined ? undefined : (JSON.parse(json) as LockHolder);
}

/** True for errors that say that the database file cannot be used just now, not that a query is wrong. */
export function isSqliteUnavailable(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return (
    typeof code === "string" && /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY|NOMEM|CORRUPT|NOTADB)/.test(code)
  );
}
