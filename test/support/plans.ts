// The queries of a store and their plans.
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import type { ChangeFeed } from "../../src/catalog/store.ts";
import type { Outbox } from "../../src/hooks/hook.ts";
import type { KeyStore } from "../../src/keys/key.ts";
import { createCatalogQueries } from "../../src/store/queries/catalog-queries.ts";
import type { Connection, Transact } from "../../src/store/engine.ts";
import { createHookQueries } from "../../src/store/queries/hook-queries.ts";
import { createKeyQueries } from "../../src/store/queries/key-queries.ts";
import { openEngine } from "../../src/store/open-store.ts";
import { formatQuery, type Query } from "../../src/store/queries/query.ts";
import { withConnection } from "./postgres-databases.ts";
import type { TestDatabase } from "./store.ts";

/** Runs a server's queries. Returns those that the engine ran, in order. */
export async function recordQueries(
  url: string,
  use: (catalog: CatalogReader & ChangeFeed, keys: KeyStore, outbox: Outbox) => Promise<unknown>,
): Promise<Query[]> {
  const engine = await openEngine(url, { create: false });
  const queries: Query[] = [];
  const record = (connection: Connection): Connection => ({
    run: async (query) => {
      queries.push(query);
      return connection.run(query);
    },
    insert: async (table, rows) => connection.insert(table, rows),
  });
  const transactSoon: Transact = async (change) =>
    engine.transactSoon(async (transaction) => change(record(transaction)));
  const recording = { ...engine, read: record(engine.read), readChanges: record(engine.readChanges), transactSoon };
  try {
    await use(createCatalogQueries(recording), createKeyQueries(recording), createHookQueries(recording));
    return queries;
  } finally {
    await engine.close();
  }
}

/**
 * The steps of a query's plan in the engine's words, for any values, and on PostgreSQL as for large tables: small ones are
 * best scanned.
 */
export async function explainForAnySize(database: TestDatabase, query: Query): Promise<string[]> {
  if (database.url.startsWith("sqlite:")) {
    const { text } = formatQuery(query, "?");
    return (await database.execute(`explain query plan ${text}`)).map((row) => (row as { detail: string }).detail);
  }
  const numbered = formatQuery(query, "\0")
    .text.split("\0")
    .reduce((before, piece, index) => `${before}$${index}${piece}`);
  return withConnection(database.url, async (client) => {
    await client`set enable_seqscan = off`;
    const rows = await client.unsafe<{ "QUERY PLAN": string }[]>(`explain (generic_plan) ${numbered}`);
    return rows.map((row) => row["QUERY PLAN"].trim());
  });
}
