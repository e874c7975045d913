import type { ChangeFeed, LockHolder } from "../catalog/store.ts";
import type { Query } from "./queries/query.ts";
import type { Migration } from "./schema.ts";

export interface Connection {
  /** Returns all rows. Caches the prepared statement. Throws the database's error. */
  run<Row>(query: Query<Row>): Promise<Row[]>;
  insert(table: string, rows: readonly object[]): Promise<void>;
}

export interface Dialect {
  /** The SQL type for text that is compared by UTF-8 bytes. */
  text: string;
  bytes: string;
  /** Statements that turn off the engine's compression of a column that is already compressed. */
  keepAsIs: (table: string, column: string) => string[];
  /** Follows a table whose rows are short and always found by key. */
  withoutRowid: string;
  ownStatements: () => string[];
  /** Statements that make a migration wait for transactions that have checked the schema, and those for the migration. */
  excludeWriters: string[];
  schemaTables: Query;
}

/** Runs a write transaction, and rolls back when `use` throws. */
export type Transact = <T>(use: (transaction: Connection) => Promise<T>) => Promise<T>;

/** The lock of a project. On PostgreSQL its transactions fail once the lock is lost. */
export interface EngineLock extends Pick<Engine, "transact" | "transactContent"> {
  free: () => Promise<void>;
}

/** Runs a query with a text that changes when the database returns to an earlier state; "" if unknown. */
export type ReadWithLineage = <T>(read: (lineage: Query) => Promise<T[]>) => Promise<T | undefined>;

/** The differences between the engines. Shared queries do the rest. */
export interface Engine {
  /** Sees committed rows only, never an open transaction of this process. */
  read: Connection;
  /** As `read`, for polling: does not wait for other reads of this process. */
  readChanges: Connection;
  /** As `read`, for asset content: must not evict the cache of `read`. */
  readPieces: Connection;
  transact: Transact;
  /** As `transact`, for import content, which could fill the disk: leaves some space free. */
  transactContent: Transact;
  /** As `transact`, for writes that can wait or be lost in a power failure: fails soon while another process writes. */
  transactSoon: Transact;
  /** Reads from one snapshot, taken at the first read. */
  snapshot: Transact;
  /** Throws ExpectedError if a later version has migrated the schema to one that this program cannot write. */
  requireWritable: (transaction: Connection) => Promise<void>;
  acquireLock(
    project: string,
    holder: LockHolder,
    onWait: (holder: LockHolder | undefined) => void,
  ): Promise<EngineLock>;
  emptyLog: () => Promise<void>;
  vacuum: () => Promise<{ before: number; after: number }>;
  /** The size of the database. */
  measureBytes: () => Promise<number>;
  /** Locks the rows of a query and skips those that another transaction has locked. */
  skipLocked: Query;
  /** SQL for a UTC timestamp by the database's clock, `inMs` from now. */
  timestamp: (inMs: number) => Query;
  readWithLineage: ReadWithLineage;
  /** Throws when the URL names another database, DatabaseUnusable when the open one was overwritten. */
  requireSame: (lineage: string) => void;
  isUnavailable: (error: unknown) => boolean;
  /** True if an error means that the database or its disk is damaged. */
  isDamage: (error: unknown) => boolean;
  reconnect: ChangeFeed["reconnect"];
  close: () => Promise<void>;
}

export interface ConnectionOptions {
  poolSize: number;
  connectTimeoutMs: number;
  /** Statement time-out; 0 for none. */
  statementTimeoutMs: number;
  /** Row lock time-out; undefined where `statementTimeoutMs` is enough. */
  lockTimeoutMs?: number;
}

export interface OpenOptions {
  /** False makes a missing database an error, DatabaseMissing. */
  create: boolean;
  /** True for a command that writes: it migrates an older schema. `create` implies it. */
  writes?: boolean;
  /** Called with messages about a migration for the user. */
  tell?: (text: string) => void;
  /** Defaults to the migrations of this version. */
  migrations?: readonly Migration[];
  /** True when another process of this server just checked the schema. */
  trustsSchema?: boolean;
  /** Defaults suit commands. SQLite ignores them. */
  postgres?: ConnectionOptions;
  assetFolder?: string | undefined;
}
