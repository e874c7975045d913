// A version of Lectern after this one, which knows one more migration. As a program, it migrates the database of a URL.
import type { Dialect } from "../../src/store/engine.ts";
import { openStore } from "../../src/store/open-store.ts";
import { listSchemaNames, MIGRATIONS, SCHEMA_VERSION, type Migration } from "../../src/store/schema.ts";

export const NEXT_VERSION = SCHEMA_VERSION + 1;

/** Reaches every table but the one that every version reads: no statement of this version may mind. */
export const addEverywhere = (dialect: Dialect): string[] => [
  ...listSchemaNames(dialect)
    .tables.filter((table) => table !== "lectern_schema")
    .map((table) => `alter table ${table} add column added ${dialect.text}`),
  `create table additions (id integer primary key, text ${dialect.text} not null)`,
];

export const NEXT: Migration = { statements: addEverywhere, oldestReader: 1, oldestWriter: 1 };

export const afterMigration = (migration: Partial<Migration> = {}): Migration[] => [
  ...MIGRATIONS,
  { ...NEXT, ...migration },
];

if (import.meta.main) {
  const migrations = afterMigration();
  const tell = (text: string): void => console.log(text);
  const store = await openStore(Bun.argv[2] ?? "", { create: false, writes: true, migrations, tell });
  await store.close();
}
