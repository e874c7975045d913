// Replaces a SQLite database with a backup. Keeps the old file; an incomplete file never takes its place.
import { Database } from "bun:sqlite";
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname } from "node:path";
import { toPrintable } from "../../catalog/printable.ts";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { finishCopy, sync } from "../sqlite/backup-store.ts";
import { OWNER } from "../../catalog/file-owner.ts";
import { findSchema } from "../schema.ts";
import { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import {
  followLinks,
  isSqliteCorrupt,
  requireFile,
  requireOurs,
  SQLITE_DIALECT,
  takeOwner,
  toOpenError,
} from "../sqlite/sqlite-file.ts";
import { toDiskFull } from "../sqlite/sqlite-writer.ts";

const SIDE_FILES = ["-wal", "-shm", "-journal"];

/** Matches the names of unfinished restores; the groups are the writing process's ID and place. */
export const UNFINISHED_RESTORE = /.\.restoring-([1-9]\d*-\d*)\.(\w+)(?:-journal)?$/;

/**
 * Replaces the database with a checked copy of `file` that has a new identity. Returns the path of the old file. Throws
 * ExpectedError, and changes nothing, if the backup is damaged or another process has the database open.
 */
export async function restore(file: string, path: string, now: Date): Promise<{ kept: string | undefined }> {
  if (!existsSync(file)) throw new ExpectedError(`There is no file ${file}.`);
  requireFile(path);
  if (existsSync(path) && realpathSync(file) === realpathSync(path)) {
    throw new ExpectedError(`${file} is the database itself: pass a backup of it.`);
  }
  if (existsSync(`${followLinks(file)}-wal`)) {
    throw new ExpectedError(
      `${file} has a log, ${file}-wal: it is a database in use, not a backup. Create a backup with \`lectern backup\`.`,
    );
  }
  await requireBackup(file);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.restoring-${OWNER}`;
  try {
    closeSync(openSync(unfinished, "wx", 0o600));
    copyFileSync(file, unfinished, constants.COPYFILE_FICLONE);
    // Copying also copies the mode, and the database contains secrets.
    chmodSync(unfinished, 0o600);
    finishCopy(unfinished);
    if (existsSync(path)) takeOwner(unfinished, path);
    else if (process.getuid?.() === 0) takeOwner(unfinished, dirname(path));
    sync(unfinished);
    const kept = replace(path, unfinished, now);
    sync(dirname(path));
    return { kept };
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw toRestoreError(error, file, path);
  }
}

async function requireBackup(file: string): Promise<void> {
  let inspected: SqliteConnection | undefined;
  try {
    await requireOurs(file);
    inspected = SqliteConnection.openImmutable(file);
    if (await findSchema(inspected, SQLITE_DIALECT, { place: file })) return await requireOwnParts(inspected, file);
  } catch (error) {
    throw toRestoreError(toOpenError(error, file), file, file);
  } finally {
    inspected?.close();
  }
  throw new ExpectedError(`${file} is not a catalog database.`);
}

/** Throws ExpectedError if the backup has triggers or views: they could change what Lectern stores or reads. */
async function requireOwnParts(backup: SqliteConnection, file: string): Promise<void> {
  const foreign = (await backup.run(SQLITE_DIALECT.foreignParts([]))).map(({ name }) => name);
  if (foreign.length === 0) return;
  throw new ExpectedError(
    `${file} has parts that Lectern did not create, and that can change content: ${toPrintable(foreign.join(", "))}. ` +
      "Nothing was changed. Use another backup, or drop them in a copy of this one.",
  );
}

function toRestoreError(error: unknown, file: string, path: string): unknown {
  const { cause = error } = error as { cause?: unknown };
  if (!isSqliteCorrupt(cause)) return toDiskFull(error, path);
  return new ExpectedError(`The backup ${file} is damaged: name another, or import into a new database.`, { cause });
}

/**
 * Puts `file` in the database's place. Returns the old file's new path; undefined if there was none. Throws if the
 * database is in use.
 */
function replace(path: string, file: string, now: Date): string | undefined {
  const kept = `${path}.before-${now.toISOString().replace(/[:.]/g, "-")}`;
  const isThere = existsSync(path);
  const lock = isThere ? lockAlone(path) : undefined;
  try {
    // SQLite would apply the log of a database that was removed to any new file of this name.
    for (const side of SIDE_FILES) if (existsSync(path + side)) renameSync(path + side, kept + side);
    if (isThere) keepUnder(path, kept);
    try {
      renameSync(file, path);
    } catch (error) {
      if (isThere && !existsSync(path)) renameSync(kept, path);
      throw error;
    }
    return isThere ? kept : undefined;
  } finally {
    lock?.close();
  }
}

/** Keeps the old file under another name. Where hard links work, a database exists at `path` at all times. */
function keepUnder(path: string, kept: string): void {
  try {
    linkSync(path, kept);
  } catch {
    renameSync(path, kept);
  }
}

/** Flushes the log into the file and locks the file. Returns undefined if the file is damaged and not in use. */
function lockAlone(path: string): Database | undefined {
  let database: Database | undefined;
  try {
    database = new Database(path, { readwrite: true, create: false });
    database.run("pragma busy_timeout = 500");
    // SQLite allows this change only while no other connection is open.
    const mode = database.query<{ journal_mode: string }, []>("pragma journal_mode = delete").get()?.journal_mode;
    if (mode !== "delete") throw inUse(path);
    database.run("begin exclusive");
    return database;
  } catch (error) {
    database?.close();
    const { code = "" } = error as { code?: string };
    if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) throw inUse(path);
    if (!code.startsWith("SQLITE_CORRUPT") && !code.startsWith("SQLITE_NOTADB")) throw error;
    if (isOpenSomewhere(path)) throw inUse(path);
    return undefined;
  }
}

const inUse = (path: string): ExpectedError =>
  new ExpectedError(`A server or a command has ${path} open. Stop it and try again. Nothing was changed.`);

/** Returns true if another process that this user can see has the file open. Works only on Linux. */
function isOpenSomewhere(path: string): boolean {
  const real = realpathSync(path);
  const list = (folder: string): string[] => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  };
  return list("/proc").some((pid) => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false;
    return list(`/proc/${pid}/fd`).some((descriptor) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${descriptor}`) === real;
      } catch {
        return false;
      }
    });
  });
}
