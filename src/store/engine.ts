import type { SQL, TransactionSQL } from "bun";
import type { ChangeFeed, PublishingStore } from "../catalog/store.ts";

/** Anything that runs queries: the pool, or an open transaction. */
export type Queries = SQL | TransactionSQL;

/** What the schema must say differently per engine. */
export interface Dialect {
  /** The type of texts: compared and ordered by their UTF-8 bytes. */
  text: string;
  /** After a table whose rows are short and always found by their key. */
  withoutRowid: string;
  /** Tables that no other engine needs. */
  ownTables: string[];
  /** Statements that give a new database what tells it from others besides the identity in its tables. */
  markFile: () => string[];
}

/** Runs a transaction that writes: all of it happens, or, when `use` throws, nothing. */
export type Transact = <T>(use: (sql: TransactionSQL) => Promise<T>) => Promise<T>;

/** Takes the lock of a project as the engine can; see PublishingStore.lockProject. */
export type TakeLock = PublishingStore["lockProject"];

/**
 * Runs a query for a course with the condition that finds it by id or slug in `course_versions v`. By id first: a slug is
 * never another course's id, but it may be the course's own.
 */
export type FindByIdOrSlug = <T>(
  idOrSlug: string,
  find: (condition: SQL.Query<unknown>) => Promise<T[]>,
) => Promise<T | undefined>;

/**
 * Runs a query with an expression for what the engine itself tells of the course of events that led to this database: a
 * text that changes when the database is put back to an earlier state beneath its tables; "" where that cannot be told.
 */
export type ReadWithLineage = <T>(read: (lineage: SQL.Query<unknown>) => Promise<T[]>) => Promise<T | undefined>;

/** What each engine does in its own way. Everything else is said once, in the queries. */
export interface Engine {
  /** Sees what is committed, never what a transaction of this process has open. */
  read: SQL;
  /** Of short changes by themselves. */
  transact: Transact;
  /** Of what can wait: fails soon, as unavailable, rather than hold this process up while another one writes. */
  transactSoon: Transact;
  /** Of whoever holds the lock of a project; on PostgreSQL it fails when the lock is lost. */
  transactLocked: Transact;
  /** Reads that all see the database as it is at the first of them. */
  snapshot: Transact;
  takeLock: TakeLock;
  /**
   * Takes room on the disk before what makes the database grow, so that it can be cleaned up when the disk is full. Undefined
   * where that is not needed, or not now. `giveBack` is called before the cleaning up, and at the end in any case.
   */
  reserveRoom: () => Promise<{ giveBack(): Promise<void> } | undefined>;
  findByIdOrSlug: FindByIdOrSlug;
  /** How many rows one insert writes at most. */
  rowsPerInsert: number;
  readWithLineage: ReadWithLineage;
  /**
   * Throws when what the URL names is no longer what is open, since a server would follow a database that nobody else sees;
   * DatabaseDamaged when it is neither the one nor the other. `lineage` is what `readWithLineage` has just given.
   */
  requireSame: (lineage: string) => void;
  /** True for an error that says that the database cannot be used just now, not that a query is wrong. */
  isUnavailable: (error: unknown) => boolean;
  /** See ChangeFeed. */
  watch: ChangeFeed["watch"];
  reconnect: ChangeFeed["reconnect"];
  close(): Promise<void>;
}

export interface ConnectionOptions {
  /** Connections for reading, at most; they are opened when the first is needed. */
  poolSize: number;
  connectTimeoutMs: number;
  /** The server ends a statement that takes longer; 0 for none. */
  statementTimeoutMs: number;
}

export interface OpenOptions {
  /** False: a database that is not there is an error, DatabaseMissing, rather than made. */
  create: boolean;
  /**
   * What is done about the schema: brought up to date (undefined); waited for, as on a replica of what was just brought
   * up to date; or nothing, because another process has just opened the database.
   */
  schema?: "awaited" | "trusted";
  /** Undefined for what suits a command. SQLite takes no notice. */
  postgres?: ConnectionOptions;
}

/** There is no database, or nothing of ours in it, and none was to be made. */
export class DatabaseMissing extends Error {
  /** `what` is missing, as a sentence without its end. */
  constructor(what: string) {
    super(`${what}; \`npm start\`, \`lectern import\` and \`lectern keys create\` make one.`);
  }
}
/** Something other than the database has written over its file, under those who use it. */
export class DatabaseDamaged extends Error {}
/** A change found no room on the disk, and was not made. */
export class DiskFull extends Error {
  /** `disk` names it: "the disk of the PostgreSQL server db.internal". */
  constructor(disk: string, cause: unknown) {
    super(
      `There is no room left on ${disk}. What was under way was not done. Make room, there or in the database with ` +
        "`lectern prune --keep N`, and run the command again.",
      { cause },
    );
  }
}
/** There is no way to the database, or it lets nobody in. */
export class DatabaseUnreachable extends Error {}

/**
 * Inserts rows of plain columns, many at a time. The sizes are few, so that few statements differ: a database keeps each
 * one that it has parsed.
 */
export async function insertRows(
  sql: Queries,
  table: string,
  rows: readonly object[],
  rowsPerInsert: number,
): Promise<void> {
  let size = rowsPerInsert;
  for (let from = 0; from < rows.length; from += size) {
    while (size > rows.length - from) size = Math.ceil(size / 8);
    await sql`insert into ${sql(table)} ${sql(rows.slice(from, from + size))}`;
  }
}
