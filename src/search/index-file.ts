// A project's index file: a contentless FTS5 table, and the rows of each course version. Only one process at a time
// can open the file.
import { chmodSync, closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import type { LoggedPublication } from "../catalog/search-reader.ts";
import { WORDS_VERSION } from "./words.ts";

/** Raise this version when the tables below or the choice of indexed texts change. */
const FILE_VERSION = 1;
/** The maximum number of servers on one machine that can share a folder. */
const MAX_NUMBER = 16;
const PRAGMAS = [
  "busy_timeout = 0",
  "locking_mode = exclusive",
  "journal_mode = wal",
  "synchronous = normal",
  "cache_size = -16000",
  `journal_size_limit = ${4 * 1024 * 1024}`,
];
const IDS_PER_READ = 500;

/** Text to index. `row` is the number of the lesson version, or the negated number of the course version. */
export interface IndexedText {
  row: number;
  name: string;
  headings: string;
  rest: string;
}

const STATEMENTS = [
  // `contentless_delete` allows deleting a row without its text. The tokenizer treats all non-ASCII characters as
  // letters, which is correct because `words.ts` has already split the words.
  `create virtual table words using fts5(name, headings, rest, content = '', contentless_delete = 1, prefix = '1 2 3',
    tokenize = 'ascii')`,
  // `rows` contains the row numbers of the lessons in course order, 8 bytes each.
  "create table members (course_version integer primary key, rows blob not null)",
  "create table origin (identity text not null, publication integer, published_at text)",
];

/** Opens one of a project's index files. Throws if other processes use them all, or if the folder is not writable. */
export function openIndexFile(folder: string, project: string, identity: string): IndexFile {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A digest, because project names can be invalid as file names (`CON`) or differ only in case.
  const digest = Bun.SHA256.hash(project, "hex").slice(0, 32);
  for (let number = 0; number < MAX_NUMBER; number++) {
    const path = join(folder, `${digest}-${number}.db`);
    const file = tryToOpen(path, identity);
    if (file !== undefined) return file;
  }
  throw new Error(
    `${MAX_NUMBER} servers already use an index of this project in ${folder}; set another --search-dir for this server`,
  );
}

/** Returns undefined if another process has the file open. */
function tryToOpen(path: string, identity: string): IndexFile | undefined {
  for (let isSecond = false; ; isSecond = true) {
    try {
      closeSync(openSync(path, "a", 0o600));
      chmodSync(path, 0o600);
      return new IndexFile(path, identity);
    } catch (error) {
      const { code = "" } = error as { code?: string };
      if (code.startsWith("SQLITE_BUSY")) return undefined;
      if (isSecond || !(error instanceof IndexUnfit || isUnfit(error))) throw error;
      removeIndexFile(path);
    }
  }
}

class IndexUnfit extends Error {}

/** Returns true if SQLite reports that the file is damaged or not a database. */
export function isUnfit(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|FORMAT)/.test(String((error as { code?: unknown } | undefined)?.code));
}

export function removeIndexFile(path: string): void {
  for (const ending of ["", "-wal", "-journal"]) rmSync(path + ending, { force: true });
}

export class IndexFile {
  readonly path: string;
  readonly #database: Database;

  /** Throws IndexUnfit if the index belongs to another store or version. */
  constructor(path: string, identity: string) {
    this.path = path;
    this.#database = new Database(path, { readwrite: true, create: true });
    try {
      for (const pragma of PRAGMAS) this.#database.run(`pragma ${pragma}`);
      // The first transaction takes the lock, which is kept until the file is closed.
      this.#database.run("begin immediate");
      this.#prepare(identity);
      this.#database.run("commit");
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #prepare(identity: string): void {
    const version = FILE_VERSION * 1000 + WORDS_VERSION;
    const found = Number(this.#get("pragma user_version")?.["user_version"] ?? 0);
    if (found === 0) {
      for (const statement of STATEMENTS) this.#database.run(statement);
      this.#run("insert into origin (identity) values (?)", identity);
      this.#database.run(`pragma user_version = ${version}`);
    } else if (found !== version || this.#get("select identity from origin")?.["identity"] !== identity) {
      throw new IndexUnfit();
    }
  }

  /** The project's newest publication when the index was last compared with the store. */
  get publication(): LoggedPublication | undefined {
    const row = this.#get("select publication, published_at from origin");
    const [id, publishedAt] = [row?.["publication"], row?.["published_at"]];
    return typeof id === "number" ? { id, publishedAt: String(publishedAt) } : undefined;
  }

  set publication(newest: LoggedPublication | undefined) {
    this.#run("update origin set publication = ?, published_at = ?", newest?.id ?? null, newest?.publishedAt ?? null);
  }

  /**
   * Returns the rows of a course version's lessons, in order and without the course's own row; undefined until all
   * are indexed.
   */
  rowsOf(courseVersion: number): Float64Array | undefined {
    const rows = this.#get("select rows from members where course_version = ?", courseVersion)?.["rows"];
    return rows === undefined ? undefined : new Float64Array((rows as Uint8Array<ArrayBuffer>).slice().buffer);
  }

  hasRow(row: number): boolean {
    return this.#get("select rowid from words where rowid = ?", row) !== undefined;
  }

  hasVersion(courseVersion: number): boolean {
    return this.#get("select 1 from members where course_version = ?", courseVersion) !== undefined;
  }

  addText({ row, name, headings, rest }: IndexedText): void {
    this.#run("insert into words (rowid, name, headings, rest) values (?, ?, ?, ?)", row, name, headings, rest);
  }

  addVersion(courseVersion: number, rows: Float64Array): void {
    this.#run("insert or replace into members values (?, ?)", courseVersion, new Uint8Array(rows.buffer));
  }

  removeRow(row: number): void {
    this.#run("delete from words where rowid = ?", row);
  }

  removeVersion(courseVersion: number): void {
    this.#run("delete from members where course_version = ?", courseVersion);
  }

  listVersions(after: number): number[] {
    return this.#listIds("select course_version as id from members where course_version > ? order by 1 limit ?", after);
  }

  /** Lists the next rows after `after`, in ascending order. */
  listRows(after: number): number[] {
    return this.#listIds("select rowid as id from words where rowid > ? order by rowid limit ?", after);
  }

  /** Visits the matching rows of all releases in ascending order. */
  visitMatches(match: string, visit: (row: number) => void): void {
    const found = this.#database.query<{ id: number }, string>(
      "select rowid as id from words where words match ? order by rowid",
    );
    for (const { id } of found.iterate(match)) visit(id);
  }

  begin(): void {
    if (!this.#database.inTransaction) this.#database.run("begin");
  }

  commit(): void {
    if (this.#database.inTransaction) this.#database.run("commit");
  }

  rollback(): void {
    if (this.#database.inTransaction) this.#database.run("rollback");
  }

  close(): void {
    this.#database.close();
  }

  #listIds(sql: string, after: number): number[] {
    const rows = this.#database.query<{ id: number }, number[]>(sql).all(after, IDS_PER_READ);
    return rows.map(({ id }) => id);
  }

  #get(sql: string, ...values: (string | number)[]): Record<string, unknown> | undefined {
    return (this.#database.query(sql).get(...values) ?? undefined) as Record<string, unknown> | undefined;
  }

  #run(sql: string, ...values: (string | number | null | Uint8Array)[]): void {
    this.#database.query(sql).run(...values);
  }
}
