// Real databases for tests, deleted afterwards. Tests that need one loop over `engines`.
import { SQL } from "bun";
import { Database } from "bun:sqlite";
import { afterAll, beforeAll } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { createName, giveBackDatabase, takeDatabase, withConnection } from "./postgres-databases.ts";
import { findSharedPostgres } from "./postgres.ts";

export interface TestDatabase {
  url: string;
  /** Runs SQL on a separate connection, as an operator or a fault would. */
  execute(sql: string): Promise<unknown[]>;
  drop(): Promise<void>;
}

export interface Engine {
  name: string;
  /** Creates an empty one, without a schema. */
  createDatabase(): Promise<TestDatabase>;
  /** Creates one with the schema, as `openStore` leaves it. */
  createStoreDatabase(): Promise<TestDatabase>;
}

export const sqlite: Engine = {
  name: "sqlite",
  createDatabase: createSqliteDatabase,
  createStoreDatabase: createSqliteStoreDatabase,
};
export const postgres: Engine = {
  name: "postgres",
  createDatabase: createPostgresDatabase,
  createStoreDatabase: createPostgresStoreDatabase,
};
/** Every supported engine: the same tests must pass on each. */
export const engines = [sqlite, postgres];
/** For tests that do not depend on the engine. */
export const anyEngine = sqlite;

export interface TestStore extends TestDatabase {
  store: Store;
}

/** Opens a store on an empty database, by default a new one. `drop` also closes it. */
export async function openTestStore(engine = anyEngine, on?: TestDatabase): Promise<TestStore> {
  const database = on ?? (await engine.createStoreDatabase());
  // Small: the pool opens all its connections with the first statement, and each costs the server more than most statements.
  const pool = { poolSize: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 0 };
  const store = await openStore(database.url, { create: true, postgres: pool });
  return {
    ...database,
    store,
    async drop() {
      await store.close();
      await database.drop();
    },
  };
}

/**
 * Opens a store for the tests of a `describe` or a file, and drops it afterwards. `prepare` fills it, and returns a function that
 * stops whatever it started.
 */
export function useTestStore(
  engine = sqlite,
  prepare: () => Promise<void | (() => unknown)> = async () => {},
): TestStore {
  const opened = {} as TestStore;
  let end: void | (() => unknown);
  beforeAll(async () => {
    Object.assign(opened, await openTestStore(engine));
    end = await prepare();
  });
  afterAll(async () => {
    await end?.();
    await opened.drop();
  });
  return opened;
}

/**
 * Waits until a project's lock is free: PostgreSQL may notice a killed process late, and still commit its
 * transaction.
 */
export async function untilFree(database: TestDatabase): Promise<void> {
  if (database.url.startsWith("sqlite:")) return;
  const locks = `select 1 from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`;
  while ((await database.execute(locks)).length > 0) await Bun.sleep(10);
}

/** A new folder for a test file's data. */
export function createTestFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "lectern-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

async function createSqliteDatabase(): Promise<TestDatabase> {
  const folder = createTestFolder();
  const path = join(folder.path, "lectern.db");
  return {
    url: `sqlite:${path}`,
    async execute(sql) {
      const database = new Database(path);
      try {
        database.run("pragma busy_timeout = 5000");
        return database.query(sql).all();
      } finally {
        database.close();
      }
    },
    async drop() {
      folder.remove();
    },
  };
}

/** The file of a new store. Creating its schema takes five times as long as copying it. */
let newStore: Promise<Buffer> | undefined;

async function createSqliteStoreDatabase(): Promise<TestDatabase> {
  newStore ??= makeNewStore();
  const [database, content] = [await createSqliteDatabase(), await newStore];
  const path = database.url.slice("sqlite:".length);
  writeFileSync(path, content, { mode: 0o600 });
  // Stores differ in the identity in their tables, and in their file's mark.
  const file = new Database(path);
  file.run(`update store_identity set identity = '${crypto.randomUUID()}'`);
  file.run(`pragma user_version = ${crypto.getRandomValues(new Int32Array(1)).join()}`);
  file.close();
  return database;
}

async function makeNewStore(): Promise<Buffer> {
  const database = await createSqliteDatabase();
  await (await openStore(database.url, { create: true })).close();
  const content = readFileSync(database.url.slice("sqlite:".length));
  await database.drop();
  return content;
}

async function createPostgresStoreDatabase(): Promise<TestDatabase> {
  const serverUrl = await findSharedPostgres();
  const name = await takeDatabase(serverUrl);
  return describePostgres(`${serverUrl}/${name}`, (used) => giveBackDatabase(serverUrl, name, used));
}

async function createPostgresDatabase(): Promise<TestDatabase> {
  const serverUrl = await findSharedPostgres();
  const name = createName();
  await executePostgres(`${serverUrl}/postgres`, `create database ${name}`);
  // A drop takes the server a tenth of a second; its end deletes everything.
  return describePostgres(`${serverUrl}/${name}`, async (used) => used?.close());
}

/** Connecting takes longer than most statements: keeps the connection for the next one, and passes it to `drop`, which closes it. */
function describePostgres(url: string, drop: (used: SQL | undefined) => Promise<void>): TestDatabase {
  let connection: SQL | undefined;
  return {
    url,
    async execute(statement) {
      connection ??= new SQL(url, { max: 1, bigint: true, idleTimeout: 2 });
      return executeOn(connection, statement);
    },
    drop: () => drop(connection),
  };
}

/** Runs SQL on a PostgreSQL database. Returns counts as numbers, as SQLite does. */
export const executePostgres = (url: string, statement: string): Promise<unknown[]> =>
  withConnection(url, (sql) => executeOn(sql, statement));

async function executeOn(sql: SQL, statement: string): Promise<unknown[]> {
  const rows = await sql.unsafe<Record<string, unknown>[]>(statement);
  const toNumber = (value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value);
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toNumber(value)])));
}
