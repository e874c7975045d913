import type { ChangeFeed, LockHolder } from "../catalog/store.ts";
import type { Query } from "./query.ts";

export interface Connection {
  /** All rows of the result. The statement is prepared once and kept. Throws the database's error. */
  run<Row>(query: Query<Row>): Promise<Row[]>;
  insert(table: string, rows: readonly object[]): Promise<void>;
}

export interface Dialect {
  /** The type of texts: compared and ordered by their UTF-8 bytes. */
  text: string;
  bytes: string;
  /** Statements after which the engine does not compress a column of bytes, since they are compressed already. */
  keepAsIs: (table: string, column: string) => string[];
  /** After a table whose rows are short and always found by their key. */
  withoutRowid: string;
  ownStatements: () => string[];
  schemaTables: Query;
}

/** Runs a transaction that writes: all of it happens, or, when `use` throws, nothing. */
export type Transact = <T>(use: (transaction: Connection) => Promise<T>) => Promise<T>;

/** The lock of a project. On PostgreSQL its transactions fail once the lock is lost. */
export interface EngineLock extends Pick<Engine, "transact" | "transactContent"> {
  free: () => Promise<void>;
}

/** Runs a query with the condition that finds a course by id, then by slug. */
export type FindByIdOrSlug = <T>(idOrSlug: string, find: (condition: Query) => Promise<T[]>) => Promise<T | undefined>;

/** Runs a query with a text that changes when the database goes back to an earlier state; "" if unknown. */
export type ReadWithLineage = <T>(read: (lineage: Query) => Promise<T[]>) => Promise<T | undefined>;

/** What each engine does in its own way. Everything else is said once, in the queries. */
export interface Engine {
  /** Sees what is committed, never what a transaction of this process has open. */
  read: Connection;
  /** As `read`, for polling for changes: it does not wait for other reads of this process. */
  readChanges: Connection;
  /** As `read`, for content of assets: it must not evict what `read` has in memory. */
  readPieces: Connection;
  transact: Transact;
  /** As `transact` for content of imports, which may fill the disk: leaves spare room there. */
  transactContent: Transact;
  /** As `transact` for what can wait, and be lost when the power fails: fails soon, as unavailable, while another process writes. */
  transactSoon: Transact;
  /** Reads that all see the database as it is at the first of them. */
  snapshot: Transact;
  takeLock(project: string, holder: LockHolder, onWait: (holder: LockHolder | undefined) => void): Promise<EngineLock>;
  emptyLog: () => Promise<void>;
  vacuum: () => Promise<{ before: number; after: number }>;
  /** The size of the database. */
  measureBytes: () => Promise<number>;
  findByIdOrSlug: FindByIdOrSlug;
  /** Follows a query for rows to change: locks them, and skips those that another transaction has locked. */
  skipLocked: Query;
  /** An expression for a UTC timestamp by the clock of the database, so many milliseconds from now. */
  timestamp: (inMs: number) => Query;
  readWithLineage: ReadWithLineage;
  /** Throws when the URL no longer names the open database, DatabaseUnusable when something has overwritten it. */
  requireSame: (lineage: string) => void;
  isUnavailable: (error: unknown) => boolean;
  reconnect: ChangeFeed["reconnect"];
  close: () => Promise<void>;
}

export interface ConnectionOptions {
  poolSize: number;
  connectTimeoutMs: number;
  /** The server ends a statement that takes longer; 0 for none. */
  statementTimeoutMs: number;
  /** A transaction that waits longer for another's row ends; undefined where `statementTimeoutMs` is enough. */
  lockTimeoutMs?: number;
}

export interface OpenOptions {
  /** False: a database that is not there is an error, DatabaseMissing, rather than made. */
  create: boolean;
  /** True where another process of this server has just checked the schema. */
  trustsSchema?: boolean;
  /** Undefined for what suits a command. SQLite takes no notice. */
  postgres?: ConnectionOptions;
  assetFolder?: string | undefined;
}
