// Checks the file of a SQLite database: whether it is Lectern's, whether it opens, and whether it was replaced.
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { databaseDamaged, DatabaseMissing, DatabaseUnusable, type Dialect } from "../engine.ts";
import { sql } from "../queries/query.ts";
import { findSchema } from "../schema.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { toBusy, toDiskFull } from "./sqlite-writer.ts";

export const APPLICATION_ID = 0x4c656374;
/** The offsets of `user_version` and of the application id in the file's header (SQLite, file format, §1.3). */
const MARK_OFFSET = 60;
const APPLICATION_ID_OFFSET = 68;
/** Readers wait only while another process recovers the log of a killed process. */
const INSPECT_TIMEOUT_MS = 500;

export const SQLITE_DIALECT: Dialect = {
  text: "text",
  bytes: "blob",
  keepAsIs: () => [],
  withoutRowid: " without rowid",
  // The mark: a random number in the file header, readable without SQLite.
  ownStatements: () => [`pragma user_version = ${1 + Math.floor(Math.random() * 0x7ffffffe)}`],
  // A file has one writer at a time.
  excludeWriters: [],
  schemaTables: sql`select name from sqlite_schema where type = 'table' and name in ('lectern_schema', 'schema_version')`,
  foreignParts: () => sql`
    select type || ' ' || name as name from sqlite_schema where type in ('trigger', 'view') order by 1`,
};

/** Linux's limit on the symbolic links in a path. */
const MAX_LINKS = 40;

/**
 * Returns the path of the file that a symbolic link leads to, even if the file is missing; for other paths, the path
 * itself. SQLite keeps the log beside that file, where also locks and restored files belong.
 */
export function followLinks(path: string): string {
  let file = path;
  try {
    for (let links = 0; links < MAX_LINKS; links++) {
      file = resolve(realpathSync(dirname(file)), readlinkSync(file));
    }
  } catch {
    // The path is no link.
  }
  return file;
}

/** Opens a file read-only. Throws ExpectedError. */
export async function openSqliteToLook(path: string): Promise<SqliteConnection> {
  if (!existsSync(path)) throw new DatabaseMissing(`There is no database at ${path}`);
  await requireOurs(path);
  let read: SqliteConnection | undefined;
  try {
    read = new SqliteConnection(path, [`pragma busy_timeout = ${INSPECT_TIMEOUT_MS}`, "pragma query_only = on"]);
    if (await findSchema(read, SQLITE_DIALECT, { place: path })) return read;
  } catch (error) {
    read?.close();
    throw toOpenError(error, path);
  }
  read.close();
  throw new DatabaseMissing(`The database at ${path} has no catalog`);
}

/** Checks the application id, without changing a file that might have been named by mistake. Throws ExpectedError. */
export async function requireOurs(path: string): Promise<void> {
  requireFile(path);
  const header = readHeader(path);
  if (header === undefined || header.readInt32BE(APPLICATION_ID_OFFSET) === APPLICATION_ID) return;
  let inspected: SqliteConnection | undefined;
  try {
    inspected = SqliteConnection.openImmutable(path);
    await findSchema(inspected, SQLITE_DIALECT, { place: path });
    if ((await inspected.run(sql`select name from sqlite_schema limit 1`)).length === 0) return;
  } catch (error) {
    throw toOpenError(error, path);
  } finally {
    inspected?.close();
  }
  throw new ExpectedError(`${path} is the database of another program. Use a separate file for the catalog.`);
}

/**
 * Throws ExpectedError if there is no database, but the log of one. A server that has it open would share the log's
 * index with a new one.
 */
export function requireNoLog(path: string): void {
  const log = [`${path}-wal`, `${path}-shm`].find((each) => existsSync(each));
  // Checked last: another command can be creating the database, whose file comes first.
  if (log === undefined || existsSync(path)) return;
  throw new ExpectedError(
    `The database ${path} was removed, but not ${log}. A server may still have it open, so save that copy first ` +
      "(docs/operating.md). Then stop the server, and run `lectern restore BACKUP`; to begin anew, remove " +
      `${path}-wal and ${path}-shm.`,
  );
}

/** Throws ExpectedError if something other than a file is at the path: opening a named pipe would wait for a writer. */
export function requireFile(path: string): void {
  if (existsSync(path) && !statSync(path).isFile()) throw new ExpectedError(`${path} is not a file.`);
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
 * Returns a function that checks that `given`, which can be a link to the path, still names the open file. A file moved
 * away stays intact for its reader. But the pages of an overwritten file mix with those in its log and in SQLite's
 * memory, and the mark in the file differs from the mark that SQLite reads; without `mark`, this is not checked.
 */
export function rememberFile(path: string, given: string) {
  // The log and its index stay the same files while any process has the database open.
  const identify = (): string[] =>
    [given, `${path}-wal`, `${path}-shm`].map((each) => {
      const stat = statSync(each, { bigint: true, throwIfNoEntry: false });
      return stat === undefined ? "" : `${stat.dev} ${stat.ino}`;
    });
  const opened = identify();
  // Stays open as long as the store: closing it releases SQLite's locks on the file (POSIX).
  let file: number | undefined;
  let last: string | undefined;
  let misses = 0;
  const readMark = (): string => {
    file ??= openSync(path, "r");
    const bytes = Buffer.alloc(4);
    readSync(file, bytes, 0, 4, MARK_OFFSET);
    return String(bytes.readInt32BE());
  };
  const requireSame = (mark?: string): void => {
    if (!existsSync(path)) {
      throw new ExpectedError(
        `${path} was removed. This server still has the whole file open: save that copy before you restart or stop the ` +
          "server (docs/operating.md), or run `lectern restore BACKUP`",
      );
    }
    const now = identify();
    const changed = now.filter((each, index) => each !== opened[index]);
    if (changed.length > 0) {
      // Another process mixes a new file with a log that stayed, or the reverse: what this server reads can be wrong.
      const Fault = changed.length < now.length ? DatabaseUnusable : ExpectedError;
      throw new Fault(
        `${path} is no longer the file that this server has open: it was replaced, or its log was removed. If no other ` +
          "copy has what this server shows, save that copy before you restart or stop the server (docs/operating.md). " +
          "Then restart it.",
      );
    }
    if (mark === undefined) return;
    const found = readMark();
    // SQLite writes a changed mark to its log before the file. One miss can be a change between the two reads; after a
    // second miss, the file counts as damaged, even if SQLite now reads the new mark.
    if (misses < 2 && (last === undefined || found === last || found === mark)) {
      last = found;
      misses = 0;
      return;
    }
    misses++;
    throw new DatabaseUnusable(
      `${path} was overwritten while in use, and is damaged. Stop every server and command that uses ` +
        `it, remove ${path}-wal and ${path}-shm, restore the file, and start again.`,
    );
  };
  const forget = (): void => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  return { requireSame, forget };
}

/** Returns the size of a database and its log, in bytes. */
export function measureFile(path: string): number {
  return statSync(path).size + (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
}

/**
 * Creates a file, and its folder, that only the owner can read, unless it exists: closing it would release the locks
 * that SQLite has on it in this process (POSIX). SQLite gives the log the file's permissions.
 */
export function createPrivateFile(path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}

/** Gives `file` the owner of `model`: root often runs commands while another user runs the server. */
export function takeOwner(file: string, model: string): void {
  const { uid, gid } = statSync(model);
  const own = statSync(file);
  if (own.uid !== uid || own.gid !== gid) chownSync(file, uid, gid);
}

export function toOpenError(error: unknown, path: string): unknown {
  const { code } = error as { code?: unknown };
  if (isSqliteCorrupt(error)) return databaseDamaged(path, error);
  if (code === "SQLITE_NOTADB") return new ExpectedError(`${path} is not a database file.`);
  // These codes mean a folder, a file without permissions, or a parent folder that cannot be created.
  if (
    typeof code === "string" &&
    /^(SQLITE_(CANTOPEN|READONLY)|E(ISDIR|NOTDIR|EXIST|NOENT|ACCES|PERM|ROFS)$)/.test(code)
  ) {
    return new ExpectedError(
      `The database ${path} cannot be opened: ${describeRefusal(path) ?? (error as Error).message}.`,
    );
  }
  return toBusy(toDiskFull(error, path), path);
}

/** Describes a file of the database that this user cannot write, as SQLite must even to read. Undefined without one. */
function describeRefusal(path: string): string | undefined {
  const refused = [dirname(path), path, `${path}-wal`, `${path}-shm`].find(
    (each) => existsSync(each) && !mayAccess(each, constants.R_OK | constants.W_OK),
  );
  if (refused === undefined) return undefined;
  const uid = process.getuid?.() ?? 0;
  const user = nameUser(uid);
  const owner = statSync(refused).uid;
  const remedy = owner === uid ? `chmod u+rwX ${refused}` : `chown ${user} ${refused}`;
  return (
    `user ${user} cannot write ${refused}, which belongs to user ${nameUser(owner)}; SQLite must write even to read. ` +
    `Run \`${remedy}\``
  );
}

/**
 * Returns a user's name from /etc/passwd, or else the id, which chown also accepts. Bun's `userInfo` reads USER, which
 * can name another user.
 */
function nameUser(uid: number): string {
  try {
    const entries = readFileSync("/etc/passwd", "utf8").split("\n");
    const entry = entries.map((line) => line.split(":")).find((fields) => fields[2] === String(uid));
    return entry?.[0] ?? String(uid);
  } catch {
    return String(uid);
  }
}

export function mayAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

export function isSqliteCorrupt(error: unknown): boolean {
  return String((error as { code?: unknown } | undefined)?.code).startsWith("SQLITE_CORRUPT");
}

/** Returns true if the error shows a damaged file or disk. */
export function isSqliteDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(String((error as { code?: unknown } | undefined)?.code));
}

/** Returns true if the file is currently unusable, and false for an invalid query. */
export function isSqliteUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnusable) return true;
  const code = (error as { code?: unknown } | undefined)?.code;
  return (
    typeof code === "string" && /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY|NOMEM|CORRUPT|NOTADB)/.test(code)
  );
}
