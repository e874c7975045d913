// Databases for tests: a real one each, gone afterwards. Tests that need one loop over `engines`.
import { SQL } from "bun";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { findSharedPostgres } from "./postgres.ts";

export interface TestDatabase {
  url: string;
  /** Runs SQL on a connection of its own, as an operator or a fault would. */
  execute(sql: string): Promise<unknown[]>;
  drop(): Promise<void>;
}

export interface Engine {
  name: string;
  createDatabase(): Promise<TestDatabase>;
}

/** Every engine that the product runs on: the same tests must pass on each. */
export const engines: Engine[] = [
  { name: "sqlite", createDatabase: createSqliteDatabase },
  { name: "postgres", createDatabase: createPostgresDatabase },
];

export interface TestStore extends TestDatabase {
  store: Store;
}

/** Opens a store on a new, empty database. `drop` closes it too. */
export async function openTestStore(engine: Engine): Promise<TestStore> {
  const database = await engine.createDatabase();
  // It serves and publishes at once, which needs more connections than a command.
  const postgres = { poolSize: 4, connectTimeoutMs: 10_000, statementTimeoutMs: 0 };
  const store = await openStore(database.url, { create: true, postgres });
  return {
    ...database,
    store,
    async drop() {
      await store.close();
      await database.drop();
    },
  };
}

/** A new folder for one test file's data. */
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

async function createPostgresDatabase(): Promise<TestDatabase> {
  const serverUrl = await findSharedPostgres();
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const url = `${serverUrl}/${name}`;
  await executePostgres(`${serverUrl}/postgres`, `create database ${name}`);
  return {
    url,
    execute: (sql) => executePostgres(url, sql),
    async drop() {
      // It takes a tenth of a second, which nothing needs to wait for; the server's end takes all with it anyway.
      void executePostgres(`${serverUrl}/postgres`, `drop database ${name} with (force)`).catch(() => undefined);
    },
  };
}

/** Runs SQL on a PostgreSQL database. Counts come as numbers, as from SQLite. */
export async function executePostgres(url: string, statement: string): Promise<unknown[]> {
  const sql = new SQL(url, { max: 1, bigint: true });
  try {
    const rows = await sql.unsafe<Record<string, unknown>[]>(statement);
    return rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]),
      ),
    );
  } finally {
    await sql.close();
  }
}
