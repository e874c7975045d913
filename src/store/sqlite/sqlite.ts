// The embedded engine: one SQLite file, readable only by its owner, with its log and lock files beside it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { backUp } from "./backup-store.ts";
import { DatabaseMissing, type Engine, type OpenOptions, type Transact } from "../engine.ts";
import { sql } from "../queries/query.ts";
import { findSchema, needsPreparation, prepareSchema, recheckSchema } from "../schema.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import {
  APPLICATION_ID,
  createPrivateFile,
  followLinks,
  isSqliteDamage,
  isSqliteUnavailable,
  measureFile,
  rememberFile,
  requireNoLog,
  requireOurs,
  SQLITE_DIALECT,
  takeOwner,
  toOpenError,
} from "./sqlite-file.ts";
import { BUSY_TIMEOUT_MS, PAGE_BYTES, SqliteWriter, type WriteKind } from "./sqlite-writer.ts";
import { Database } from "bun:sqlite";
import type { LockHolder } from "../../catalog/store.ts";

const PRAGMAS = [`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`];
/** SQLite applies the page size only to new files. */
const NEW_FILE_PRAGMAS = [`pragma page_size = ${PAGE_BYTES}`, `pragma application_id = ${APPLICATION_ID}`];
/** The cache holds most of the indexes of a million lessons, so a random lesson takes 1.4 file reads on average. */
const READ_PRAGMAS = ["pragma query_only = on", "pragma cache_size = -32000"];

/** Opens a database. Throws DatabaseMissing if it does not exist, or another ExpectedError if it cannot be used. */
export async function openSqlite(given: string, options: OpenOptions): Promise<Engine> {
  const path = followLinks(given);
  const writer = await openWriter(path, options);
  // A separate handle, so that reads do not see open transactions.
  const read = new SqliteConnection(path, [...PRAGMAS, ...READ_PRAGMAS]);
  const readPieces = new SqliteConnection(path, [...PRAGMAS, "pragma query_only = on", "pragma cache_size = -2000"]);
  const transactAs =
    (kind: WriteKind): Transact =>
    async (use) =>
      writer.transact(use, kind);
  const [transact, transactContent] = [transactAs("short"), transactAs("content")];
  const { requireSame, forget } = rememberFile(path, given);
  return {
    read,
    readChanges: read,
    readPieces,
    transact,
    transactContent,
    transactSoon: transactAs("soon"),
    snapshot: async (use) => writer.snapshot(use),
    emptyLog: async () => writer.emptyLog(),
    async requireWritable(transaction) {
      requireSame();
      await recheckSchema(transaction, { ...options, place: path, writes: true });
    },
    acquireLock: async (...lock) => ({ transact, transactContent, free: await acquireFileLock(path, ...lock) }),
    vacuum: async () => writer.vacuum(),
    async analyze() {},
    measureBytes: async () => measureFile(path),
    measureLog: () => writer.measureLog(),
    // SQLite runs one write transaction at a time, so no row is locked.
    skipLocked: sql``,
    timestamp: (inMs) => sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`${inMs / 1000} seconds`})`,
    async readWithLineage(find) {
      const [row] = await find(sql`cast((select user_version from pragma_user_version) as text)`);
      return row;
    },
    requireSame,
    isUnavailable: isSqliteUnavailable,
    isDamage: isSqliteDamage,
    // A file has no connections to renew.
    reconnect() {},
    async close() {
      read.close();
      readPieces.close();
      writer.close();
      forget();
    },
  };
}

async function openWriter(path: string, options: OpenOptions): Promise<SqliteWriter> {
  const { create, writes = create, migrations, tell = () => undefined } = options;
  const use = { place: path, writes, migrations };
  if (!existsSync(path) && !create) throw new DatabaseMissing(`There is no database at ${path}`);
  requireNoLog(path);
  await requireOurs(path);
  let handle: SqliteConnection | undefined;
  try {
    if (create) createPrivateFile(path);
    handle = new SqliteConnection(path, PRAGMAS);
    const version = await findSchema(handle, SQLITE_DIALECT, use);
    const isMade = version !== undefined;
    if (!isMade && !create) throw new DatabaseMissing(`The database at ${path} has no catalog`);
    if (!isMade) for (const pragma of NEW_FILE_PRAGMAS) handle.execute(pragma);
    handle.execute("pragma journal_mode = wal");
    const writer = new SqliteWriter(handle, path);
    if (needsPreparation(version, use)) {
      const transact: Transact = async (step) => writer.transact(step, "short");
      await prepareSchema(transact, SQLITE_DIALECT, use, tell, async (next) => backUpBefore(next, path, tell));
    }
    return writer;
  } catch (error) {
    handle?.close();
    throw toOpenError(error, path);
  }
}

/** Backs up the database before a migration. Keeps older backups, made before migrations that a restore has undone. */
async function backUpBefore(next: number, path: string, tell: (text: string) => void): Promise<void> {
  let file = `${path}.before-schema-${next}`;
  for (let count = 2; existsSync(file); count++) file = `${path}.before-schema-${next}-${count}`;
  await backUp(path, file);
  tell(`Before the migration, the database was backed up to ${file}.`);
}

const LOCK_RETRY_MS = 100;

const nameLock = (path: string, project: string): string => `${path}.${project}.lock`;
const nameHolder = (path: string, project: string): string => `${path}.${project}.lock.json`;

/** Locks a project with a transaction, which ends with the process, on an empty file. Returns a function to unlock. */
async function acquireFileLock(
  path: string,
  project: string,
  holder: LockHolder,
  onWait: (holder: LockHolder | undefined) => void,
): Promise<() => Promise<void>> {
  const file = nameLock(path, project);
  let lock: Database | undefined;
  try {
    createPrivateFile(file);
    if (process.getuid?.() === 0) takeOwner(file, path);
    lock = new Database(file);
    // A journal on disk would need space, although nothing is ever committed.
    lock.run("pragma journal_mode = memory");
    for (let tries = 1; !tryLock(lock); tries++) {
      await Bun.sleep(LOCK_RETRY_MS);
      if (tries === 1) onWait(findHolder(path, project));
    }
  } catch (error) {
    lock?.close();
    throw toOpenError(error, file);
  }
  try {
    const named = nameHolder(path, project);
    writeFileSync(named, JSON.stringify(holder), { mode: 0o600 });
    if (process.getuid?.() === 0) takeOwner(named, path);
  } catch {
    // On a full disk, only the holder's name is lost; the lock works.
  }
  return async () => lock.close();
}

function tryLock(lock: Database): boolean {
  try {
    lock.run("begin immediate");
    return true;
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith("SQLITE_BUSY") === true) return false;
    throw error;
  }
}

/** Reads the last holder of a lock without acquiring the lock; undefined if the holder is unknown or changing. */
export function findHolder(path: string, project: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(nameHolder(path, project), "utf8")) as LockHolder;
  } catch {
    return undefined;
  }
}
