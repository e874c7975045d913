// What SQLite learned late (3.53); on macOS, Bun uses the system's SQLite, which may be older.
import type { Connection } from "./engine.ts";
import { raw, sql } from "./query.ts";

/** Lets a column be null, within a transaction. */
export async function makeNullable(connection: Connection, table: string, column: string): Promise<void> {
  try {
    await connection.run(raw(`alter table ${table} alter column ${column} drop not null`));
  } catch (error) {
    if (!/syntax error/.test((error as Error).message)) throw error;
    await rebuildNullable(connection, table, column);
  }
}

/** Does the same by copying all rows into a new table, with as much room on the disk as they take. */
export async function rebuildNullable(connection: Connection, table: string, column: string): Promise<void> {
  const objects = await connection.run(sql<{ type: string; sql: string }>`
    select type, sql from sqlite_schema where tbl_name = ${table} and sql is not null`);
  const created = objects.find(({ type }) => type === "table")?.sql ?? "";
  const rebuilt = `${table}_rebuilt`;
  const next = created
    .replace(new RegExp(`^create table "?${table}"?`, "i"), `create table ${rebuilt}`)
    .replace(new RegExp(`(\\b${column} text) not null`), "$1");
  if (!next.startsWith(`create table ${rebuilt}`) || next.length === created.length) {
    throw new Error(`${table}.${column} cannot be made nullable: ${created}`);
  }
  await connection.run(raw(next));
  await connection.run(raw(`insert into ${rebuilt} select * from ${table}`));
  await connection.run(raw(`drop table ${table}`));
  await connection.run(raw(`alter table ${rebuilt} rename to ${table}`));
  for (const { type, sql: text } of objects) if (type === "index") await connection.run(raw(text));
}
