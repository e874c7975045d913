import type { ConnectionOptions } from "../store/engine.ts";
import { openStore, type Store } from "../store/open-store.ts";
import type { SettingValues } from "./settings.ts";

/** Where a server reads: one store in both roles, or a primary and its replica. */
export interface ServedStores {
  /** Of keys, and of what is new. */
  primary: Store;
  /** Of the catalog. */
  content: Store;
}

type Options = SettingValues<"database" | "readDatabase" | "poolSize" | "connectTimeout" | "statementTimeout">;

/** How a server connects to PostgreSQL, as the settings say. */
export function toPostgresOptions(options: Omit<Options, "database" | "readDatabase">): ConnectionOptions {
  return {
    poolSize: options.poolSize,
    connectTimeoutMs: options.connectTimeout,
    statementTimeoutMs: options.statementTimeout,
  };
}

/**
 * Opens what the settings of a server name, for the time of `use`. Whoever does not answer requests, or reads the catalog
 * elsewhere, needs one connection only. A worker trusts that its supervisor has just opened the same.
 */
export async function withServedStores<T>(
  options: Options,
  role: "server" | "supervisor" | "worker",
  use: (stores: ServedStores) => Promise<T>,
): Promise<T> {
  const { database, readDatabase } = options;
  const few = { ...toPostgresOptions(options), poolSize: 1 };
  const many = role === "supervisor" ? few : toPostgresOptions(options);
  const isWorker = role === "worker";
  const primary = await openStore(database, {
    create: false,
    postgres: readDatabase === undefined ? many : few,
    ...(isWorker ? { schema: "trusted" } : {}),
  });
  let content = primary;
  try {
    if (readDatabase !== undefined) {
      const schema = isWorker ? "trusted" : "awaited";
      content = await openStore(readDatabase, { create: false, postgres: many, schema });
    }
    return await use({ primary, content });
  } finally {
    if (content !== primary) await content.close();
    await primary.close();
  }
}
