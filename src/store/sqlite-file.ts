// The file of a SQLite database: whose it is, whether it can be opened, and whether it is still the one that was opened.
import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ExpectedError } from "../catalog/expected-error.ts";
import type { Dialect } from "./engine.ts";
import { DatabaseMissing, DatabaseUnusable } from "./errors.ts";
import { sql } from "./query.ts";
import { findSchema } from "./schema.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { toBusy, toDiskFull } from "./sqlite-writer.ts";

export const APPLICATION_ID = 0x4c656374;
/** Where the header holds `user_version`, and the application id (SQLite, file format, §1.3). */
const MARK_OFFSET = 60;
const APPLICATION_ID_OFFSET = 68;
/** Readers wait only for a process that recovers the log of one that was killed. */
const LOOK_TIMEOUT_MS = 500;

export const SQLITE_DIALECT: Dialect = {
  text: "text",
  bytes: "blob",
  keepAsIs: () => [],
  withoutRowid: " without rowid",
  // A number in the header of the file, which can be read without SQLite.
  ownStatements: () => [`pragma user_version = ${1 + Math.floor(Math.random() * 0x7ffffffe)}`],
  schemaTables: sql`select name from sqlite_schema where type = 'table' and name in ('lectern_schema', 'schema_version')`,
};

/** Opens a file only to read. Throws ExpectedError. */
export async function openSqliteToLook(path: string): Promise<SqliteConnection> {
  if (!existsSync(path)) throw new DatabaseMissing(`There is no database at ${path}`);
  await requireOurs(path);
  let read: SqliteConnection | undefined;
  try {
    read = new SqliteConnection(path, [`pragma busy_timeout = ${LOOK_TIMEOUT_MS}`, "pragma query_only = on"]);
    if (await findSchema(read, SQLITE_DIALECT, path)) return read;
  } catch (error) {
    read?.close();
    throw toOpenError(error, path);
  }
  read.close();
  throw new DatabaseMissing(`The database at ${path} has no catalog`);
}

/** Changes nothing in a file that may have been named by mistake. Throws ExpectedError. */
export async function requireOurs(path: string): Promise<void> {
  const header = readHeader(path);
  if (header === undefined || header.readInt32BE(APPLICATION_ID_OFFSET) === APPLICATION_ID) return;
  let look: SqliteConnection | undefined;
  try {
    look = SqliteConnection.openImmutable(path);
    await findSchema(look, SQLITE_DIALECT, path);
    if ((await look.run(sql`select name from sqlite_schema limit 1`)).length === 0) return;
  } catch (error) {
    throw toOpenError(error, path);
  } finally {
    look?.close();
  }
  throw new ExpectedError(`${path} is a database of something else. Name a file of its own for the catalog.`);
}

function readHeader(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const header = Buffer.alloc(100);
    return readSync(file, header, 0, header.byteLength, 0) === header.byteLength ? header : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Checks that the file at a path is still the one that is open. An open file stays what it was when its name leads to nothing, or
 * to a backup that was moved there. One that something else overwrites becomes a mixture of its own pages, those of its log, and
 * those in SQLite's memory; its mark tells, because the file has another one than SQLite reads.
 */
export function rememberFile(path: string): (mark: string) => void {
  // The log stays the same file as long as somebody has the database open.
  const identify = (): string =>
    [path, `${path}-wal`]
      .map((each) => {
        const stat = statSync(each, { bigint: true, throwIfNoEntry: false });
        return stat === undefined ? "" : `${stat.dev} ${stat.ino}`;
      })
      .join();
  const opened = identify();
  // Never closed: closing it would release SQLite's own locks on the file (POSIX).
  let file: number | undefined;
  let last: string | undefined;
  let misses = 0;
  const readMark = (): string => {
    file ??= openSync(path, "r");
    const bytes = Buffer.alloc(4);
    readSync(file, bytes, 0, 4, MARK_OFFSET);
    return String(bytes.readInt32BE());
  };
  return (mark) => {
    if (identify() !== opened) {
      throw new Error(
        `${path} is not the file that was opened: it, or its log, was removed or replaced. Restart the server.`,
      );
    }
    const found = readMark();
    // A mark that SQLite changes is in its log first, and in the file later. One miss may be a change between the two reads;
    // after a second, SQLite may read the new mark too, and the file is damaged all the same.
    if (misses < 2 && (last === undefined || found === last || found === mark)) {
      last = found;
      misses = 0;
      return;
    }
    misses++;
    throw new DatabaseUnusable(
      `${path} was written over while it was in use, and is damaged by that. Stop every server and command that uses ` +
        `it, remove ${path}-wal and ${path}-shm, put the copy there again, start.`,
    );
  };
}

/** The bytes of a database and of its log. */
export function measureFile(path: string): number {
  return statSync(path).size + (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
}

/** Makes a file that only its owner can read, and its folder. SQLite gives its log the permissions of the database file. */
export function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}

export function toOpenError(error: unknown, path: string): unknown {
  const { code } = error as { code?: unknown };
  if (code === "SQLITE_NOTADB") return new ExpectedError(`${path} is no database, but a file of another kind.`);
  // A folder, what this user may not open or write, or a folder around it that cannot be made.
  if (
    typeof code === "string" &&
    /^(SQLITE_(CANTOPEN|READONLY)|E(ISDIR|NOTDIR|EXIST|NOENT|ACCES|PERM|ROFS)$)/.test(code)
  ) {
    const reason = code.startsWith("SQLITE_READONLY")
      ? "this user may not write it, or not its folder, as SQLite must even to read"
      : (error as Error).message;
    return new ExpectedError(`The database ${path} cannot be opened: ${reason}.`);
  }
  return toBusy(toDiskFull(error, path), path);
}

/** True for errors that say that the database file cannot be used just now, not that a query is wrong. */
export function isSqliteUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnusable) return true;
  const code = (error as { code?: unknown } | undefined)?.code;
  return (
    typeof code === "string" && /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY|NOMEM|CORRUPT|NOTADB)/.test(code)
  );
}
