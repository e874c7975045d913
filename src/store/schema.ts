// The version of a database's schema: how it is read, and raised by the migrations.
import type { Connection, Dialect, Transact } from "./engine.ts";
import { SchemaTooNew } from "./errors.ts";
import { migrations } from "./migrations.ts";
import { raw, sql } from "./query.ts";

/** The schema that this program reads and writes. */
export const SCHEMA_VERSION = migrations.length;

/** Brings a database to this program's schema, each version in a transaction of its own. Throws SchemaTooNew. */
export async function migrate(transact: Transact, dialect: Dialect): Promise<void> {
  for (const [index, steps] of migrations.entries()) {
    await transact(async (transaction) => {
      await transaction.run(sql`create table if not exists schema_version (version integer not null)`);
      // Read inside: another process may have come first.
      const [row] = await transaction.run(sql<{ version: number }>`select version from schema_version`);
      if ((row?.version ?? 0) !== index) return;
      for (const step of steps(dialect)) {
        if (typeof step === "string") await transaction.run(raw(step));
        else await step(transaction);
      }
      await transaction.run(sql`delete from schema_version`);
      await transaction.run(sql`insert into schema_version (version) values (${index + 1})`);
    });
  }
}

/** The version of a database's schema; 0 for one without a schema. Throws SchemaTooNew. */
export async function readSchemaVersion(connection: Connection, { isMissingTable }: Dialect): Promise<number> {
  let rows: { version: number }[];
  try {
    rows = await connection.run(sql<{ version: number }>`select version from schema_version`);
  } catch (error) {
    if (isMissingTable(error)) return 0;
    throw error;
  }
  const version = rows[0]?.version ?? 0;
  if (version <= SCHEMA_VERSION) return version;
  throw new SchemaTooNew(
    `The database has schema ${version}, this program knows schemas up to ${SCHEMA_VERSION}: a newer Lectern has ` +
      "written it. Use that version, or a newer one.",
  );
}

/** Raises a counter by `count` and gives its new value: the last of `count` new numbers. */
export async function nextNumber(
  transaction: Connection,
  counter: "course_versions" | "releases" | "publications" | "keys" | "asset_contents",
  count = 1,
): Promise<number> {
  const [row] = await transaction.run(sql<{ value: number }>`
    insert into counters (name, value) values (${counter}, ${count})
    on conflict (name) do update set value = counters.value + excluded.value
    returning value`);
  return row?.value ?? 0;
}
