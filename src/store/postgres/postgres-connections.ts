// Connections to PostgreSQL: a pool that can be renewed, statements, and transactions.
import { SQL, type TransactionSQL } from "bun";
import type { Connection, ConnectionOptions } from "../engine.ts";
import { formatQuery, insertInto, type Query } from "../queries/query.ts";
import { explainDelay } from "./postgres-errors.ts";

/** PostgreSQL counts parameters in 16 bits, so this many rows can have up to 130 columns. */
const ROWS_PER_INSERT = 500;
/** Marks a parameter until Bun numbers it; SQL text cannot contain this character. */
const PLACE = "\0";

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
