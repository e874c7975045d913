import { pathToFileURL } from "node:url";
import { constants, Database, type Statement } from "bun:sqlite";
import type { Connection } from "../engine.ts";
import { formatQuery, toColumns, type Query } from "../queries/query.ts";

/** Limits the cached statements, because lists of values produce one statement per length. */
const MAX_STATEMENTS = 100;

/** A SQLite handle with cached statements. Reading a course takes 16 µs, compared with 31 µs with `Bun.SQL`. */
export class SqliteConnection implements Connection {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(path: string, pragmas: string[], database = new Database(path, { readwrite: true, create: false })) {
    this.#database = database;
    try {
      for (const pragma of pragmas) this.execute(pragma);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Opens a file without locks or a log. The file must not change while it is open. Throws SQLite's errors. */
  static openImmutable(path: string): SqliteConnection {
    const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
    return new SqliteConnection(path, [], new Database(`${pathToFileURL(path).href}?immutable=1`, flags));
  }

  async run<Row>(query: Query<Row>): Promise<Row[]> {
    const { text, values } = formatQuery(query, "?");
    return this.#prepare(text).all(...values) as Row[];
  }

  /** Inserts rows one by one, which takes two thirds of the time of multi-row statements. */
  async insert(table: string, rows: readonly object[]): Promise<void> {
    if (rows[0] === undefined) return;
    const { columns, toValues } = toColumns(rows[0]);
    const places = columns.map(() => "?").join(", ");
    const statement = this.#prepare(`insert into ${table} (${columns.join(", ")}) values (${places})`);
    for (const row of rows) statement.run(...toValues(row));
  }

  execute(text: string): void {
    this.#database.run(text);
  }

  /** Runs `use` after all earlier turns, since transactions on one handle cannot overlap. */
  async takeTurn<T>(use: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(use);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async transact<T>(kind: "immediate" | "deferred", use: (connection: Connection) => Promise<T>): Promise<T> {
    this.execute(`begin ${kind}`);
    try {
      const result = await use(this);
      this.execute("commit");
      return result;
    } catch (error) {
      // SQLite itself rolls back when the disk is full.
      if (this.#database.inTransaction) this.execute("rollback");
      throw error;
    }
  }

  close(): void {
    this.#finalizeStatements();
    this.#database.close();
  }

  #prepare(text: string): Statement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      if (this.#statements.size >= MAX_STATEMENTS) this.#finalizeStatements();
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  #finalizeStatements(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
  }
}
