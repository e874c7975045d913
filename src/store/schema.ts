import packageJson from "../../package.json" with { type: "json" };
import { ExpectedError } from "../catalog/expected-error.ts";
import type { Connection, Dialect, Transact } from "./engine.ts";
import { createFirstSchema } from "./first-schema.ts";
import { raw, sql } from "./queries/query.ts";

/** A step to the next schema version, in one transaction. In 1.x, steps only add to the schema (docs/upgrading.md). */
export interface Migration {
  statements: (dialect: Dialect) => string[];
  /** The oldest schema versions whose servers (reader) and whose writing commands (writer) can use the result. */
  oldestReader: number;
  oldestWriter: number;
}

const FIRST_STEP: Migration = { statements: createFirstSchema, oldestReader: 1, oldestWriter: 1 };

export const MIGRATIONS: readonly Migration[] = [];

export interface SchemaUse {
  /** Names the database in messages. */
  place: string;
  writes?: boolean | undefined;
  /** The steps that the program knows. An option, so that tests can simulate a later version. */
  migrations?: readonly Migration[] | undefined;
}

const toVersion = (migrations: readonly Migration[]): number => 1 + migrations.length;

export const SCHEMA_VERSION = toVersion(MIGRATIONS);

/** Returns true if the schema is missing, or if a command that writes must first migrate it. */
export function needsPreparation(
  version: number | undefined,
  { writes = false, migrations = MIGRATIONS }: SchemaUse,
): boolean {
  return version === undefined || (writes && version < toVersion(migrations));
}

/** Lists the tables, indexes and columns that a schema version should have, as far as this program knows them. */
export function listSchemaNames(
  dialect: Dialect,
  version = SCHEMA_VERSION,
): { tables: string[]; indexes: string[]; columns: string[] } {
  const steps = MIGRATIONS.slice(0, version - 1).flatMap(({ statements }) => statements(dialect));
  const all = [...createFirstSchema(dialect), ...steps];
  const list = (kind: RegExp): string[] => all.flatMap((statement) => kind.exec(statement)?.[1] ?? []);
  return {
    tables: list(/^create table (\w+)/),
    indexes: list(/^create (?:unique )?index (\w+)/),
    columns: all.flatMap(listColumns),
  };
}

/** Lists the columns that a statement creates, as `table.column`. */
function listColumns(statement: string): string[] {
  const [, table = "", body = ""] = /^create table (\w+) \(([^]*)\)/.exec(statement) ?? [];
  const parts = body.replace(/\([^()]*\)/g, "").split(",");
  const names = parts.map((part) => part.trim().split(" ", 1)[0] ?? "");
  return names.filter((name) => !["", "primary", "unique"].includes(name)).map((name) => `${table}.${name}`);
}

/**
 * Creates the schema, or migrates an older one, unless another process has done so meanwhile. Calls `backUp` before the
 * first migration, inside its transaction: during the backup, others can read but not write. Throws ExpectedError.
 */
export async function prepareSchema(
  transact: Transact,
  dialect: Dialect,
  use: SchemaUse,
  tell: (text: string) => void,
  backUp?: (next: number) => Promise<void>,
): Promise<void> {
  const { place, migrations = MIGRATIONS } = use;
  const steps = [FIRST_STEP, ...migrations];
  let isNew = false;
  let isBackedUp = false;
  const takeNext = async (transaction: Connection): Promise<number | undefined> => {
    const found = (await findSchema(transaction, dialect, { ...use, writes: true })) ?? 0;
    const step = steps[found];
    if (step === undefined) return undefined;
    if (found > 0) for (const statement of dialect.excludeWriters) await transaction.run(raw(statement));
    if (found > 0 && !isNew && !isBackedUp) {
      await backUp?.(found + 1);
      isBackedUp = true;
    }
    await takeStep(transaction, dialect, step, found + 1);
    return found + 1;
  };
  for (let version = await transact(takeNext); version !== undefined; version = await transact(takeNext)) {
    isNew ||= version === 1;
    if (!isNew) tell(`The database ${place} now has schema ${version}.`);
  }
}

async function takeStep(transaction: Connection, dialect: Dialect, step: Migration, version: number): Promise<void> {
  for (const statement of step.statements(dialect)) await transaction.run(raw(statement));
  const { oldestReader: oldest_reader, oldestWriter: oldest_writer } = step;
  await transaction.run(sql`delete from lectern_schema`);
  await transaction.insert("lectern_schema", [{ version, oldest_reader, oldest_writer, program: packageJson.version }]);
}

/** Takes the place of `oldest_reader` and `oldest_writer` in a copy until it is complete. */
export const UNFINISHED_COPY = 1_000_000;

interface Marker {
  version: number;
  oldest_reader: number;
  oldest_writer: number;
  /** Undefined in databases of unreleased versions. */
  program?: string;
}

/**
 * Returns a database's schema version, or undefined without a schema. Throws ExpectedError if this program cannot use
 * the schema.
 */
export async function findSchema(
  connection: Connection,
  dialect: Dialect,
  use: SchemaUse,
): Promise<number | undefined> {
  const tables = await connection.run(sql<{ name: string }>`${dialect.schemaTables}`);
  const names = new Set(tables.map(({ name }) => name));
  if (!names.has("lectern_schema") && !names.has("schema_version")) return undefined;
  const [row] = names.has("lectern_schema") ? await connection.run(sql<Marker>`select * from lectern_schema`) : [];
  requireUsable(row, use);
  return row.version;
}

/** Throws ExpectedError if another process has meanwhile migrated to a schema that this program cannot use. */
export async function recheckSchema(connection: Connection, use: SchemaUse): Promise<void> {
  const [row] = await connection.run(sql<Marker>`select * from lectern_schema`);
  requireUsable(row, use);
}

function requireUsable(
  row: Marker | undefined,
  { place, writes = false, migrations = MIGRATIONS }: SchemaUse,
): asserts row is Marker {
  if (row?.program === undefined) {
    throw new ExpectedError(
      `The database ${place} is from an unreleased version of Lectern and was not changed. Name a new database, import ` +
        "the content again, and register keys again with `lectern keys create --stdin`, which needs their plain text.",
    );
  }
  if (row.oldest_reader === UNFINISHED_COPY) {
    throw new ExpectedError(
      `The database ${place} is an unfinished copy: \`lectern copy\` failed or still runs. Copy into a new database.`,
    );
  }
  const own = toVersion(migrations);
  if (own >= (writes ? row.oldest_writer : row.oldest_reader)) return;
  const rest = own >= row.oldest_reader ? " Servers of this version can still read it." : "";
  throw new ExpectedError(
    `The database ${place} has schema ${row.version}, which Lectern ${packageJson.version} cannot ` +
      `${writes ? "write" : "read"}. Use Lectern ${row.program} or newer.${rest}`,
  );
}

/** Raises a counter by `count` and returns its new value: the last of `count` new numbers. */
export async function nextNumber(
  transaction: Connection,
  counter: "course_versions" | "lesson_versions" | "releases" | "publications" | "keys" | "asset_contents",
  count = 1,
): Promise<number> {
  const [row] = await transaction.run(sql<{ value: number }>`
    insert into counters (name, value) values (${counter}, ${count})
    on conflict (name) do update set value = counters.value + excluded.value
    returning value`);
  return row?.value ?? 0;
}
