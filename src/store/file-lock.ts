// The lock of a project beside a SQLite database.
import { Database, SQLiteError } from "bun:sqlite";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { LockHolder } from "../catalog/store.ts";
import { isDiskFull, toDiskFull } from "./sqlite-room.ts";

const LOCK_RETRY_MS = 100;

/** The lock file of a project. */
export function nameLock(path: string, project: string): string {
  return `${path}.${project}.lock`;
}

// The lock is an open transaction on a little SQLite file of its own: the system ends it with the process, in whatever
// way that dies; it works wherever the database itself does; holding it keeps nobody from the database.
/** Takes the lock of a project; see PublishingStore.lockProject. */
export async function takeFileLock(
  path: string,
  holder: LockHolder,
  onWait: (holder: LockHolder | undefined) => void,
): Promise<Database> {
  const lock = openLock(path);
  const mine = JSON.stringify(holder);
  let hasWaited = false;
  // On a full disk, which whoever holds the lock can mend, it is taken without a word about who that is.
  let isUnnamed = false;
  for (;;) {
    try {
      if (isUnnamed) {
        // Not on the disk; nothing is ever committed.
        lock.run("pragma journal_mode = memory");
        lock.run("begin immediate");
        return lock;
      }
      lock.run("create table if not exists holder (id integer primary key, json text not null)");
      lock.run("begin immediate");
      // Others can read who holds it only after a commit, which gives the lock away for a moment: so look again.
      if (readHolder(lock) === mine) return lock;
      lock.run("insert or replace into holder (id, json) values (1, ?)", [mine]);
      lock.run("commit");
    } catch (error) {
      if (lock.inTransaction) lock.run("rollback");
      if (isDiskFull(error) && !isUnnamed) {
        isUnnamed = true;
        continue;
      }
      if (!(error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY"))) {
        lock.close();
        throw toDiskFull(error, path);
      }
      if (!hasWaited) tellWait(lock, onWait);
      hasWaited = true;
      await Bun.sleep(LOCK_RETRY_MS);
    }
  }
}

function openLock(path: string): Database {
  try {
    createPrivateFile(path);
    return new Database(path);
  } catch (error) {
    throw toDiskFull(error, path);
  }
}

function tellWait(lock: Database, onWait: (holder: LockHolder | undefined) => void): void {
  try {
    onWait(parseHolder(readHolder(lock)));
  } catch (error) {
    lock.close();
    throw error;
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

/** Who holds a lock, or has held it last, without taking it. Undefined where nobody has, and while it changes hands. */
export function findHolder(path: string): LockHolder | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const lock = new Database(path, { readonly: true });
    try {
      return parseHolder(readHolder(lock));
    } finally {
      lock.close();
    }
  } catch {
    return undefined;
  }
}

/** Makes a file that only its owner can read, and its folder. SQLite gives its log the permissions of the database file. */
export function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}
