// Reads of SQLite with statements that are prepared once. `Bun.SQL` prepares a statement for each query, which takes
// longer than most of them: 31 µs for a course of 3 KB, 16 µs like this.
import { Database, type SQLQueryBindings, type Statement } from "bun:sqlite";
import type { SQL } from "bun";

/** Lists of values make texts of their own for each length; so many texts are kept prepared. */
const MAX_STATEMENTS = 100;

/** A value list of `in`. */
class ValueList {
  readonly values: SQLQueryBindings[];

  constructor(values: SQLQueryBindings[]) {
    this.values = values;
  }
}

/** A query as the tag makes it: runs when it is awaited, and may be a part of another. */
class Query implements PromiseLike<unknown[]> {
  readonly #run: (query: Query) => unknown[];
  readonly strings: TemplateStringsArray;
  readonly values: readonly unknown[];

  constructor(run: (query: Query) => unknown[], strings: TemplateStringsArray, values: readonly unknown[]) {
    this.#run = run;
    this.strings = strings;
    this.values = values;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a query runs when it is awaited, as those of Bun.SQL do
  async then<A, B>(
    onRows?: ((rows: unknown[]) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return new Promise<unknown[]>((resolve) => resolve(this.#run(this))).then(onRows, onError);
  }
}

/**
 * How a query is put together: its template and, value by value, the template of a part, the length of a list, or
 * neither. Queries of one shape have one text, which need not be made to find the statement.
 */
class Shape {
  statement: Statement | undefined;
  readonly #next = new Map<unknown, Shape>();

  next(part: TemplateStringsArray | number): Shape {
    let shape = this.#next.get(part);
    if (shape === undefined) {
      shape = new Shape();
      this.#next.set(part, shape);
    }
    return shape;
  }
}

const SINGLE_VALUE = -1;

/**
 * Opens a database file for reading. The result understands what the queries here use of `Bun.SQL`: the tag with values,
 * with parts that are queries, and with lists; and `close`.
 */
export function openSqliteReader(path: string, pragmas: string[]): SQL {
  const database = new Database(path, { readwrite: true, create: false });
  for (const pragma of pragmas) database.run(pragma);
  let statements: Statement[] = [];
  let root = new Shape();

  function finalizeStatements(): void {
    for (const statement of statements) statement.finalize();
    statements = [];
    root = new Shape();
  }

  function run(query: Query): unknown[] {
    const parameters: SQLQueryBindings[] = [];
    let shape = bind(query, root, parameters);
    if (shape.statement === undefined) {
      if (statements.length >= MAX_STATEMENTS) {
        finalizeStatements();
        shape = bind(query, root, []);
      }
      shape.statement = database.prepare(formatText(query));
      statements.push(shape.statement);
    }
    return shape.statement.all(...parameters);
  }

  const tag = (first: TemplateStringsArray | SQLQueryBindings[], ...values: unknown[]): Query | ValueList =>
    isTemplate(first) ? new Query(run, first, values) : new ValueList(first);
  return Object.assign(tag, {
    async close() {
      finalizeStatements();
      database.close();
    },
  }) as unknown as SQL;
}

/** Collects the values of a query and of its parts, in order. Returns its shape, as a way from that of the parts before. */
function bind({ strings, values }: Query, from: Shape, parameters: SQLQueryBindings[]): Shape {
  let shape = from.next(strings);
  for (const value of values) {
    if (value instanceof Query) {
      shape = bind(value, shape, parameters);
    } else if (value instanceof ValueList) {
      parameters.push(...value.values);
      shape = shape.next(value.values.length);
    } else {
      parameters.push(value as SQLQueryBindings);
      shape = shape.next(SINGLE_VALUE);
    }
  }
  return shape;
}

function formatText({ strings, values }: Query): string {
  return strings.reduce((text, string, index) => text + formatPlace(values[index - 1]) + string);
}

function formatPlace(value: unknown): string {
  if (value instanceof Query) return formatText(value);
  return value instanceof ValueList ? `(${value.values.map(() => "?").join(",")})` : "?";
}

function isTemplate(first: TemplateStringsArray | SQLQueryBindings[]): first is TemplateStringsArray {
  return "raw" in first;
}
