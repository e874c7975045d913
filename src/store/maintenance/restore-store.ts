// A backup that takes the place of a SQLite database. The old file is kept, and nothing is in its place that is not complete.
import { Database } from "bun:sqlite";
import {
  chownSync,
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
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { finishCopy, sync } from "../sqlite/backup-store.ts";
import { findSchema } from "../schema.ts";
import { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import { requireOurs, SQLITE_DIALECT, toOpenError } from "../sqlite/sqlite-file.ts";
import { toDiskFull } from "../sqlite/sqlite-writer.ts";

const SIDE_FILES = ["-wal", "-shm"];

/** Matches the names of restores that were cut off; the first group is the id of the process that wrote. */
export const UNFINISHED_RESTORE = /.\.restoring-([1-9]\d*)(?:-journal)?$/;

/**
 * Puts a checked copy of `file` in the place of the database, under an identity of its own. Gives where the old one is kept.
 * Throws ExpectedError, and changes nothing, when the backup is damaged or another process has the database open.
 */
export async function restore(file: string, path: string, now: Date): Promise<{ kept: string | undefined }> {
  if (!existsSync(file)) throw new ExpectedError(`There is no file ${file}.`);
  if (existsSync(path) && realpathSync(file) === realpathSync(path)) {
    throw new ExpectedError(`${file} is the database itself: name a backup of it.`);
  }
  if (existsSync(`${file}-wal`)) {
    throw new ExpectedError(
      `Beside ${file} lies its log, ${file}-wal: it is a database in use, no backup. Make one with \`lectern backup\`.`,
    );
  }
  await requireBackup(file);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.restoring-${process.pid}`;
  try {
    closeSync(openSync(unfinished, "wx", 0o600));
    copyFileSync(file, unfinished, constants.COPYFILE_FICLONE);
    finishCopy(unfinished);
    if (existsSync(path)) takeOwner(unfinished, path);
    sync(unfinished);
    const kept = existsSync(path) ? replace(path, unfinished, now) : undefined;
    if (kept === undefined) renameSync(unfinished, path);
    sync(dirname(path));
    return { kept };
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw toRestoreError(error, file, path);
  }
}

async function requireBackup(file: string): Promise<void> {
  let look: SqliteConnection | undefined;
  try {
    await requireOurs(file);
    look = SqliteConnection.openImmutable(file);
    if (await findSchema(look, SQLITE_DIALECT, { place: file })) return;
  } catch (error) {
    throw toRestoreError(toOpenError(error, file), file, file);
  } finally {
    look?.close();
  }
  throw new ExpectedError(`${file} has no catalog.`);
}

function toRestoreError(error: unknown, file: string, path: string): unknown {
  const isDamaged = (error as { code?: unknown }).code === "SQLITE_CORRUPT";
  return isDamaged ? new ExpectedError(`${file} is damaged.`) : toDiskFull(error, path);
}

/** A restore is often run by root, and the server by a user of its own. */
function takeOwner(file: string, model: string): void {
  const { uid, gid } = statSync(model);
  const own = statSync(file);
  if (own.uid !== uid || own.gid !== gid) chownSync(file, uid, gid);
}

/** Puts `file` in the place of the database, and gives the name under which the old one is kept. Throws while it is in use. */
function replace(path: string, file: string, now: Date): string {
  const kept = `${path}.before-${now.toISOString().replace(/[:.]/g, "-")}`;
  const lock = lockAlone(path);
  try {
    for (const side of SIDE_FILES) if (existsSync(path + side)) renameSync(path + side, kept + side);
    keepUnder(path, kept);
    renameSync(file, path);
    return kept;
  } finally {
    lock?.close();
  }
}

/** Where the file system has links, there is a database at the path at every moment. */
function keepUnder(path: string, kept: string): void {
  try {
    linkSync(path, kept);
  } catch {
    renameSync(path, kept);
  }
}

/** Empties the log into the file, and locks it. Undefined where it is too damaged for that, and no process has it open. */
function lockAlone(path: string): Database | undefined {
  let database: Database | undefined;
  try {
    database = new Database(path, { readwrite: true, create: false });
    database.run("pragma busy_timeout = 500");
    // SQLite does this for the only connection alone.
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
  new ExpectedError(`A server or a command has ${path} open. Stop it, and restore again; nothing was changed.`);

/** Whether another process has a file open, as far as this user may see: on Linux alone. */
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
