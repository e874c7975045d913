// Backs up a SQLite database to one file, atomically.
import { Database } from "bun:sqlite";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { databaseDamaged } from "../engine.ts";
import { nameUnfinished } from "../../catalog/file-owner.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { isSqliteCorrupt, openSqliteToLook, SQLITE_DIALECT } from "./sqlite-file.ts";
import { CHECKPOINT_TIMEOUT_MS, toDiskFull } from "./sqlite-writer.ts";

/** Copies the database to a new private file with a new identity, atomically. Blocks the process meanwhile. */
export async function backUp(path: string, file: string): Promise<void> {
  requireNoFile(file);
  if (!existsSync(dirname(file))) throw new ExpectedError(`There is no folder ${dirname(file)}.`);
  const source = await openSqliteToLook(path);
  const unfinished = nameUnfinished(file);
  try {
    closeSync(openSync(unfinished, "wx", 0o600));
    source.execute("pragma query_only = off");
    source.execute(`vacuum into '${unfinished.replaceAll("'", "''")}'`);
    emptyLog(source);
    finishCopy(unfinished);
    sync(unfinished);
    giveName(unfinished, file);
    sync(dirname(file));
  } catch (error) {
    for (const each of [unfinished, `${unfinished}-journal`]) rmSync(each, { force: true });
    throw isSqliteCorrupt(error) ? databaseDamaged(path, error) : toDiskFull(error, file);
  } finally {
    source.close();
  }
}

/** Moves the log into the file: it can grow to gigabytes during a backup, and the next commit of a server would wait. */
function emptyLog(source: SqliteConnection): void {
  try {
    source.execute(`pragma busy_timeout = ${CHECKPOINT_TIMEOUT_MS}`);
    source.execute("pragma wal_checkpoint(truncate)");
  } catch {
    // A checkpoint can fail on a full disk or without the right to write; the backup does not need it.
  }
}

export function finishCopy(path: string): void {
  const copy = new Database(path, { readwrite: true, create: false });
  try {
    copy.run("pragma journal_mode = memory");
    copy.run("update store_identity set identity = ?", [crypto.randomUUID()]);
    for (const statement of SQLITE_DIALECT.ownStatements()) copy.run(statement);
    const fault = copy.query<{ quick_check: string }, []>("pragma quick_check(1)").get()?.quick_check;
    if (fault !== "ok") throw Object.assign(new Error(fault ?? ""), { code: "SQLITE_CORRUPT" });
  } finally {
    copy.close();
  }
}

// Names the file with a link, because a link, unlike a rename, never replaces a file that has appeared meanwhile.
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
  if (existsSync(file))
    throw new ExpectedError(
      `The file ${file} already exists, and a backup never replaces a file: choose another name.`,
    );
}

export function sync(path: string): void {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}
