import type { SQL } from "bun";
import { ExpectedError } from "../../catalog/expected-error.ts";
import {
  DatabaseMissing,
  diskFull,
  type Connection,
  type ConnectionOptions,
  type Dialect,
  type Engine,
  type OpenOptions,
  type ReadWithLineage,
  type Transact,
} from "../engine.ts";
import { acquireProjectLock, begin, connect, createConnection, createRenewablePool } from "./postgres-connections.ts";
import { describeConnectFault, isDelay, isPostgresDamage, isPostgresUnavailable, LOCKED } from "./postgres-errors.ts";
import { list, raw, sql } from "../queries/query.ts";
import { findSchema, needsPreparation, prepareSchema, recheckSchema } from "../schema.ts";

/** For commands: their statements can run long but do not wait for locks forever. */
const FOR_COMMANDS: ConnectionOptions = {
  poolSize: 1,
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 0,
  lockTimeoutMs: 30_000,
};

/** Less than the time-out of polls, so that a poll behind a lock fails with the cause that PostgreSQL gives. */
const MAX_POLL_STATEMENT_MS = 1500;

/** The row lock time-out of a write that can wait. */
const SOON_MS = 100;

/** The class of the schema's advisory lock, `Lecu` in ASCII; project locks use `Lect`. */
const SCHEMA_LOCK = 0x4c656375;
/**
 * How long a migration waits for a lock, with servers waiting behind it. Far less than `deadlock_timeout`, 1 s: if a
 * server and the migration wait for each other, the migration gives up and tries again.
 */
const MIGRATION_LOCK_MS = 100;
const MIGRATION_TRIES = 150;

const DISK_FULL = "53100";
/** SQLSTATEs for functions that this role is not allowed to call or that this server lacks. */
const NO_FUNCTION = ["42501", "42883", "0A000"];

const VACUUMED_TABLES = [
  "course_versions",
  "lesson_versions",
  "version_lessons",
  "release_courses",
  "releases",
  "publications",
  "asset_chunks",
];
export const POSTGRES_DIALECT: Dialect = {
  // Byte order, as in SQLite, depends neither on languages nor on system updates, which would break indexes.
  text: 'text collate "C"',
  bytes: "bytea",
  keepAsIs: (table, column) => [`alter table ${table} alter column ${column} set storage external`],
  withoutRowid: "",
  ownStatements: () => [
    // The last holder of each project's lock; the lock itself is advisory.
    'create table project_locks (project text collate "C" primary key, holder text not null)',
  ],
  excludeWriters: ["lock table lectern_schema in access exclusive mode"],
  schemaTables: sql`
    select relname as name from pg_class
    where relkind = 'r' and relname in ('lectern_schema', 'schema_version') and pg_table_is_visible(oid)`,
  foreignParts: (tables) => sql`
    select p.name || ' on ' || t.relname as name from pg_class t join (
      select tgrelid as oid, 'trigger ' || tgname as name from pg_trigger where not tgisinternal
      union all select ev_class, 'rule ' || rulename from pg_rewrite
    ) p on p.oid = t.oid where pg_table_is_visible(t.oid) and t.relname in ${list(tables)} order by 1`,
};

/** Opens a database. Throws DatabaseMissing if it does not exist, or another ExpectedError if it cannot be used. */
export async function openPostgres(url: string, open: OpenOptions): Promise<Engine> {
  const options = open.postgres ?? FOR_COMMANDS;
  const pool = createRenewablePool(() => connect(url, options.poolSize, options));
  const read = createConnection(() => pool.client);
  const changesPool = createRenewablePool(() =>
    connect(url, 1, { ...options, statementTimeoutMs: Math.min(options.statementTimeoutMs, MAX_POLL_STATEMENT_MS) }),
  );
  try {
    // The time-out applies to reads, too. Poolers might reject this setting as a connection parameter.
    if (options.lockTimeoutMs !== undefined)
      await createConnection(() => pool.client).run(raw(`set lock_timeout = ${options.lockTimeoutMs}`));
    if (open.trustsSchema !== true) await checkSchema(pool.client, url, open);
  } catch (error) {
    await Promise.all([pool.close(), changesPool.close()]);
    // The URL can name an unreadable certificate file, for example.
    const isUrlAtFault = String((error as { code?: unknown }).code).startsWith("ERR_INVALID_ARG");
    if (!isUrlAtFault && (!isPostgresUnavailable(error) || isDelay(error))) throw error;
    const fault = await describeConnectFault(error as Error, url);
    const message = `The database ${describePostgres(url)} cannot be used: ${fault}.`;
    throw new ExpectedError(message, { cause: error });
  }
  const translateFullDisk = async <T>(change: Promise<T>): Promise<T> =>
    change.catch((error: { errno?: unknown }) => {
      throw error.errno === DISK_FULL ? diskFull(`the disk of the database ${describePostgres(url)}`, error) : error;
    });
  const beginWrite = async <T>(client: SQL, use: (transaction: Connection) => Promise<T>): Promise<T> =>
    begin(client, async (transaction) => {
      // Poolers might reject this setting as a connection parameter.
      if (options.lockTimeoutMs !== undefined) {
        await transaction.run(raw(`set local lock_timeout = ${options.lockTimeoutMs}`));
      }
      return use(transaction);
    });
  const transact: Transact = async (use) => translateFullDisk(beginWrite(pool.client, use));
  const measureBytes = async (): Promise<number> => {
    const [row] = await read.run(sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`);
    return Number(row?.bytes);
  };
  return {
    read,
    readsAtOnce: options.poolSize,
    readChanges: createConnection(() => changesPool.client),
    readPieces: read,
    transact,
    transactContent: transact,
    transactSoon: async (use) =>
      transact(async (transaction) => {
        await transaction.run(raw(`set local lock_timeout = ${SOON_MS}`));
        return use(transaction);
      }),
    snapshot: async (use) => begin(pool.client, use, "isolation level repeatable read, read only"),
    async requireWritable(transaction) {
      await recheckSchema(transaction, { ...open, place: describePostgres(url), writes: true });
    },
    async acquireLock(project, holder, onWait) {
      const own = connect(url, 1, { ...options, statementTimeoutMs: 0 });
      const { client, free } = await acquireProjectLock(own, project, onWait);
      const record = sql`insert into project_locks (project, holder) values (${project}, ${JSON.stringify(holder)})
        on conflict (project) do update set holder = excluded.holder`;
      await beginWrite(client, async (transaction) => transaction.run(record)).catch(async (error: unknown) => {
        await free();
        throw error;
      });
      const transactLocked: Transact = async (use) => translateFullDisk(beginWrite(client, use));
      return { transact: transactLocked, transactContent: transactLocked, free };
    },
    // PostgreSQL manages its own log.
    async emptyLog() {},
    measureBytes,
    measureLog: () => 0,
    async vacuum() {
      const before = await measureBytes();
      // A plain vacuum blocks nothing.
      for (const table of VACUUMED_TABLES) await read.run(raw(`vacuum ${table}`));
      return { before, after: await measureBytes() };
    },
    async analyze() {
      for (const table of VACUUMED_TABLES) await read.run(raw(`analyze ${table}`));
    },
    skipLocked: sql`for update skip locked`,
    timestamp: (inMs) => sql`to_char(
      (clock_timestamp() + ${inMs}::double precision * interval '1 millisecond') at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    readWithLineage: createLineageReader(),
    // Nothing to check: new connections go to whatever the URL names.
    requireSame: () => undefined,
    isUnavailable: isPostgresUnavailable,
    isDamage: isPostgresDamage,
    reconnect() {
      pool.renew();
      changesPool.renew();
    },
    async close() {
      await Promise.all([pool.close(), changesPool.close()]);
    },
  };
}

/**
 * Reads the lineage: the cluster and its timeline, which a promotion raises. On a primary, the control file shows the
 * new timeline minutes late, but the write-ahead log shows it at once. A replica has only the control file.
 */
function createLineageReader(): ReadWithLineage {
  let mayCall = true;
  return async (read) => {
    if (mayCall) {
      try {
        const [row] = await read(sql`(select system_identifier from pg_control_system())::text || '/' ||
          case when pg_is_in_recovery()
            then lpad(upper(to_hex(greatest(
              (select timeline_id from pg_control_checkpoint()),
              (select min_recovery_end_timeline from pg_control_recovery())))), 8, '0')
            else left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) end`);
        return row;
      } catch (error) {
        if (!NO_FUNCTION.includes(String((error as { errno?: unknown }).errno))) throw error;
      }
    }
    const [row] = await read(sql`''::text`);
    mayCall = false;
    return row;
  };
}

async function checkSchema(client: SQL, url: string, open: OpenOptions): Promise<void> {
  const { create, writes = create, migrations, tell = () => undefined } = open;
  const place = describePostgres(url);
  const use = { place, writes, migrations };
  const version = await findSchema(
    createConnection(() => client),
    POSTGRES_DIALECT,
    use,
  );
  if (!needsPreparation(version, use)) return;
  if (version === undefined && !create)
    throw new DatabaseMissing(`The database ${place} has no catalog`, "`pg_restore`");
  // Only one of several concurrent commands creates or migrates the schema.
  const transact: Transact = async (step) =>
    begin(client, async (transaction) => {
      await transaction.run(sql`select pg_advisory_xact_lock(${SCHEMA_LOCK}::bigint)`);
      await transaction.run(raw(`set local lock_timeout = ${MIGRATION_LOCK_MS}`));
      return step(transaction);
    });
  await prepareSchema(async (step) => retryLocked(async () => transact(step), place), POSTGRES_DIALECT, use, tell);
}

async function retryLocked<T>(transact: () => Promise<T>, place: string): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transact();
    } catch (error) {
      if ((error as { errno?: unknown }).errno !== LOCKED) throw error;
      if (tries === MIGRATION_TRIES) {
        const who = "a long transaction, such as that of an import, of `lectern copy` or of pg_dump";
        throw new ExpectedError(
          `The schema of ${place} cannot be migrated during ${who}. Nothing was changed. Run the command again after that transaction.`,
          { cause: error },
        );
      }
      await Bun.sleep(MIGRATION_LOCK_MS);
    }
  }
}

/** Returns a URL's host and database, without secrets. */
export function describePostgres(url: string): string {
  const { host, pathname } = new URL(url);
  return `${pathname.slice(1)} on ${host}`;
}
