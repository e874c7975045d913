import type { ConnectionOptions } from "../store/engine.ts";
import { openStore, type Store } from "../store/open-store.ts";
import { type SettingValues } from "./settings.ts";
import { toAssetFolder } from "./settings/database-settings.ts";

/** Where a server reads: one store in both roles, or a primary and its replica. */
export interface ServedStores {
  /** For keys, and for what is new. */
  primary: Store;
  /** For the content of the catalog. */
  content: Store;
}

type Options = SettingValues<
  "database" | "readDatabase" | "poolSize" | "connectTimeout" | "statementTimeout" | "assets"
>;

/** How a server connects to PostgreSQL, as the settings say. */
export function toPostgresOptions(options: Omit<Options, "database" | "readDatabase" | "assets">): ConnectionOptions {
  return {
    poolSize: options.poolSize,
    connectTimeoutMs: options.connectTimeout,
    statementTimeoutMs: options.statementTimeout,
  };
}

/**
 * Opens the databases that a server's settings name, calls `use`, and closes them. A supervisor, which answers no requests,
 * and a primary beside a replica need one connection only. A worker does not check the schema, since its supervisor has
 * just opened the same database.
 */
export async function withServedStores<T>(
  options: Options,
  role: "server" | "supervisor" | "worker",
  use: (stores: ServedStores) => Promise<T>,
): Promise<T> {
  const { database, readDatabase } = options;
  const few = { ...toPostgresOptions(options), poolSize: 1 };
  const many = role === "supervisor" ? few : toPostgresOptions(options);
  const assetFolder = toAssetFolder(options.assets);
  const isWorker = role === "worker";
  const primary = await openStore(database, {
    create: false,
    assetFolder,
    postgres: readDatabase === undefined ? many : few,
    ...(isWorker ? { schema: "trusted" } : {}),
  });
  let content = primary;
  try {
    if (readDatabase !== undefined) {
      const schema = isWorker ? "trusted" : "awaited";
      content = await openStore(readDatabase, { create: false, postgres: many, schema, assetFolder });
    }
    return await use({ primary, content });
  } finally {
    if (content !== primary) await content.close();
    await primary.close();
  }
}
