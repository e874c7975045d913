import type { CatalogReader, ChangeFeed, PublishingStore } from "../catalog/store.ts";
import type { KeyStore } from "../keys/key.ts";
import { createCatalogQueries } from "./catalog-queries.ts";
import { createKeyQueries } from "./key-queries.ts";
import { createReleaseQueries } from "./release-queries.ts";
import { isSqliteUnavailable, openSqlite } from "./sqlite.ts";
import { createVersionQueries } from "./version-queries.ts";

export interface Store {
  catalog: CatalogReader;
  changes: ChangeFeed;
  publishing: PublishingStore;
  keys: KeyStore;
  /** True for an error that says that the database cannot be used just now, not that a query is wrong. */
  isUnavailable: (error: unknown) => boolean;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** False: a database that is not there is an error, DatabaseMissing, rather than made. */
  create: boolean;
}

/**
 * Opens the database that a URL names, `sqlite:PATH`, and brings its schema up to date. Throws SchemaTooNew,
 * DatabaseMissing, or the error of the system when the file cannot be opened.
 */
export async function openStore(url: string, { create }: OpenOptions): Promise<Store> {
  const { read, write, takeLock } = await openSqlite(url.slice("sqlite:".length), create);
  const catalog = createCatalogQueries(read);
  return {
    catalog,
    changes: catalog,
    publishing: { ...createVersionQueries(read, write, takeLock), ...createReleaseQueries(read, write) },
    keys: createKeyQueries(read, write),
    isUnavailable: isSqliteUnavailable,
    async close() {
      await Promise.all([read.close(), write.close()]);
    },
  };
}
