// How the content of assets is stored, kept and deleted, in the database and in a folder, on every engine.
import { afterAll, expect, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ContentMissing, PIECE_BYTES, type AssetStore, type NamedAsset } from "../../src/assets/asset-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { createContent, nameContent, readParts } from "../support/assets.ts";
import { createTestFolder, engines, type TestDatabase } from "../support/store.ts";

/** Needs more than one transaction. */
const PIECES = 20;
const MONDAY = "2026-03-02T10:00:00.000Z";
const TUESDAY_MORNING = "2026-03-03T09:00:00.000Z";
const WEDNESDAY = "2026-03-04T10:00:01.000Z";

const folder = createTestFolder();
afterAll(() => folder.remove());

async function readBack(assets: AssetStore, { digest, name }: NamedAsset): Promise<Buffer | undefined> {
  const found = await assets.findAsset(digest, name);
  if (found === undefined) return undefined;
  const parts: Uint8Array[] = [];
  for (let from = 0; from < found.bytes; from += parts.at(-1)?.byteLength ?? 1) {
    parts.push(await assets.readPiece(found, from, found.bytes));
  }
  return Buffer.concat(parts);
}

const failureOf = async (work: Promise<unknown>): Promise<Error | undefined> =>
  work.then(
    () => undefined,
    (error: Error) => error,
  );

async function count(database: TestDatabase, table: string): Promise<number> {
  const rows = (await database.execute(`select count(*) as n from ${table}`)) as { n: number }[];
  return rows[0]?.n ?? 0;
}

const listFiles = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

for (const engine of engines) {
  for (const storage of ["database", "folder"]) {
    const run = async (use: (assets: AssetStore, database: TestDatabase, path: string) => Promise<void>) => {
      const database = await engine.createStoreDatabase();
      const path = join(folder.path, `${engine.name}-${Math.random()}`);
      const assetFolder = storage === "folder" ? path : undefined;
      const store = await openStore(database.url, { create: true, assetFolder });
      try {
        await use(store.assets, database, path);
      } finally {
        await store.close();
        await database.drop();
      }
    };

    test(`${engine.name}, ${storage}: a file that changes while it is read leaves no content`, async () => {
      await run(async (assets, database, path) => {
        const content = createContent(PIECES * PIECE_BYTES);
        const asset = nameContent(content, "a.bin");
        const other = createContent(PIECES * PIECE_BYTES, 2);
        const store = assets.storeAsset(asset, () => readParts(other), MONDAY);
        expect((await failureOf(store))?.message).toBe(
          "The file of asset a.bin changed while it was read. Run the command again.",
        );
        expect(await assets.findAsset(asset.digest, "a.bin")).toBeUndefined();
        for (const table of ["assets", "asset_names", "asset_chunks", "asset_uploads"]) {
          expect([table, await count(database, table)]).toEqual([table, 0]);
        }
        expect(storage === "folder" ? listFiles(path) : []).toEqual([]);
      });
    });

    test(`${engine.name}, ${storage}: unreferenced content is deleted a day after its last use`, async () => {
      await run(async (assets, database, path) => {
        const content = createContent(PIECES * PIECE_BYTES);
        const asset = nameContent(content, "a.bin");
        await assets.storeAsset(asset, () => readParts(content), MONDAY);
        expect(await assets.pruneAssets(TUESDAY_MORNING)).toEqual({ assets: 0, bytes: 0 });
        await assets.markAssets([asset], TUESDAY_MORNING);
        // The clock of another machine may be behind.
        await assets.markAssets([asset], MONDAY);
        expect(await assets.pruneAssets("2026-03-03T10:00:01.000Z")).toEqual({ assets: 0, bytes: 0 });
        await database.execute(
          `insert into version_assets (version_id, digest, name) values (1, '${asset.digest}', '')`,
        );
        expect(await assets.pruneAssets(WEDNESDAY)).toEqual({ assets: 0, bytes: 0 });
        await database.execute("delete from version_assets");
        const found = await assets.findAsset(asset.digest, "a.bin");
        expect(await assets.pruneAssets(WEDNESDAY)).toEqual({ assets: 1, bytes: content.byteLength });
        for (const table of ["assets", "asset_names", "asset_chunks", "asset_uploads"]) {
          expect([table, await count(database, table)]).toEqual([table, 0]);
        }
        expect(storage === "folder" ? listFiles(path) : []).toEqual([]);
        // Its reader gets an error.
        if (found === undefined) throw new Error("it was there before");
        expect(await failureOf(assets.readPiece(found, PIECE_BYTES, found.bytes))).toBeInstanceOf(ContentMissing);
      });
    });

    test(`${engine.name}, ${storage}: leftovers of a killed import are deleted after a day`, async () => {
      await run(async (assets, database, path) => {
        const content = createContent(PIECES * PIECE_BYTES);
        const asset = nameContent(content, "a.bin");
        const before = await assets.findAsset(asset.digest, "a.bin");
        expect(before).toBeUndefined();
        await assets.storeAsset(asset, () => readParts(content), MONDAY);
        // The state before its last transaction.
        await database.execute(`insert into asset_uploads (content_id, digest, in_folder, begun_at)
          select content_id, digest, in_folder, '${MONDAY}' from assets`);
        for (const table of ["assets", "asset_names"]) await database.execute(`delete from ${table}`);
        await assets.pruneAssets(TUESDAY_MORNING);
        expect(await count(database, "asset_uploads")).toBe(1);
        await assets.storeAsset(asset, () => readParts(content), TUESDAY_MORNING);
        await assets.pruneAssets(WEDNESDAY.replace("04T10:00:01", "03T10:00:01"));
        expect(await count(database, "asset_uploads")).toBe(0);
        expect(storage === "folder" ? listFiles(path).length : await count(database, "asset_chunks")).toBe(
          storage === "folder" ? 1 : PIECES,
        );
        expect(await readBack(assets, asset)).toEqual(Buffer.from(content));
      });
    });

    test(`${engine.name}, ${storage}: a failed import deletes its new content unless another one has marked it`, async () => {
      await run(async (assets, database, path) => {
        const content = createContent(PIECES * PIECE_BYTES);
        const asset = nameContent(content, "a.bin");
        for (const [other, isKept] of [
          [undefined, false],
          [MONDAY, true],
          [WEDNESDAY, true],
        ] as const) {
          expect(await assets.storeAsset(asset, () => readParts(content), TUESDAY_MORNING)).toBe(true);
          if (other !== undefined) await assets.markAssets([asset], other);
          await assets.markAssets([{ ...asset, name: "b.bin" }], TUESDAY_MORNING);
          await assets.discardAssets([asset.digest], TUESDAY_MORNING);
          expect(await readBack(assets, asset)).toEqual(isKept ? Buffer.from(content) : undefined);
          await assets.pruneAssets("2026-03-06T10:00:00.000Z");
        }
        expect(await count(database, "asset_uploads")).toBe(0);
        expect(storage === "folder" ? listFiles(path) : []).toEqual([]);
      });
    });

    test(`${engine.name}, ${storage}: concurrent imports of equal content store it once`, async () => {
      await run(async (assets, database, path) => {
        const content = createContent(5 * PIECE_BYTES);
        const asset = nameContent(content, "a.bin");
        const names = ["a.bin", "b.bin", "c.bin"];
        await Promise.all(names.map((name) => assets.storeAsset({ ...asset, name }, () => readParts(content), MONDAY)));
        for (const name of names) expect(await readBack(assets, { ...asset, name })).toEqual(Buffer.from(content));
        await database.execute(
          `insert into version_assets (version_id, digest, name) values (1, '${asset.digest}', '')`,
        );
        await assets.pruneAssets(WEDNESDAY);
        expect(await count(database, "asset_uploads")).toBe(0);
        expect(storage === "folder" ? listFiles(path).length : await count(database, "asset_chunks")).toBe(
          storage === "folder" ? 1 : 5,
        );
        expect(await readBack(assets, asset)).toEqual(Buffer.from(content));
      });
    });
  }

  test(`${engine.name}: content missing from the folder is stored again`, async () => {
    const database = await engine.createStoreDatabase();
    const path = join(folder.path, `${engine.name}-lost`);
    const store = await openStore(database.url, { create: true, assetFolder: path });
    const content = createContent(100);
    const asset = nameContent(content, "a.bin");
    await store.assets.storeAsset(asset, () => readParts(content), MONDAY);
    rmSync(path, { recursive: true });
    const found = await store.assets.findAsset(asset.digest, "a.bin");
    if (found === undefined) throw new Error("the database knows it");
    expect(await failureOf(store.assets.readPiece(found, 0, 100))).toBeInstanceOf(ContentMissing);
    expect(await store.assets.markAssets([asset], MONDAY)).toEqual(new Set([asset.digest]));
    await store.assets.storeAsset(asset, () => readParts(content), MONDAY);
    expect(await readBack(store.assets, asset)).toEqual(Buffer.from(content));
    await store.close();
    await database.drop();
  });

  test(`${engine.name}: content stays readable in place after the storage setting changes`, async () => {
    const database = await engine.createStoreDatabase();
    const path = join(folder.path, `${engine.name}-both`);
    const inDatabase = await openStore(database.url, { create: true });
    const both = await openStore(database.url, { create: true, assetFolder: path });
    const [first, second] = [createContent(100), createContent(200)];
    await inDatabase.assets.storeAsset(nameContent(first, "1"), () => readParts(first), MONDAY);
    await both.assets.storeAsset(nameContent(second, "2"), () => readParts(second), MONDAY);
    expect(await readBack(both.assets, nameContent(first, "1"))).toEqual(Buffer.from(first));
    expect(await readBack(both.assets, nameContent(second, "2"))).toEqual(Buffer.from(second));
    expect((await failureOf(readBack(inDatabase.assets, nameContent(second, "2"))))?.message).toContain("set --assets");
    await Promise.all([inDatabase.close(), both.close()]);
    await database.drop();
  });
}
