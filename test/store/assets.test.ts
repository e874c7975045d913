// How the content of assets is stored, kept and deleted, in the database and in a folder, on every engine.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { ContentMissing, PIECE_BYTES, type AssetStore, type NamedAsset } from "../../src/assets/asset-store.ts";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { createContent, nameContent, readParts } from "../support/assets.ts";
import { renewFolder } from "../support/shared-store.ts";
import { postgres, sqlite, type TestDatabase } from "../support/store.ts";

/** Needs more than one transaction. */
const PIECES = 20;
const MONDAY = "2026-03-02T10:00:00.000Z";
const TUESDAY_MORNING = "2026-03-03T09:00:00.000Z";
const WEDNESDAY = "2026-03-04T10:00:01.000Z";

async function readBack(assets: AssetStore, { digest, name }: NamedAsset): Promise<Buffer | undefined> {
  const found = await assets.findAsset(digest, name);
  if (found === undefined) return undefined;
  const parts: Uint8Array[] = [];
  for (let from = 0; from < found.bytes; from += parts.at(-1)?.byteLength ?? 1) {
    parts.push(await assets.readPiece(found, from, found.bytes));
  }
  return Buffer.concat(parts);
}

const failureOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: Error) => error);

async function count(database: TestDatabase, ...tables: string[]): Promise<number[]> {
  const counts = tables.map((table) => database.execute(`select count(*) as n from ${table}`));
  return (await Promise.all(counts)).map(([row]) => (row as { n: number }).n);
}

const listFiles = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

const content = createContent(PIECES * PIECE_BYTES);
const asset = nameContent(content, "a.bin");
const readContent = () => readParts(content);

describe.each([
  { name: "sqlite", engine: sqlite, storage: "database" },
  { name: "postgres", engine: postgres, storage: "database" },
  { name: "sqlite", engine: sqlite, storage: "folder" },
])("$name, $storage:", ({ engine, storage }) => {
  const folder = renewFolder();
  let database: TestDatabase;
  let store: Store;
  let assets: AssetStore;
  beforeEach(async () => {
    database = await engine.createStoreDatabase();
    const assetFolder = storage === "folder" ? folder.path : undefined;
    store = await openStore(database.url, { create: true, assetFolder });
    ({ assets } = store);
  });
  afterEach(async () => {
    await store.close();
    await database.drop();
  });
  const expectNothing = async (): Promise<void> => {
    const counts = await count(database, "assets", "asset_names", "asset_chunks", "asset_uploads");
    expect([counts, listFiles(folder.path)]).toEqual([[0, 0, 0, 0], []]);
  };
  /** Content that is stored once is one file, or its pieces. */
  const expectOnce = async (): Promise<void> => {
    const stored = storage === "folder" ? [listFiles(folder.path).length] : await count(database, "asset_chunks");
    expect([stored, await count(database, "asset_uploads")]).toEqual([[storage === "folder" ? 1 : PIECES], [0]]);
    expect(await readBack(assets, asset)).toEqual(Buffer.from(content));
  };
  const use = (): Promise<unknown> =>
    database.execute(`insert into version_assets (version_id, digest, name) values (1, '${asset.digest}', '')`);

  test("a file that changes while it is read leaves no content", async () => {
    const other = createContent(PIECES * PIECE_BYTES, 2);
    const failure = await failureOf(assets.storeAsset(asset, () => readParts(other), MONDAY));
    expect(String(failure)).toContain("The file of asset a.bin changed while it was read. Run the command again.");
    expect(await assets.findAsset(asset.digest, "a.bin")).toBeUndefined();
    await expectNothing();
  });

  test("unreferenced content is deleted a day after its last use", async () => {
    await assets.storeAsset(asset, readContent, MONDAY);
    const pruned = [await assets.pruneAssets(TUESDAY_MORNING)];
    await assets.markAssets([asset], TUESDAY_MORNING);
    // The clock of another machine may be behind.
    await assets.markAssets([asset], MONDAY);
    pruned.push(await assets.pruneAssets("2026-03-03T10:00:01.000Z"));
    await use();
    pruned.push(await assets.pruneAssets(WEDNESDAY));
    await database.execute("delete from version_assets");
    const found = await assets.findAsset(asset.digest, "a.bin");
    pruned.push(await assets.pruneAssets(WEDNESDAY));
    const none = { assets: 0, bytes: 0 };
    expect(pruned).toEqual([none, none, none, { assets: 1, bytes: content.byteLength }]);
    await expectNothing();
    // Its reader gets an error.
    expect(await failureOf(assets.readPiece(found!, PIECE_BYTES, found!.bytes))).toBeInstanceOf(ContentMissing);
  });

  test("leftovers of a killed import are deleted after a day", async () => {
    await assets.storeAsset(asset, readContent, MONDAY);
    // The state before its last transaction.
    await database.execute(`insert into asset_uploads (content_id, digest, in_folder, begun_at)
      select content_id, digest, in_folder, '${MONDAY}' from assets`);
    for (const table of ["assets", "asset_names"]) await database.execute(`delete from ${table}`);
    await assets.pruneAssets(TUESDAY_MORNING);
    expect(await count(database, "asset_uploads")).toEqual([1]);
    await assets.storeAsset(asset, readContent, TUESDAY_MORNING);
    await assets.pruneAssets("2026-03-03T10:00:01.000Z");
    await expectOnce();
  });

  test("a failed import deletes its new content unless another one has marked it", async () => {
    for (const marked of [undefined, MONDAY, WEDNESDAY]) {
      expect(await assets.storeAsset(asset, readContent, TUESDAY_MORNING)).toBe(true);
      if (marked !== undefined) await assets.markAssets([asset], marked);
      await assets.markAssets([{ ...asset, name: "b.bin" }], TUESDAY_MORNING);
      await assets.discardAssets([asset.digest], TUESDAY_MORNING);
      expect(await readBack(assets, asset)).toEqual(marked === undefined ? undefined : Buffer.from(content));
      await assets.pruneAssets("2026-03-06T10:00:00.000Z");
    }
    await expectNothing();
  });

  test("concurrent imports of equal content store it once", async () => {
    const named = ["a.bin", "b.bin", "c.bin"].map((name) => ({ ...asset, name }));
    await Promise.all(named.map((each) => assets.storeAsset(each, readContent, MONDAY)));
    for (const each of named) expect(await readBack(assets, each)).toEqual(Buffer.from(content));
    await use();
    await assets.pruneAssets(WEDNESDAY);
    await expectOnce();
  });

  test("content missing from the folder is stored again; it stays readable when the setting changes", async () => {
    await assets.storeAsset(asset, readContent, MONDAY);
    const other = storage === "folder" ? undefined : folder.path;
    const changed = await openStore(database.url, { create: true, assetFolder: other });
    if (storage === "database") {
      expect(await readBack(changed.assets, asset)).toEqual(Buffer.from(content));
    } else {
      expect(String(await failureOf(readBack(changed.assets, asset)))).toContain("set --assets");
      rmSync(folder.path, { recursive: true });
      expect(await failureOf(readBack(assets, asset))).toBeInstanceOf(ContentMissing);
      expect(await assets.markAssets([asset], MONDAY)).toEqual(new Set([asset.digest]));
      await assets.storeAsset(asset, readContent, MONDAY);
      expect(await readBack(assets, asset)).toEqual(Buffer.from(content));
    }
    await changed.close();
  });
});
