// What an engine is to the queries, which are the same on each. How it does that stands in one file per engine.
import type { ChangeFeed, LockHolder } from "../catalog/store.ts";
import type { Query } from "./query.ts";

/** Runs queries: a pool, one handle, or an open transaction. */
export interface Connection {
  /** All rows of the result. The statement is prepared once and kept. Throws the database's error. */
  run<Row>(query: Query<Row>): Promise<Row[]>;
  /** Inserts rows, each with the columns of the first; none is fine. */
  insert(table: string, rows: readonly object[]): Promise<void>;
}

/** What the schema must say differently per engine. */
export interface Dialect {
  /** The type of texts: compared and ordered by their UTF-8 bytes. */
  text: string;
  /** The type of bytes. */
  bytes: string;
  /** Statements after which the engine does not compress a column of bytes, since they are compressed already. */
  keepAsIs: (table: string, column: string) => string[];
  /** After a table whose rows are short and always found by their key. */
  withoutRowid: string;
  /** Statements of the schema that no other engine needs. */
  ownStatements: () => string[];
  /** The names of the tables `lectern_schema` and `schema_version`, as far as they exist. */
  schemaTables: Query;
}

/** Runs a transaction that writes: all of it happens, or, when `use` throws, nothing. */
export type Transact = <T>(use: (transaction: Connection) => Promise<T>) => Promise<T>;

/** The lock of a project. On PostgreSQL its transactions fail once the lock is lost. */
export interface EngineLock extends Pick<Engine, "transact" | "transactContent"> {
  free: () => Promise<void>;
}

/**
 * Runs a query for a course with the condition that finds it by id or slug in `course_versions v`. By id first: a slug is
 * never another course's id, but it may be the course's own.
 */
export type FindByIdOrSlug = <T>(idOrSlug: string, find: (condition: Query) => Promise<T[]>) => Promise<T | undefined>;

/**
 * Runs a query with an expression for the history of the database as the engine itself knows it: a text that changes when the
 * database is put back to an earlier state beneath its tables; "" where that cannot be told.
 */
export type ReadWithLineage = <T>(read: (lineage: Query) => Promise<T[]>) => Promise<T | undefined>;

/** What each engine does in its own way. Everything else is said once, in the queries. */
export interface Engine {
  dialect: Dialect;
  /** Sees what is committed, never what a transaction of this process has open. */
  read: Connection;
  /** As `read`, for polling for changes: it does not wait for other reads of this process. */
  readChanges: Connection;
  /** As `read`, for content of assets: it must not evict what `read` has in memory. */
  readPieces: Connection;
  /** Short changes that need no project's lock. */
  transact: Transact;
  /** As `transact` for content of imports, which may fill the disk: leaves spare room there. */
  transactContent: Transact;
  /** As `transact` for what can wait, and be lost when the power fails: fails soon, as unavailable, while another process writes. */
  transactSoon: Transact;
  /** Reads that all see the database as it is at the first of them. */
  snapshot: Transact;
  /** Takes the lock of a project; see PublishingStore.lockProject. */
  takeLock(project: string, holder: LockHolder, onWait: (holder: LockHolder | undefined) => void): Promise<EngineLock>;
  /** Moves the log into the database, as far as readers allow. */
  emptyLog: () => Promise<void>;
  /** Gives unused space back to the system. Resolves with the bytes before and after. Throws TooLittleRoom, DiskFull. */
  vacuum: () => Promise<{ before: number; after: number }>;
  findByIdOrSlug: FindByIdOrSlug;
  /** Follows a query for rows to change: locks them, and skips those that another transaction has locked. */
  skipLocked: Query;
  /** An expression for a UTC timestamp by the clock of the database, so many milliseconds from now. */
  timestamp: (inMs: number) => Query;
  readWithLineage: ReadWithLineage;
  /**
   * Throws when the URL no longer names the open database, since a server would follow a database that nobody else sees;
   * DatabaseDamaged when the file is a mixture of both. `lineage` is what `readWithLineage` has just given.
   */
  requireSame: (lineage: string) => void;
  /** True for an error that says that the database cannot be used just now, not that a query is wrong. */
  isUnavailable: (error: unknown) => boolean;
  /** See ChangeFeed. */
  reconnect: ChangeFeed["reconnect"];
  close: () => Promise<void>;
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
  /** Where contents of assets are stored; undefined for the database. */
  assetFolder?: string | undefined;
}
