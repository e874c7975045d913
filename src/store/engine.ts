import { ExpectedError } from "../catalog/expected-error.ts";
import type { ChangeFeed, LockHolder } from "../catalog/store.ts";
import type { Query } from "./queries/query.ts";
import type { Migration } from "./schema.ts";

export interface Connection {
  /** Returns all rows. Caches the prepared statement. Throws the database's error. */
  run<Row>(query: Query<Row>): Promise<Row[]>;
  insert(table: string, rows: readonly object[]): Promise<void>;
}

export interface Dialect {
  /** The SQL type of text that is compared by its UTF-8 bytes. */
  text: string;
  bytes: string;
  /** Statements that turn off the engine's compression of a column whose content is already compressed. */
  keepAsIs: (table: string, column: string) => string[];
  /** Ends the definition of a table whose rows are short and always found by key. */
  withoutRowid: string;
  ownStatements: () => string[];
  /** Statements that make a migration wait for transactions that have checked the schema, and vice versa. */
  excludeWriters: string[];
  schemaTables: Query;
  /** Finds what no version of the schema contains and what could change content, such as triggers. */
  foreignParts: (tables: readonly string[]) => Query<{ name: string }>;
}

/** Runs a write transaction. Rolls back if `use` throws. */
export type Transact = <T>(use: (transaction: Connection) => Promise<T>) => Promise<T>;

/** The lock of a project. On PostgreSQL, transactions under the lock fail once it is lost. */
export interface EngineLock extends Pick<Engine, "transact" | "transactContent"> {
  free: () => Promise<void>;
}

/** Runs `read` with SQL for the lineage ("" if unknown), which changes if the database returns to an earlier state. */
export type ReadWithLineage = <T>(read: (lineage: Query) => Promise<T[]>) => Promise<T | undefined>;

/** The differences between the engines. All other queries are shared. */
export interface Engine {
  /** Reads only committed rows, never those of this process's open transaction. */
  read: Connection;
  /** The number of connections that `read` shares; undefined for a file, which is read without waiting. */
  readsAtOnce?: number;
  /** Like `read`, but for polling: does not wait for this process's other reads. */
  readChanges: Connection;
  /** Like `read`, but for asset content, which must not evict other rows from the cache of `read`. */
  readPieces: Connection;
  transact: Transact;
  /** Like `transact`, but for import content, which could fill the disk: leaves some space free. */
  transactContent: Transact;
  /** Like `transact`, but for writes that can wait or be lost in a power failure: fails soon if others write. */
  transactSoon: Transact;
  /** Reads from one snapshot, taken at the first read. */
  snapshot: Transact;
  /**
   * Throws ExpectedError if a later version has migrated the schema to one that this program cannot write, and what
   * `requireSame` throws.
   */
  requireWritable: (transaction: Connection) => Promise<void>;
  acquireLock(
    project: string,
    holder: LockHolder,
    onWait: (holder: LockHolder | undefined) => void,
  ): Promise<EngineLock>;
  emptyLog: () => Promise<void>;
  vacuum: () => Promise<{ before: number; after: number }>;
  /** Updates the planner's statistics after a large load, where the engine plans by them. */
  analyze: () => Promise<void>;
  measureBytes: () => Promise<number>;
  /** Returns the size of a log that waits to be moved into the database file: others must leave it that much space. */
  measureLog: () => number;
  /** SQL that locks a query's rows and skips those that another transaction has locked. */
  skipLocked: Query;
  /** Returns SQL for a UTC timestamp by the database's clock, `inMs` from now. */
  timestamp: (inMs: number) => Query;
  readWithLineage: ReadWithLineage;
  /** Throws an Error if the URL now names another database, and DatabaseUnusable if the open one was overwritten. */
  requireSame: (lineage: string) => void;
  isUnavailable: (error: unknown) => boolean;
  /** Returns true if an error means that the database or its disk is damaged. */
  isDamage: (error: unknown) => boolean;
  reconnect: ChangeFeed["reconnect"];
  close: () => Promise<void>;
}

export interface ConnectionOptions {
  poolSize: number;
  connectTimeoutMs: number;
  /** The statement time-out; 0 for none. */
  statementTimeoutMs: number;
  /** The row lock time-out; undefined where `statementTimeoutMs` is enough. */
  lockTimeoutMs?: number;
}

export interface OpenOptions {
  /** If false, opening a missing database throws DatabaseMissing. */
  create: boolean;
  /** True for a command that writes and therefore migrates an older schema. `create` implies `writes`. */
  writes?: boolean;
  /** Called with messages for the user about a migration. */
  tell?: (text: string) => void;
  /** This version's migrations by default. */
  migrations?: readonly Migration[];
  /** True if another process of this server has just checked the schema. */
  trustsSchema?: boolean;
  /** The defaults suit commands. SQLite ignores these options. */
  postgres?: ConnectionOptions;
  assetFolder?: string | undefined;
}

/** The whole database is unusable, and servers answer 503. After BodyDamaged, for one damaged row, they answer 500. */
export class DatabaseUnusable extends ExpectedError {}

export class DatabaseMissing extends ExpectedError {
  /** The message without the remedy. */
  readonly what: string;
  readonly restore: string;

  constructor(what: string, restore = "`lectern restore BACKUP`") {
    super(
      `${what}. Create one with \`npm start\`, \`lectern import\` or \`lectern keys create\`, restore a backup with ` +
        `${restore}, or set --database or LECTERN_DATABASE.`,
    );
    this.what = what;
    this.restore = restore;
  }
}

export function databaseDamaged(database: string, cause: unknown): ExpectedError {
  return new ExpectedError(
    `${database} is damaged: restore a backup (\`lectern restore FILE\`), or import into a new database.`,
    { cause },
  );
}

export class DiskFull extends ExpectedError {}

export function diskFull(disk: string, cause: unknown): DiskFull {
  return new DiskFull(
    `No space left on ${disk}. The command was undone. Free some space there, or in the database with ` +
      "`lectern prune --keep N`, and run the command again.",
    { cause },
  );
}
