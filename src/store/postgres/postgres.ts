import { SQL, type TransactionSQL } from "bun";
import { ExpectedError } from "../../catalog/expected-error.ts";
import type {
  Connection,
  ConnectionOptions,
  Dialect,
  Engine,
  OpenOptions,
  ReadWithLineage,
  Transact,
} from "../engine.ts";
import { DatabaseMissing, diskFull } from "../errors.ts";
import { describeConnectFault, isPostgresUnavailable } from "./postgres-errors.ts";
import { formatQuery, insertInto, raw, sql, type Query } from "../queries/query.ts";
import { createSchema, findSchema } from "../schema.ts";
import type { LockHolder } from "../../catalog/store.ts";

/** For commands: statements may run long, but do not wait for others forever. */
const FOR_COMMANDS: ConnectionOptions = {
  poolSize: 1,
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 0,
  lockTimeoutMs: 30_000,
};

/** Row lock time-out of a write that can wait. */
const SOON_MS = 100;

/** Class of advisory locks, `Lecu` in ASCII; project locks use `Lect`. */
const SCHEMA_LOCK = 0x4c656375;
/** PostgreSQL counts parameters in 16 bits: allows up to 130 columns. */
const ROWS_PER_INSERT = 500;
/** Marks a parameter until Bun numbers it; SQL text cannot contain it. */
const PLACE = "\0";

const DISK_FULL = "53100";
/** SQLSTATEs of functions that this role may not call or this server lacks. */
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
  // Byte order, as in SQLite: independent of languages and of system updates that would break indexes.
  text: 'text collate "C"',
  bytes: "bytea",
  keepAsIs: (table, column) => [`alter table ${table} alter column ${column} set storage external`],
  withoutRowid: "",
  ownStatements: () => [
    // The last holder of each project's lock; the lock itself is advisory.
    'create table project_locks (project text collate "C" primary key, holder text not null)',
  ],
  schemaTables: sql`
    select relname as name from pg_class
    where relkind = 'r' and relname in ('lectern_schema', 'schema_version') and pg_table_is_visible(oid)`,
};

/** Throws ExpectedError, DatabaseMissing. */
export async function openPostgres(url: string, { create, trustsSchema, postgres }: OpenOptions): Promise<Engine> {
  const options = postgres ?? FOR_COMMANDS;
  const pool = createRenewablePool(() => connect(url, options.poolSize, options));
  const read = createConnection(() => pool.client);
  const changesPool = createRenewablePool(() => connect(url, 1, options));
  try {
    if (trustsSchema !== true) await prepareSchema(pool.client, url, create);
  } catch (error) {
    await Promise.all([pool.close(), changesPool.close()]);
    // For example, an unreadable certificate file.
    const isUrlAtFault = String((error as { code?: unknown }).code).startsWith("ERR_INVALID_ARG");
    if (!isUrlAtFault && !isPostgresUnavailable(error)) throw error;
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
      // Poolers may reject this as a connection parameter.
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
    async vacuum() {
      const before = await measureBytes();
      // Plain vacuums block nobody.
      for (const table of VACUUMED_TABLES) await read.run(raw(`vacuum ${table}`));
      return { before, after: await measureBytes() };
    },
    // One round trip for either.
    async findByIdOrSlug(idOrSlug, find) {
      const [row] = await find(sql`(v.course_id = ${idOrSlug} or v.slug = ${idOrSlug})`);
      return row;
    },
    skipLocked: sql`for update skip locked`,
    timestamp: (inMs) => sql`to_char(
      (clock_timestamp() + ${inMs}::double precision * interval '1 millisecond') at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    readWithLineage: createLineageReader(),
    // New connections follow the URL.
    requireSame: () => undefined,
    isUnavailable: isPostgresUnavailable,
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
 * The lineage is the cluster and its timeline, which a promotion raises. A primary's control file shows the new
 * timeline minutes late, its write-ahead log at once; a replica only has the control file.
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

// Bun replaces closed connections only: one to a dead machine stays open for minutes.
function createRenewablePool(open: () => SQL) {
  let client = open();
  return {
    get client() {
      return client;
    },
    /** Ends every connection and fails its pending queries; the next query reconnects. */
    renew() {
      void client.close({ timeout: 0 }).catch(() => undefined);
      client = open();
    },
    close: async () => client.close({ timeout: 0 }),
  };
}

function createConnection(getClient: () => SQL | TransactionSQL): Connection {
  return {
    run: async (query) => runOn(getClient(), query),
    async insert(table, rows) {
      let size = ROWS_PER_INSERT;
      for (let from = 0; from < rows.length; from += size) {
        // Few sizes mean few cached statements.
        while (size > rows.length - from) size = Math.ceil(size / 8);
        await runOn(getClient(), insertInto(table, rows.slice(from, from + size)));
      }
    },
  };
}

async function runOn<Row>(client: SQL | TransactionSQL, query: Query<Row>): Promise<Row[]> {
  const { text, values } = formatQuery(query, PLACE);
  const pieces = text.split(PLACE);
  // Bun prepares plain text only with parameters, templates always.
  Object.defineProperty(pieces, "raw", { value: pieces });
  return client<Row[]>(pieces as unknown as TemplateStringsArray, ...values);
}

async function begin<T>(client: SQL, use: (transaction: Connection) => Promise<T>, options = ""): Promise<T> {
  return client.begin(options, async (transaction) => use(createConnection(() => transaction)));
}

function connect(url: string, max: number, { connectTimeoutMs, statementTimeoutMs }: ConnectionOptions): SQL {
  return new SQL(url, {
    max,
    connectionTimeout: connectTimeoutMs / 1000,
    connection: {
      application_name: "lectern",
      // Poolers may reject unknown parameters.
      ...(statementTimeoutMs === 0 ? {} : { statement_timeout: statementTimeoutMs }),
    },
  });
}

async function prepareSchema(client: SQL, url: string, create: boolean): Promise<void> {
  const place = describePostgres(url);
  const read = createConnection(() => client);
  if (await findSchema(read, POSTGRES_DIALECT, place)) return;
  if (!create) throw new DatabaseMissing(`The database ${place} has no catalog`);
  // Of concurrent starts, one creates the schema.
  const transact: Transact = async (use) =>
    begin(client, async (transaction) => {
      await transaction.run(sql`select pg_advisory_xact_lock(${SCHEMA_LOCK}::bigint)`);
      return use(transaction);
    });
  await createSchema(transact, POSTGRES_DIALECT, place);
}

/** Host and database of a URL, without secrets. */
export function describePostgres(url: string): string {
  const { host, pathname } = new URL(url);
  return `${pathname.slice(1)} on ${host}`;
}

/** Class of advisory locks, `Lect` in ASCII, so that they collide with nobody else's. */
export const PROJECT_LOCKS = 0x4c656374;
const LOCK_RETRY_MS = 50;
/** A multiple of the poll interval. The server notices a killed process late. */
const WAIT_WORTH_TELLING_MS = 250;

/** An advisory lock on the holder's own write connection, so that its writes fail with the lock. */
async function acquireProjectLock(
  pool: SQL,
  project: string,
  onWait: (holder: LockHolder | undefined) => void,
): Promise<{ client: SQL; free: () => Promise<void> }> {
  try {
    const client = await pool.reserve();
    // Polls, because in the server's queue a command could run between another's import and its prune.
    for (let waitedMs = 0; !(await tryLock(client, project)); waitedMs += LOCK_RETRY_MS) {
      if (waitedMs === WAIT_WORTH_TELLING_MS) onWait(await findHolder(client, project));
      await Bun.sleep(LOCK_RETRY_MS);
    }
    const free = async (): Promise<void> => {
      // First, because the server may notice the closed connection late.
      await client`select pg_advisory_unlock_all()`.catch(() => undefined);
      await pool.close({ timeout: 0 });
    };
    return { client, free };
  } catch (error) {
    await pool.close({ timeout: 0 });
    throw error;
  }
}

async function tryLock(client: SQL, project: string): Promise<boolean> {
  const [row] = await client<{ taken: boolean }[]>`
    select pg_try_advisory_lock(${PROJECT_LOCKS}::integer, hashtext(${project})) as taken`;
  return row?.taken === true;
}

async function findHolder(client: SQL, project: string): Promise<LockHolder | undefined> {
  const [row] = await client<{ holder: string }[]>`select holder from project_locks where project = ${project}`;
  return row && (JSON.parse(row.holder) as LockHolder);
}
