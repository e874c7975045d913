// Queries as values: text and parameters. Making one does nothing; an engine runs it.

/** What a query takes as a parameter, on every engine. */
export type Value = string | number | null | Uint8Array<ArrayBuffer>;

/** A statement, or a part of one, that gives rows of a type. Immutable. */
export class Query<Result = unknown> {
  /** The text around the parts: one piece more than there are parts. */
  readonly pieces: readonly string[];
  readonly parts: readonly (Value | Query)[];
  /** True where the pieces are those of a template, which are the same array each time. */
  readonly isTemplate: boolean;
  /** For the compiler only: no query has it. */
  declare readonly row?: Result;

  constructor(pieces: readonly string[], parts: readonly (Value | Query)[], isTemplate = false) {
    this.pieces = pieces;
    this.parts = parts;
    this.isTemplate = isTemplate;
  }
}

/**
 * Makes a query of a template: `` sql<{ id: number }>`select id from releases where number = ${number}` ``. A value becomes a
 * parameter, a query a part of the text with its own parameters.
 */
export function sql<Result = unknown>(pieces: TemplateStringsArray, ...parts: (Value | Query)[]): Query<Result> {
  return new Query(pieces, parts, true);
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
export function raw(text: string): Query {
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

/** Makes a record of a row. `flags` are the members that are truth values. */
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
  const shape = takeIn(query, shapes, values);
  const text = shape === undefined ? formatText(query, place) : (shape.texts[place] ??= formatText(query, place));
  return { text, values };
}

/**
 * A place in the text of queries that begin with the same templates, and with parameters and parts at the same places. To
 * make a text of its parts, and to find a statement by a text that is new, takes as long as many a query; so a text that was
 * made of templates alone is made once. As many are kept as the program has ways to put its templates together.
 */
class Shape {
  /** Of queries that end here, by the sign for a parameter. */
  readonly texts: Record<string, string> = {};
  readonly #byTemplate = new Map<readonly string[], Shape>();
  #afterValue: Shape | undefined;

  follow(pieces: readonly string[]): Shape {
    let next = this.#byTemplate.get(pieces);
    if (next === undefined) {
      next = new Shape();
      this.#byTemplate.set(pieces, next);
    }
    return next;
  }

  followValue(): Shape {
    this.#afterValue ??= new Shape();
    return this.#afterValue;
  }
}

const shapes = new Shape();

/** Adds the parameters of a query to `values`. Returns the shape of all so far; undefined where it is not of templates alone. */
function takeIn({ pieces, parts, isTemplate }: Query, before: Shape | undefined, values: Value[]): Shape | undefined {
  let shape = isTemplate ? before?.follow(pieces) : undefined;
  for (const part of parts) {
    if (part instanceof Query) {
      shape = takeIn(part, shape, values);
    } else {
      values.push(part);
      shape = shape?.followValue();
    }
  }
  return shape;
}

function formatText({ pieces, parts }: Query, place: string): string {
  const texts = parts.map((part) => (part instanceof Query ? formatText(part, place) : place));
  return pieces.map((piece, index) => piece + (texts[index] ?? "")).join("");
}
