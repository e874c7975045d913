// Clocks that are days off, during imports with files: no release may lack files, and nothing may be kept for years.
import { describe, expect, test } from "bun:test";
import { openFolderSource } from "../src/content/readers/folder.ts";
import { importCatalog } from "../src/publishing/import-catalog.ts";
import { LinkedFiles } from "../src/publishing/linked-files.ts";
import { pruneReleases } from "../src/publishing/publish.ts";
import type { Store } from "../src/store/open-store.ts";
import { publishingAt } from "../test/support/in-process.ts";
import { listRemains } from "../test/support/remains.ts";
import { renewStore } from "../test/support/shared-store.ts";
import { engines } from "../test/support/store.ts";
import { makeFolder, writeFiles } from "../test/support/written-folder.ts";

const onDay = (days: number): string => new Date(Date.UTC(2026, 2, 2 + days, 10)).toISOString();
const YEARS = 3650;

async function importEdition(store: Store, edition: number, days: number, assets = store.assets) {
  const folder = makeFolder();
  writeFiles(folder, { "tea/01-a.md": "[a](a.pdf)\n", "tea/a.pdf": `Edition ${edition}` });
  const linked = new LinkedFiles("relative", 1024);
  return importCatalog({
    ...publishingAt(store, "acme", onDay(days)),
    channel: "live",
    source: openFolderSource(folder, { assetBase: undefined, files: linked }),
    files: { linked, assets },
    dryRun: false,
    report: () => {},
  });
}

describe.each(engines)("clocks that are days off on $name", (engine) => {
  const database = renewStore(engine);

  test.each([
    { days: -2, when: "while they are written" },
    { days: 2, when: "while they are written" },
    { days: -2, when: "once they are written" },
    { days: 2, when: "once they are written" },
  ])("publish nothing whose files a prune by another clock deletes $when, $days days off", async ({ days, when }) => {
    const { store } = database;
    const storeAsset: Store["assets"]["storeAsset"] = async (asset, read, at) => {
      const readSlowly = async function* () {
        yield* read();
        if (when === "while they are written") await store.assets.pruneAssets(onDay(0));
      };
      const isNew = await store.assets.storeAsset(asset, readSlowly, at);
      await store.assets.pruneAssets(onDay(0));
      return isNew;
    };
    const importing = importEdition(store, 1, days, { ...store.assets, storeAsset });
    expect(await importing.catch(String)).toContain("Files of this import were pruned meanwhile.");
    expect(await listRemains(database)).toEqual([]);
    expect(await importEdition(store, 1, days)).toMatchObject({ status: "published", files: { files: 1 } });
  });

  test("keep neither releases nor files for years", async () => {
    const { store } = database;
    for (const [index, days] of [0, YEARS, 1, 2].entries()) await importEdition(store, index, days);
    const pruned = await pruneReleases(publishingAt(store, "acme", onDay(4)), 1);
    expect(pruned.map(({ number }) => number)).toEqual([1, 2, 3]);
    await store.assets.pruneAssets(onDay(4));
    expect(await database.execute("select digest from assets")).toHaveLength(1);
  });
});
