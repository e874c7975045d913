import type { CatalogReader } from "../catalog/catalog-reader.ts";
import { ExpectedError } from "../catalog/expected-error.ts";
import type { ChangeFeed, LockedProject, LockHolder, PublishingStore } from "../catalog/store.ts";
import { createAssetFolder } from "./queries/asset-folder.ts";
import { createAssets } from "./queries/assets.ts";
import { createCatalogQueries } from "./queries/catalog-queries.ts";
import type { Connection, Engine, OpenOptions, Transact } from "./engine.ts";
import { createHookQueries } from "./queries/hook-queries.ts";
import { createKeyQueries } from "./queries/key-queries.ts";
import { openMirroredAnswers } from "./queries/mirrored-answers.ts";
import { openPostgres } from "./postgres/postgres.ts";
import { createFollowQueries, createPublishingQueries } from "./queries/publishing-queries.ts";
import { sql } from "./queries/query.ts";
import { createReleaseWrites } from "./queries/release-writes.ts";
import { createSearchQueries } from "./queries/search-queries.ts";
import { openSqlite } from "./sqlite/sqlite.ts";
import { createVersionWrites } from "./queries/version-writes.ts";

export type Store = Awaited<ReturnType<typeof openStore>>;

/** Opens a store. Throws ExpectedError if the database is missing, unreachable, or another program's. */
export async function openStore(url: string, options: OpenOptions) {
  const engine = await openEngine(url, options);
  const catalog: CatalogReader & ChangeFeed = createCatalogQueries(engine);
  const publishing: PublishingStore = {
    ...createPublishingQueries(engine.read),
    lockProject: async (...lock) => lockProject(engine, ...lock),
  };
  const folder =
    options.assetFolder === undefined ? undefined : createAssetFolder(options.assetFolder, engine.measureLog);
  const hooks = createHookQueries(engine);
  return {
    catalog: catalog as CatalogReader,
    readsAtOnce: engine.readsAtOnce,
    texts: createSearchQueries(engine.read),
    changes: catalog as ChangeFeed,
    publishing,
    assets: createAssets(engine, folder),
    keys: createKeyQueries(engine),
    hooks,
    follows: createFollowQueries(engine),
    openMirroredAnswers: openMirroredAnswers.bind(undefined, engine),
    measure: async () => ({ databaseBytes: await engine.measureBytes(), outboxEvents: await hooks.countWaiting() }),
    measureLog: engine.measureLog,
    isUnavailable: engine.isUnavailable,
    isDamage: engine.isDamage,
    close: engine.close,
  };
}

export async function openEngine(url: string, options: OpenOptions): Promise<Engine> {
  return url.startsWith("sqlite:") ? openSqlite(url.slice("sqlite:".length), options) : openPostgres(url, options);
}

export async function vacuumStore(url: string): Promise<{ before: number; after: number }> {
  const engine = await openEngine(url, { create: false });
  try {
    return await engine.vacuum();
  } finally {
    await engine.close();
  }
}

async function lockProject(
  engine: Engine,
  project: string,
  holder: LockHolder,
  onWait: (holder: LockHolder | undefined) => void,
): Promise<LockedProject> {
  const { free, ...lock } = await engine.acquireLock(project, holder, onWait);
  let isHeld = true;
  let counted = 0;
  const whileHeld =
    (transact: Transact): Transact =>
    async (use) => {
      if (!isHeld) throw new Error(`Project ${project} is no longer locked: nothing was written.`);
      const [result, newCount] = await transact(async (transaction) => {
        await engine.requireWritable(transaction);
        await countChanges(transaction, counted);
        return [await use(transaction), await countChanges(transaction, counted)] as const;
      });
      counted = newCount;
      return result;
    };
  const unlock = async (): Promise<void> => {
    isHeld = false;
    await free();
  };
  const held = { project, transact: whileHeld(lock.transact), transactContent: whileHeld(lock.transactContent) };
  const versions = createVersionWrites(engine, held);
  try {
    counted = await countChanges(engine.read, 0);
    const unfinished = await engine.read.run(sql`select 1 from unfinished_imports where project = ${project}`);
    if (unfinished.length > 0) await versions.removeUnreferencedVersions();
  } catch (error) {
    await unlock();
    throw error;
  }
  return { ...versions, ...createReleaseWrites(engine, held), unlock };
}

/** Returns the sum of all counters, which only grow. Throws ExpectedError if it is below `least`. */
async function countChanges(connection: Connection, least: number): Promise<number> {
  const [row] = await connection.run(sql<{ sum: number | string | null }>`select sum(value) as sum from counters`);
  if (Number(row?.sum) >= least) return Number(row?.sum);
  throw new ExpectedError(
    "The database was restored to an earlier state meanwhile. Nothing was published. Run the command again.",
  );
}
