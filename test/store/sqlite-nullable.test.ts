// A column that may be null from now on, where SQLite has no statement for it.
import { Database } from "bun:sqlite";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "bun:test";
import { raw, sql } from "../../src/store/query.ts";
import { SqliteConnection } from "../../src/store/sqlite-connection.ts";
import { makeNullable, rebuildNullable } from "../../src/store/sqlite-nullable.ts";
import { createTestFolder } from "../support/store.ts";

const folder = createTestFolder();
afterAll(() => folder.remove());

const COLUMNS = [
  ["lessons", "document"],
  ["course_versions", "course"],
  ["course_versions", "lesson_list"],
] as const;

test.each([
  ["a statement of SQLite", makeNullable],
  ["a new table", rebuildNullable],
])("takes null, and rows, other columns and indexes stay: with %s", async (name, change) => {
  const path = join(folder.path, `${name}.db`);
  copyFileSync(join(import.meta.dir, "../stored/lectern.db"), path);
  const readTables = (): unknown[] => {
    const database = new Database(path, { readonly: true });
    const tables = ["lessons", "course_versions"].map((table) => [
      database.query(`select * from ${table} order by 1, 2`).all(),
      database.query(`select name, type, "notnull", pk from pragma_table_info('${table}')`).all(),
      database.query(`select name, sql from sqlite_schema where tbl_name = '${table}' and type = 'index'`).all(),
    ]);
    database.close();
    return tables;
  };
  const before = JSON.stringify(readTables());
  const connection = new SqliteConnection(path, []);
  await connection.transact("immediate", async (transaction) => {
    for (const [table, column] of COLUMNS) await change(transaction, table, column);
  });
  const after = JSON.stringify(readTables());
  expect(before).toContain('"name":"document","type":"TEXT","notnull":1');
  let expected = before;
  for (const [, column] of COLUMNS) {
    const fact = `"name":"${column}","type":"TEXT","notnull":`;
    expected = expected.replace(`${fact}1`, `${fact}0`);
  }
  expect(after).toBe(expected);
  for (const [table, column] of COLUMNS) {
    await connection.run(raw(`update ${table} set ${column} = null`));
    const [row] = await connection.run(sql<{ n: number }>`
      select count(*) as n from ${raw(table)} where ${raw(column)} is not null`);
    expect(row?.n).toBe(0);
  }
  connection.close();
});
