// SQLite: the embedded engine. One file, readable by its owner only; its log and the lock files lie beside it.
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DiskReserves } from "./disk-reserve.ts";
import type { Connection, Dialect, Engine, FindByIdOrSlug, Transact } from "./engine.ts";
import { DatabaseBusy, DatabaseDamaged, DatabaseMissing, DatabaseUnreachable, NotOurDatabase } from "./errors.ts";
import { createPrivateFile, nameLock, takeFileLock } from "./file-lock.ts";
import { sql } from "./query.ts";
import { createSchema, findSchema } from "./schema.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import {
  BUSY_TIMEOUT_MS,
  limitGrowth,
  limitLog,
  shrinkLog,
  toBusy,
  toDiskFull,
  transactDespiteLog,
  vacuum,
} from "./sqlite-room.ts";

/** The same for what can wait: nothing else happens in a process meanwhile, since SQLite waits where it is called. */
const SOON_MS = 50;
/** Readers wait for nobody but one that mends the log of a process that was killed. */
const LOOK_TIMEOUT_MS = 500;
const PRAGMAS = [`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`, "pragma synchronous = full", "pragma cache_size = -16000"];
/** `Lect` in ASCII, in the header of the file. */
const APPLICATION_ID = 0x4c656374;
/** The page size is only read when the file is new. Lessons are a few KB: pages of 8 KB keep most out of overflow chains. */
const NEW_FILE_PRAGMAS = ["pragma page_size = 8192", `pragma application_id = ${APPLICATION_ID}`];
/** Twice the cache: most of the indexes of a million lessons fit, and a random lesson costs 1.4 reads of the file. */
const READ_PRAGMAS = ["pragma query_only = on", "pragma cache_size = -32000"];
const PIECE_PRAGMAS = ["pragma cache_size = -2000"];
const DIALECT: Dialect = {
  text: "text",
  bytes: "blob",
  keepAsIs: () => [],
  withoutRowid: " without rowid",
  // A number in the header of the file, where it can be seen without SQLite.
  ownStatements: () => [`pragma user_version = ${1 + Math.floor(Math.random() * 0x7ffffffe)}`],
  schemaTables: sql`select name from sqlite_schema where type = 'table' and name in ('lectern_schema', 'schema_version')`,
};
/** Where in the file that number stands, and the application's (SQLite, file format, §1.3). */
const MARK_OFFSET = 60;
const APPLICATION_ID_OFFSET = 68;

/**
 * Opens, or creates, the database file at `path` and brings its schema up to date. Throws DatabaseMissing, NotOurDatabase,
 * DatabaseUnreachable.
 */
export async function openSqlite(path: string, create: boolean): Promise<Engine> {
  const write = await openCurrent(path, create);
  // A handle of its own: on one, a read would see the rows of a transaction that is still open.
  const read = new SqliteConnection(path, [...PRAGMAS, ...READ_PRAGMAS]);
  const shrink = (): void => shrinkLog(write);
  const keepLogSmall = limitLog(path, shrink);
  const emptyLog = async (): Promise<void> => write.takeTurn(async () => shrink());
  const reserves = new DiskReserves(dirname(path), emptyLog);
  const [page] = await write.run(sql<{ bytes: number }>`select page_size as bytes from pragma_page_size`);
  const file = { path, pageBytes: page?.bytes ?? 0 };
  let isLimited = false;
  const changeOn = async <T>(handle: SqliteConnection, use: (transaction: Connection) => Promise<T>): Promise<T> => {
    // Content of assets may come before anything is held.
    const limit = reserves.heldBytes ?? (handle === write ? undefined : 0);
    const prepare = (): void => {
      if (limit !== undefined || isLimited) limitGrowth(handle, file, limit);
      if (handle === write) isLimited = limit !== undefined;
    };
    return transactDespiteLog(handle, path, { shrink, prepare }, use);
  };
  const transact: Transact = async (use) => write.takeTurn(async () => changeOn(write, use).finally(keepLogSmall));
  const readPieces = new SqliteConnection(path, [...PRAGMAS, ...PIECE_PRAGMAS, "pragma query_only = on"]);
  let writePieces: SqliteConnection | undefined;
  return {
    dialect: DIALECT,
    read,
    readChanges: read,
    readPieces,
    transact,
    transactPieces: async (use) =>
      write.takeTurn(async () => {
        writePieces ??= new SqliteConnection(path, [...PRAGMAS, ...PIECE_PRAGMAS]);
        return changeOn(writePieces, use).finally(keepLogSmall);
      }),
    transactSoon: async (use) =>
      write.takeTurn(async () => {
        write.execute(`pragma busy_timeout = ${SOON_MS}`);
        try {
          return await changeOn(write, use);
        } finally {
          write.execute(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
        }
      }),
    snapshot: async (use) => write.takeTurn(async () => write.transact("deferred", use)),
    reserveRoom: async () => reserves.take(),
    emptyLog,
    takeLock: async (project, ...rest) => {
      const lock = await takeFileLock(nameLock(path, project), ...rest);
      return { transact, free: async () => lock.close() };
    },
    vacuum: async () => write.takeTurn(async () => vacuum(write, path, shrink)),
    findByIdOrSlug: findInTwoSteps,
    // A transaction that writes is the only one.
    skipLocked: sql``,
    waitsForDisk: true,
    timestamp: (inMs) => sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`${inMs / 1000} seconds`})`,
    async readWithLineage(find) {
      const [row] = await find(sql`cast((select user_version from pragma_user_version) as text)`);
      return row;
    },
    requireSame: rememberFile(path),
    isUnavailable: isSqliteUnavailable,
    // Only a process's own changes would be known without looking.
    reconnect() {},
    async close() {
      read.close();
      readPieces.close();
      writePieces?.close();
      write.close();
    },
  };
}

/** The handle that writes, on a file with this program's schema. */
async function openCurrent(path: string, create: boolean): Promise<SqliteConnection> {
  if (!existsSync(path) && !create) throw new DatabaseMissing(`There is no database at ${path}`);
  await requireOurs(path);
  const write = openHandle(path, create);
  try {
    const isMade = await findSchema(write, DIALECT, path);
    if (!isMade && !create) throw new DatabaseMissing(`The database at ${path} has no catalog`);
    if (!isMade) for (const pragma of NEW_FILE_PRAGMAS) write.execute(pragma);
    write.execute("pragma journal_mode = wal");
    const log = { shrink: () => shrinkLog(write), prepare: () => {} };
    const transact: Transact = async (use) => transactDespiteLog(write, path, log, use);
    if (!isMade) await createSchema(transact, DIALECT, path);
    return write;
  } catch (error) {
    write.close();
    throw toOpenError(error, path);
  }
}

/**
 * Looks at a file without changing anything in it or beside it: it may be one that was named by mistake. Throws NotOurDatabase,
 * UnreleasedSchema.
 */
async function requireOurs(path: string): Promise<void> {
  const header = readHeader(path);
  if (header === undefined || header.readInt32BE(APPLICATION_ID_OFFSET) === APPLICATION_ID) return;
  let look: SqliteConnection | undefined;
  try {
    look = SqliteConnection.openImmutable(path);
    await findSchema(look, DIALECT, path);
    if ((await look.run(sql`select name from sqlite_schema limit 1`)).length === 0) return;
  } catch (error) {
    throw toOpenError(error, path);
  } finally {
    look?.close();
  }
  throw new NotOurDatabase(`${path} is a database of something else. Name a file of its own for the catalog.`);
}

/** The header of a database file; undefined for a file that is missing, empty or unreadable. */
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
 * A check whether a file is still the one that is open. An open file stays what it was, wherever its name leads: to
 * nothing, or to a backup that was put in its place. One that something else writes over is a mixture: SQLite takes pages of
 * it, pages of its log, and pages that it remembers. Its mark tells, because the file has another one than SQLite knows.
 */
function rememberFile(path: string): (mark: string) => void {
  // Its log stays the same as long as somebody has the file open.
  const identify = (): string =>
    [path, `${path}-wal`]
      .map((each) => {
        const stat = statSync(each, { bigint: true, throwIfNoEntry: false });
        return stat === undefined ? "" : `${stat.dev} ${stat.ino}`;
      })
      .join();
  const opened = identify();
  // Opened when it is first needed and never closed: closing it would take away SQLite's own locks on the file (POSIX).
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
    // A mark that SQLite has changed stands in its log first, and in the file later. One miss may be a change between the
    // two looks; after a second, SQLite may come to see the new mark too, which mends nothing.
    if (misses < 2 && (last === undefined || found === last || found === mark)) {
      last = found;
      misses = 0;
      return;
    }
    misses++;
    throw new DatabaseDamaged(
      `${path} was written over while it was in use, and is damaged by that. Stop every server and command that uses ` +
        `it, remove ${path}-wal and ${path}-shm, put the copy there again, start.`,
    );
  };
}

// An `or` takes twice as long as the step that nearly always suffices. Not async, like all that a miss goes through here: that
// makes twice the objects.
const findInTwoSteps: FindByIdOrSlug = (idOrSlug, find) =>
  find(sql`v.course_id = ${idOrSlug}`).then(
    ([byId]) => byId ?? find(sql`v.slug = ${idOrSlug}`).then(([bySlug]) => bySlug),
  );

/**
 * Opens the database file at `path` only to look: no schema is made or changed, and what another process writes is waited for
 * a moment at most. Throws as `openSqlite` does.
 */
export async function openSqliteToLook(path: string): Promise<SqliteConnection> {
  if (!existsSync(path)) throw new DatabaseMissing(`There is no database at ${path}`);
  await requireOurs(path);
  try {
    // The last one reads of the file, so that one of another kind is told here.
    return new SqliteConnection(path, [
      `pragma busy_timeout = ${LOOK_TIMEOUT_MS}`,
      "pragma query_only = on",
      "pragma schema_version",
    ]);
  } catch (error) {
    throw toOpenError(error, path);
  }
}

/** The dialect of SQLite. */
export const SQLITE_DIALECT = DIALECT;

function openHandle(path: string, create: boolean): SqliteConnection {
  try {
    if (create) createPrivateFile(path);
    return new SqliteConnection(path, PRAGMAS);
  } catch (error) {
    throw toOpenError(error, path);
  }
}

function toOpenError(error: unknown, path: string): unknown {
  const { code } = error as { code?: unknown };
  if (code === "SQLITE_NOTADB") return new NotOurDatabase(`${path} is no database, but a file of another kind.`);
  // A folder, what this user may not open or write, or a folder around it that cannot be made.
  if (
    typeof code === "string" &&
    /^(SQLITE_(CANTOPEN|READONLY)|E(ISDIR|NOTDIR|EXIST|NOENT|ACCES|PERM|ROFS)$)/.test(code)
  ) {
    const reason = code.startsWith("SQLITE_READONLY")
      ? "this user may not write it, or not its folder, as SQLite must even to read"
      : (error as Error).message;
    return new DatabaseUnreachable(`The database ${path} cannot be opened: ${reason}.`);
  }
  return toBusy(toDiskFull(error, path), path);
}

/** True for errors that say that the database file cannot be used just now, not that a query is wrong. */
function isSqliteUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseDamaged || error instanceof DatabaseBusy) return true;
  const code = (error as { code?: unknown } | undefined)?.code;
  return (
    typeof code === "string" && /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY|NOMEM|CORRUPT|NOTADB)/.test(code)
  );
}
