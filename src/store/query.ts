// Queries as values: text and parameters. Making one does nothing; an engine runs it.

export type Value = string | number | null | Uint8Array<ArrayBuffer>;

export class Query<Result = unknown> {
  readonly pieces: readonly string[];
  readonly parts: readonly (Value | Query)[];
  /** For the compiler only: no query has it. */
  declare readonly row?: Result;

  constructor(pieces: readonly string[], parts: readonly (Value | Query)[]) {
    this.pieces = pieces;
    this.parts = parts;
  }
}

/**
 * Makes a query of a template: `` sql<{ id: number }>`select id from releases where number = ${number}` ``. A value becomes a
 * parameter, a query a part of the text with its own parameters.
 */
export function sql<Result = unknown>(pieces: TemplateStringsArray, ...parts: (Value | Query)[]): Query<Result> {
  return new Query(pieces, parts);
}

/** The list of `in`, or one side of a comparison of rows: `(?, ?, ?)`. Throws when it is empty. */
export function list(values: readonly Value[]): Query {
  if (values.length === 0) throw new Error("a list of SQL cannot be empty");
  return new Query(["(", ...values.slice(1).map(() => ", "), ")"], values);
}

/** As many values as a power of two, which means the same in a list: a database parses each length as another statement. */
export function repeatLast<T>(values: T[]): T[] {
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return values.concat(Array.from({ length: length - values.length }, () => values.at(-1) as T));
}

/** Text as it stands, such as the name of a table. Never anything that comes from outside of this program. */
export function raw<Result = unknown>(text: string): Query<Result> {
  return new Query([text], []);
}

/** The columns of a record, whose members are named as they are or in camelCase; and the function that gives their values. */
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

/** A statement that inserts records, which all have the members of the first. Throws when there are none. */
export function insertInto(table: string, records: readonly object[]): Query {
  const { columns, toValues } = toColumns(records[0] ?? {});
  const tuples = records.map((record) => list(toValues(record)));
  const commas = tuples.slice(1).map(() => ", ");
  return new Query([`insert into ${table} (${columns.join(", ")}) values `, ...commas, ""], tuples);
}

/** A row as a database gives it: columns in snake_case, null for what is undefined, numbers for truth values. */
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

/** The text of a query with `place` for each parameter, and the parameters in their order. */
export function formatQuery(query: Query, place: string): { text: string; values: Value[] } {
  const values: Value[] = [];
  let text = "";
  const add = ({ pieces, parts }: Query): void => {
    for (const [index, piece] of pieces.entries()) {
      text += piece;
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
