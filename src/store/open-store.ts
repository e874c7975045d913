import type { AssetStore } from "../assets/asset-store.ts";
import type { CatalogReader } from "../catalog/catalog-reader.ts";
import type { ChangeFeed, LockedProject, LockHolder, PublishingStore } from "../catalog/store.ts";
import type { HookStore, Outbox } from "../hooks/hook.ts";
import type { KeyStore } from "../keys/key.ts";
import { createAssetFolder, createAssets } from "./assets.ts";
import { createCatalogQueries } from "./catalog-queries.ts";
import type { Engine, OpenOptions, Transact } from "./engine.ts";
import { createHookQueries } from "./hook-queries.ts";
import { createKeyQueries } from "./key-queries.ts";
import { openKeptAnswers, type KeptAnswers } from "./kept-answers.ts";
import { openPostgres } from "./postgres.ts";
import { createPublishingQueries } from "./publishing-queries.ts";
import { sql } from "./query.ts";
import { createReleaseWrites } from "./release-writes.ts";
import { openSqlite } from "./sqlite.ts";
import { createVersionWrites } from "./version-writes.ts";

export interface Store {
  catalog: CatalogReader;
  changes: ChangeFeed;
  publishing: PublishingStore;
  assets: AssetStore;
  keys: KeyStore;
  hooks: HookStore & Outbox;
  /** Opens what is kept of services that a project mirrors; `run` tells this run from others. */
  openKeptAnswers: (project: string, run: string) => KeptAnswers;
  /** True for an error that says that the database cannot be used just now, not that a query is wrong. */
  isUnavailable: (error: unknown) => boolean;
  close(): Promise<void>;
}

/**
 * Opens the database that a URL names, `sqlite:PATH` or `postgres://…`, and brings its schema up to date. Throws
 * UnreleasedSchema, DatabaseMissing, or the error of the system when it cannot be opened.
 */
export async function openStore(url: string, options: OpenOptions): Promise<Store> {
  const engine = await openEngine(url, options);
  const catalog = createCatalogQueries(engine);
  const folder = options.assetFolder === undefined ? undefined : createAssetFolder(options.assetFolder);
  return {
    catalog,
    changes: catalog,
    publishing: {
      ...createPublishingQueries(engine.read),
      lockProject: async (...lock) => lockProject(engine, ...lock),
    },
    assets: createAssets(engine, folder),
    keys: createKeyQueries(engine),
    hooks: createHookQueries(engine),
    openKeptAnswers: (project, run) => openKeptAnswers(engine, project, run),
    isUnavailable: engine.isUnavailable,
    close: async () => engine.close(),
  };
}

/** Opens a database as `openStore` does, for what is not asked through the interfaces of a store. */
export async function openEngine(url: string, options: OpenOptions): Promise<Engine> {
  return url.startsWith("sqlite:")
    ? openSqlite(url.slice("sqlite:".length), options.create)
    : openPostgres(url, options);
}

/**
 * Gives unused space of a database back to the system. Resolves with its size before and after, in bytes. Throws what opening
 * a database throws, TooLittleRoom, and DiskFull; nothing is lost then.
 */
export async function vacuumStore(url: string): Promise<{ before: number; after: number }> {
  const engine = await openEngine(url, { create: false });
  try {
    return await engine.vacuum();
  } finally {
    await engine.close();
  }
}

/** Takes the lock of a project, and gives the only object that writes its releases and versions. See PublishingStore. */
async function lockProject(
  engine: Engine,
  project: string,
  holder: LockHolder,
  onWait: (holder: LockHolder | undefined) => void,
): Promise<LockedProject> {
  const { free, ...lock } = await engine.takeLock(project, holder, onWait);
  let isHeld = true;
  const whileHeld =
    (transact: Transact): Transact =>
    async (use) => {
      if (!isHeld) throw new Error(`Project ${project} is not locked any more: nothing was written.`);
      return transact(use);
    };
  const unlock = async (): Promise<void> => {
    isHeld = false;
    await free();
  };
  const held = { project, transact: whileHeld(lock.transact), transactContent: whileHeld(lock.transactContent) };
  const versions = createVersionWrites(engine, held);
  try {
    const unfinished = await engine.read.run(sql`select 1 from unfinished_imports where project = ${project}`);
    if (unfinished.length > 0) await versions.removeUnreferencedVersions();
  } catch (error) {
    await unlock();
    throw error;
  }
  return { ...versions, ...createReleaseWrites(engine, held), unlock };
}
