import { SQL, type TransactionSQL } from "bun";
import { ExpectedError } from "../catalog/expected-error.ts";
import type {
  Connection,
  ConnectionOptions,
  Dialect,
  Engine,
  OpenOptions,
  ReadWithLineage,
  Transact,
} from "./engine.ts";
import { DatabaseMissing, diskFull } from "./errors.ts";
import { describeConnectFault, isPostgresUnavailable } from "./postgres-errors.ts";
import { formatQuery, insertInto, raw, sql, type Query } from "./query.ts";
import { createSchema, findSchema } from "./schema.ts";
import type { LockHolder } from "../catalog/store.ts";

/** For commands: their statements may take as long as they need, but do not wait for ever for others. */
const FOR_COMMANDS: ConnectionOptions = {
  poolSize: 1,
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 0,
  lockTimeoutMs: 30_000,
};

/** How long a write that can wait blocks on a row that another transaction has locked. */
const SOON_MS = 100;

/** A kind of advisory lock, `Lecu` in ASCII; that of projects is `Lect`. */
const SCHEMA_LOCK = 0x4c656375;
/** A statement's parameters are counted in 16 bits: this leaves room for up to 130 columns. */
const ROWS_PER_INSERT = 500;
/** Stands for a parameter until Bun numbers it; no text of SQL can hold it. */
const PLACE = "\0";

const DISK_FULL = "53100";
/** SQLSTATEs of functions that this role may not call, or that this server does not have. */
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
  // As bytes, like SQLite: in no language's order, and proof against a system whose order changes under the indexes.
  text: 'text collate "C"',
  bytes: "bytea",
  keepAsIs: (table, column) => [`alter table ${table} alter column ${column} set storage external`],
  withoutRowid: "",
  ownStatements: () => [
    // Who holds the lock of a project, or held it last: the lock itself is an advisory one.
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
    // Such as a file of certificates that cannot be read.
    const isUrlAtFault = String((error as { code?: unknown }).code).startsWith("ERR_INVALID_ARG");
    if (!isUrlAtFault && !isPostgresUnavailable(error)) throw error;
    const fault = await describeConnectFault(error as Error, url);
    const message = `The database ${describePostgres(url)} cannot be used: ${fault}.`;
    throw new ExpectedError(message, { cause: error });
  }
  const tellFullDisk = async <T>(change: Promise<T>): Promise<T> =>
    change.catch((error: { errno?: unknown }) => {
      throw error.errno === DISK_FULL ? diskFull(`the disk of the database ${describePostgres(url)}`, error) : error;
    });
  const beginWrite = async <T>(client: SQL, use: (transaction: Connection) => Promise<T>): Promise<T> =>
    begin(client, async (transaction) => {
      // A pooler may reject this as a parameter of the connection.
      if (options.lockTimeoutMs !== undefined) {
        await transaction.run(raw(`set local lock_timeout = ${options.lockTimeoutMs}`));
      }
      return use(transaction);
    });
  const transact: Transact = async (use) => tellFullDisk(beginWrite(pool.client, use));
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
    async takeLock(project, holder, onWait) {
      const own = connect(url, 1, { ...options, statementTimeoutMs: 0 });
      const { client, free } = await takeProjectLock(own, project, onWait);
      const record = sql`insert into project_locks (project, holder) values (${project}, ${JSON.stringify(holder)})
        on conflict (project) do update set holder = excluded.holder`;
      await beginWrite(client, async (transaction) => transaction.run(record)).catch(async (error: unknown) => {
        await free();
        throw error;
      });
      const transactLocked: Transact = async (use) => tellFullDisk(beginWrite(client, use));
      return { transact: transactLocked, transactContent: transactLocked, free };
    },
    // The server's own matter.
    async emptyLog() {},
    measureBytes,
    async vacuum() {
      const before = await measureBytes();
      // Plain vacuums block nobody.
      for (const table of VACUUMED_TABLES) await read.run(raw(`vacuum ${table}`));
      return { before, after: await measureBytes() };
    },
    // One round trip, whichever it is.
    async findByIdOrSlug(idOrSlug, find) {
      const [row] = await find(sql`(v.course_id = ${idOrSlug} or v.slug = ${idOrSlug})`);
      return row;
    },
    skipLocked: sql`for update skip locked`,
    timestamp: (inMs) => sql`to_char(
      (clock_timestamp() + ${inMs}::double precision * interval '1 millisecond') at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    readWithLineage: createLineageReader(),
    // A new connection leads to what the URL names by then.
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
 * The lineage is the cluster and its timeline, which a promotion raises. A primary's control file tells the new timeline only
 * after the next checkpoint, minutes later; its write-ahead log at once. A replica has only its control file to tell.
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

// Bun only replaces connections that were closed: one to a machine that is gone stays open for minutes.
function createRenewablePool(open: () => SQL) {
  let client = open();
  return {
    get client() {
      return client;
    },
    /** Ends every connection, with the queries that wait on it; the next query opens new ones. */
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
        // Few sizes make few statements: the database caches each one.
        while (size > rows.length - from) size = Math.ceil(size / 8);
        await runOn(getClient(), insertInto(table, rows.slice(from, from + size)));
      }
    },
  };
}

async function runOn<Row>(client: SQL | TransactionSQL, query: Query<Row>): Promise<Row[]> {
  const { text, values } = formatQuery(query, PLACE);
  const pieces = text.split(PLACE);
  // A template: Bun prepares a plain text only when it has values.
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
      // A pooler may reject parameters that it does not know.
      ...(statementTimeoutMs === 0 ? {} : { statement_timeout: statementTimeoutMs }),
    },
  });
}

async function prepareSchema(client: SQL, url: string, create: boolean): Promise<void> {
  const place = describePostgres(url);
  const read = createConnection(() => client);
  if (await findSchema(read, POSTGRES_DIALECT, place)) return;
  if (!create) throw new DatabaseMissing(`The database ${place} has no catalog`);
  // Of many that begin at once, one makes the schema, and the others find it.
  const transact: Transact = async (use) =>
    begin(client, async (transaction) => {
      await transaction.run(sql`select pg_advisory_xact_lock(${SCHEMA_LOCK}::bigint)`);
      return use(transaction);
    });
  await createSchema(transact, POSTGRES_DIALECT, place);
}

/** Host and database of a URL: what may be shown of it. */
export function describePostgres(url: string): string {
  const { host, pathname } = new URL(url);
  return `${pathname.slice(1)} on ${host}`;
}

/** The kind of advisory locks, `Lect` in ASCII, so that they meet nobody else's. */
export const PROJECT_LOCKS = 0x4c656374;
const LOCK_RETRY_MS = 50;
/** A multiple of it. The server needs a moment to notice that a process was killed. */
const WAIT_WORTH_TELLING_MS = 250;

/** An advisory lock on a connection that the holder writes on, so that its writes end with the lock. */
async function takeProjectLock(
  pool: SQL,
  project: string,
  onWait: (holder: LockHolder | undefined) => void,
): Promise<{ client: SQL; free: () => Promise<void> }> {
  try {
    const client = await pool.reserve();
    // Polled: waiting in the server's queue, a command could come between another's import and its prune.
    for (let waitedMs = 0; !(await tryLock(client, project)); waitedMs += LOCK_RETRY_MS) {
      if (waitedMs === WAIT_WORTH_TELLING_MS) onWait(await findHolder(client, project));
      await Bun.sleep(LOCK_RETRY_MS);
    }
    const free = async (): Promise<void> => {
      // First, because the server may be slow to notice that the connection is closed; if that is lost, so is the lock.
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
