// SQLite: the embedded engine. One file, readable by its owner only; its log and the lock files lie beside it.
import { existsSync } from "node:fs";
import type { Engine, FindByIdOrSlug, Transact } from "./engine.ts";
import { DatabaseMissing } from "./errors.ts";
import { takeFileLock } from "./file-lock.ts";
import { sql } from "./query.ts";
import { createSchema, findSchema } from "./schema.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import {
  APPLICATION_ID,
  createPrivateFile,
  isSqliteUnavailable,
  rememberFile,
  requireOurs,
  SQLITE_DIALECT,
  toOpenError,
} from "./sqlite-file.ts";
import { BUSY_TIMEOUT_MS, PAGE_BYTES, SqliteWriter, type WriteKind } from "./sqlite-writer.ts";

const PRAGMAS = [`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`];
/** The page size is only read when the file is new. */
const NEW_FILE_PRAGMAS = [`pragma page_size = ${PAGE_BYTES}`, `pragma application_id = ${APPLICATION_ID}`];
const WRITE_PRAGMAS = ["pragma cache_size = -16000"];
/** Most of the indexes of a million lessons fit, and a random lesson costs 1.4 reads of the file. */
const READ_PRAGMAS = ["pragma query_only = on", "pragma cache_size = -32000"];

/** Throws DatabaseMissing, NotOurDatabase, UnreleasedSchema, DatabaseUnreachable. */
export async function openSqlite(path: string, create: boolean): Promise<Engine> {
  const writer = await openWriter(path, create);
  // A handle of its own: on one, a read would see the rows of a transaction that is still open.
  const read = new SqliteConnection(path, [...PRAGMAS, ...READ_PRAGMAS]);
  const readPieces = new SqliteConnection(path, [...PRAGMAS, "pragma query_only = on", "pragma cache_size = -2000"]);
  const transactAs =
    (kind: WriteKind): Transact =>
    async (use) =>
      writer.transact(use, kind);
  const [transact, transactContent] = [transactAs("short"), transactAs("content")];
  return {
    dialect: SQLITE_DIALECT,
    read,
    readChanges: read,
    readPieces,
    transact,
    transactContent,
    transactSoon: transactAs("soon"),
    snapshot: async (use) => writer.snapshot(use),
    emptyLog: async () => writer.emptyLog(),
    takeLock: async (...lock) => ({ transact, transactContent, free: await takeFileLock(path, ...lock) }),
    vacuum: async () => writer.vacuum(),
    findByIdOrSlug: findInTwoSteps,
    // A transaction that writes is the only one.
    skipLocked: sql``,
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
      writer.close();
    },
  };
}

async function openWriter(path: string, create: boolean): Promise<SqliteWriter> {
  if (!existsSync(path) && !create) throw new DatabaseMissing(`There is no database at ${path}`);
  await requireOurs(path);
  let handle: SqliteConnection | undefined;
  try {
    if (create) createPrivateFile(path);
    handle = new SqliteConnection(path, [...PRAGMAS, ...WRITE_PRAGMAS]);
    const isMade = await findSchema(handle, SQLITE_DIALECT, path);
    if (!isMade && !create) throw new DatabaseMissing(`The database at ${path} has no catalog`);
    if (!isMade) for (const pragma of NEW_FILE_PRAGMAS) handle.execute(pragma);
    handle.execute("pragma journal_mode = wal");
    const writer = new SqliteWriter(handle, path);
    if (!isMade) await createSchema(async (use) => writer.transact(use, "short"), SQLITE_DIALECT, path);
    return writer;
  } catch (error) {
    handle?.close();
    throw toOpenError(error, path);
  }
}

// An `or` takes twice as long as the step that nearly always suffices. Not async: that would make twice the objects.
const findInTwoSteps: FindByIdOrSlug = (idOrSlug, find) =>
  find(sql`v.course_id = ${idOrSlug}`).then(
    ([byId]) => byId ?? find(sql`v.slug = ${idOrSlug}`).then(([bySlug]) => bySlug),
  );
