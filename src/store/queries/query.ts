// Queries as values: text and parameters. An engine runs them.

export type Value = string | number | null | Uint8Array<ArrayBuffer>;

export class Query<Result = unknown> {
  readonly pieces: readonly string[];
  readonly parts: readonly (Value | Query)[];
  /** Only for the type of the result; never set. */
  declare readonly row?: Result;

  constructor(pieces: readonly string[], parts: readonly (Value | Query)[]) {
    this.pieces = pieces;
    this.parts = parts;
  }
}

/**
 * Builds a query from a template: `` sql<{ id: number }>`select id from releases where number = ${number}` ``. Values
 * become parameters; queries are inlined with their parameters.
 */
export function sql<Result = unknown>(pieces: TemplateStringsArray, ...parts: (Value | Query)[]): Query<Result> {
  return new Query(pieces, parts);
}

/** Returns a list for `in` or a row comparison: `(?, ?, ?)`. */
export function list(values: readonly Value[]): Query {
  if (values.length === 0) throw new Error("an SQL list must not be empty");
  return new Query(["(", ...values.slice(1).map(() => ", "), ")"], values);
}

/** Repeats the last value until the length is a power of two, because databases cache a statement for each length. */
export function repeatLast<T>(values: T[]): T[] {
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return values.concat(Array.from({ length: length - values.length }, () => values.at(-1) as T));
}

/** Returns verbatim SQL, such as a table name. Never pass external input. */
export function raw<Result = unknown>(text: string): Query<Result> {
  return new Query([text], []);
}

/** Returns columns (a record's members in snake_case) and a function that returns a record's values for them. */
export function toColumns(record: object): { columns: string[]; toValues: (record: object) => Value[] } {
  const members = Object.keys(record);
  return {
    columns: members.map((member) => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
    toValues: (each) => {
      const values: Value[] = [];
      for (const member of members) {
        const value = (each as Record<string, Value | boolean | undefined>)[member] ?? null;
        values.push(typeof value === "boolean" ? Number(value) : value);
      }
      return values;
    },
  };
}

/** Returns a query that inserts records, which must all have the same members. */
export function insertInto(table: string, records: readonly object[]): Query {
  const { columns, toValues } = toColumns(records[0] ?? {});
  const tuples = records.map((record) => list(toValues(record)));
  const commas = tuples.slice(1).map(() => ", ");
  return new Query([`insert into ${table} (${columns.join(", ")}) values `, ...commas, ""], tuples);
}

/** A database row: snake_case columns, null for undefined, numbers for booleans. */
export type Row = Record<string, unknown>;

const members = new Map<string, string>();

export function toRecord<T>(row: Row, ...flags: (keyof T & string)[]): T {
  const record: Record<string, unknown> = {};
  for (const column in row) {
    let member = members.get(column);
    if (member === undefined) {
      member = column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      members.set(column, member);
    }
    record[member] = row[column] ?? undefined;
  }
  for (const flag of flags) record[flag] = Boolean(record[flag]);
  return record as T;
}

/** Returns a query's text with a placeholder for each parameter, and the parameters in order. */
export function formatQuery(query: Query, place: string): { text: string; values: Value[] } {
  const values: Value[] = [];
  let text = "";
  // Avoid the slower `entries()`: this runs for each cache miss.
  const add = ({ pieces, parts }: Query): void => {
    for (let index = 0; index < pieces.length; index++) {
      text += pieces[index];
      const part = parts[index];
      if (part instanceof Query) {
        add(part);
      } else if (part !== undefined) {
        text += place;
        values.push(part);
      }
    }
  };
  add(query);
  return { text, values };
}
