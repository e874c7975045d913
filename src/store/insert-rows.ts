import type { Connection } from "./engine.ts";
import { insertInto } from "./query.ts";

/**
 * Inserts rows of plain columns, many at a time. The sizes are few, so that few statements differ: a database keeps each
 * one that it has parsed.
 */
export async function insertRows(
  transaction: Connection,
  table: string,
  rows: readonly object[],
  rowsPerInsert: number,
): Promise<void> {
  let size = rowsPerInsert;
  for (let from = 0; from < rows.length; from += size) {
    while (size > rows.length - from) size = Math.ceil(size / 8);
    await transaction.run(insertInto(table, rows.slice(from, from + size)));
  }
}
