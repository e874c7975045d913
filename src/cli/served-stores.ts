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

/** Opens what the settings of a server name, for the time of `use`. A worker trusts that its supervisor did so before. */
export async function withServedStores<T>(
  options: Options,
  { isWorker }: { isWorker: boolean },
  use: (stores: ServedStores) => Promise<T>,
): Promise<T> {
  const { database, readDatabase } = options;
  const postgres = toPostgresOptions(options);
  const primary = await openStore(database, {
    create: !isWorker,
    postgres,
    ...(isWorker ? { schema: "trusted" } : {}),
  });
  let content = primary;
  try {
    if (readDatabase !== undefined) {
      content = await openStore(readDatabase, { create: false, postgres, schema: isWorker ? "trusted" : "awaited" });
    }
    return await use({ primary, content });
  } finally {
    if (content !== primary) await content.close();
    await primary.close();
  }
}
