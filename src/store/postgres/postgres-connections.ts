// Connections to PostgreSQL: a pool that can be renewed, statements, transactions, and locks of projects.
import { SQL, type TransactionSQL } from "bun";
import type { LockHolder } from "../../catalog/store.ts";
import type { Connection, ConnectionOptions } from "../engine.ts";
import { formatQuery, insertInto, type Query } from "../queries/query.ts";
import { explainDelay } from "./postgres-errors.ts";

/** PostgreSQL counts parameters in 16 bits, so this many rows can have up to 130 columns. */
const ROWS_PER_INSERT = 500;
/** Marks a parameter until Bun numbers it; SQL text cannot contain this character. */
const PLACE = "\0";
/** The class of projects' advisory locks, `Lect` in ASCII, so that other programs' locks do not collide with them. */
export const PROJECT_LOCKS = 0x4c656374;
const LOCK_RETRY_MS = 50;
/** Shorter waits, as for the lock of a killed process, are not reported. Must be a multiple of LOCK_RETRY_MS. */
const WAIT_WORTH_TELLING_MS = 250;

// Bun replaces only closed connections, but a connection to a dead machine stays open for minutes.
export function createRenewablePool(open: () => SQL) {
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

export function createConnection(getClient: () => SQL | TransactionSQL): Connection {
  return {
    run: async (query) => runOn(getClient(), query),
    async insert(table, rows) {
      let size = ROWS_PER_INSERT;
      for (let from = 0; from < rows.length; from += size) {
        // Using few sizes keeps the number of cached statements low.
        while (size > rows.length - from) size = Math.ceil(size / 8);
        await runOn(getClient(), insertInto(table, rows.slice(from, from + size)));
      }
    },
  };
}

async function runOn<Row>(client: SQL | TransactionSQL, query: Query<Row>): Promise<Row[]> {
  const { text, values } = formatQuery(query, PLACE);
  const pieces = text.split(PLACE);
  // Bun prepares plain text only if it has parameters, but always prepares templates.
  Object.defineProperty(pieces, "raw", { value: pieces });
  return client<Row[]>(pieces as unknown as TemplateStringsArray, ...values).catch((error: Error) => {
    throw explainDelay(error);
  });
}

export async function begin<T>(client: SQL, use: (transaction: Connection) => Promise<T>, options = ""): Promise<T> {
  return client.begin(options, async (transaction) => use(createConnection(() => transaction)));
}

export function connect(url: string, max: number, { connectTimeoutMs, statementTimeoutMs }: ConnectionOptions): SQL {
  return new SQL(url, {
    max,
    connectionTimeout: connectTimeoutMs / 1000,
    connection: {
      application_name: "lectern",
      // Omitted if unnecessary, because poolers might reject unknown parameters.
      ...(statementTimeoutMs === 0 ? {} : { statement_timeout: statementTimeoutMs }),
    },
  });
}

/** Acquires an advisory lock on the holder's own write connection, so that its writes fail once the lock is lost. */
export async function acquireProjectLock(
  pool: SQL,
  project: string,
  onWait: (holder: LockHolder | undefined) => void,
): Promise<{ client: SQL; free: () => Promise<void> }> {
  try {
    const client = await pool.reserve();
    // Polls, because a command in the server's queue could run between another command's import and its prune.
    for (let waitedMs = 0; !(await tryLock(client, project)); waitedMs += LOCK_RETRY_MS) {
      if (waitedMs === WAIT_WORTH_TELLING_MS) onWait(await findHolder(client, project));
      await Bun.sleep(LOCK_RETRY_MS);
    }
    const free = async (): Promise<void> => {
      // Unlocks first, because the server might notice the closed connection late.
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
