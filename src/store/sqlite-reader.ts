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
  readonly strings: readonly string[];
  readonly values: readonly unknown[];

  constructor(run: (query: Query) => unknown[], strings: readonly string[], values: readonly unknown[]) {
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
 * Opens a database file for reading. The result understands what the queries here use of `Bun.SQL`: the tag with values,
 * with parts that are queries, and with lists; and `close`.
 */
export function openSqliteReader(path: string, pragmas: string[]): SQL {
  const database = new Database(path, { readwrite: true, create: false });
  for (const pragma of pragmas) database.run(pragma);
  const statements = new Map<string, Statement>();

  function prepare(text: string): Statement {
    const known = statements.get(text);
    if (known !== undefined) return known;
    if (statements.size >= MAX_STATEMENTS) {
      for (const statement of statements.values()) statement.finalize();
      statements.clear();
    }
    const statement = database.prepare(text);
    statements.set(text, statement);
    return statement;
  }

  function run(query: Query): unknown[] {
    const parameters: SQLQueryBindings[] = [];
    const text = appendQuery("", query, parameters);
    return prepare(text).all(...parameters);
  }

  const tag = (first: TemplateStringsArray | SQLQueryBindings[], ...values: unknown[]): Query | ValueList =>
    isTemplate(first) ? new Query(run, first, values) : new ValueList(first);
  return Object.assign(tag, {
    async close() {
      for (const statement of statements.values()) statement.finalize();
      database.close();
    },
  }) as unknown as SQL;
}

function appendQuery(text: string, { strings, values }: Query, parameters: SQLQueryBindings[]): string {
  let result = text + strings[0];
  for (const [index, value] of values.entries()) {
    if (value instanceof Query) {
      result = appendQuery(result, value, parameters);
    } else if (value instanceof ValueList) {
      parameters.push(...value.values);
      result += `(${value.values.map(() => "?").join(",")})`;
    } else {
      parameters.push(value as SQLQueryBindings);
      result += "?";
    }
    result += strings[index + 1];
  }
  return result;
}

function isTemplate(first: TemplateStringsArray | SQLQueryBindings[]): first is TemplateStringsArray {
  return "raw" in first;
}
