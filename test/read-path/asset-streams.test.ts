// Assets under way: what they take of memory, what they keep from others, and the databases and workers behind them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { PIECE_BYTES } from "../../src/assets/asset-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { publish } from "../support/catalog.ts";
import { startServing } from "../support/command.ts";
import { createContent, storeFile } from "../support/assets.ts";
import { createKey, send, startTestServer, waitFor } from "../support/server.ts";
import { createTestFolder, engines, openTestStore, type Engine, type TestStore } from "../support/store.ts";
import { readMetrics } from "./metrics.ts";
import { startSlowReader } from "./slow-reader.ts";

/** More than the system takes for a client that does not read. */
const LONG = createContent(200 * PIECE_BYTES);
const BUSY = '{"data":{},"success":false,"message":"Too many files are being sent; try again","code":503}';

const folder = createTestFolder();
afterAll(() => folder.remove());

const [firstEngine] = engines as [Engine, ...Engine[]];

describe.each(engines)("assets on $name", (engine) => {
  let database: TestStore;
  /** Of LONG. */
  let path: string;

  beforeAll(async () => {
    database = await openTestStore(engine);
    path = await storeFile(database.store, "film.mp4", LONG);
  });
  afterAll(() => database.drop());

  test("have room of their own, which clients give back by reading on or leaving", async () => {
    const { store } = database;
    await publish(store, "acme", [{ _id: "a", name: "A" }]);
    const key = await createKey(store, "acme");
    // For two that are under way.
    const server = await startTestServer(store, { assetBytes: 4 * PIECE_BYTES });
    const small = await storeFile(store, "a.png", "a");
    const used = async () => (await readMetrics(server.adminUrl)).sum("lectern_asset_bytes");
    const [first, second] = [await startSlowReader(server.url, path, ""), await startSlowReader(server.url, path, "")];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await used()).toBe(4 * PIECE_BYTES);
    for (const each of [path, small]) {
      const refused = await server.get(each);
      expect([refused.status, refused.text, refused.headers.get("retry-after")]).toEqual([503, BUSY, "1"]);
    }
    await waitFor(async () => (await server.get("/api/v1/courses/a", { key })).status === 200);
    first.socket.destroy();
    await waitFor(async () => (await used()) === 2 * PIECE_BYTES);
    const { text, headers } = await server.get(small);
    expect(text).toBe("a");
    // Who has it takes no room of those who come later.
    for (let time = 0; time < 5; time++) {
      const held = await server.get(small, { headers: { "if-none-match": headers.get("etag") ?? "" } });
      expect([held.status, held.headers.get("etag")]).toEqual([304, headers.get("etag")]);
    }
    expect(await used()).toBe(2 * PIECE_BYTES);
    expect((await second.text()).length).toBeGreaterThan(0);
    await waitFor(async () => (await used()) === 0);
    await server.stop();
  });

  test("come from every worker, from the database and from a folder", async () => {
    const assetFolder = join(folder.path, engine.name);
    const inFolder = await openStore(database.url, { create: true, assetFolder });
    const paths = [
      await storeFile(database.store, "a.txt", "in the database"),
      await storeFile(inFolder, "b.txt", "in a folder"),
    ];
    const server = await startServing(["serve", "--workers", "2", "--assets", `dir:${assetFolder}`], {
      env: { LECTERN_DATABASE: database.url },
    });
    for (let round = 0; round < 8; round++) {
      // Each over a connection of its own, which the system gives to one of the workers.
      const texts = await Promise.all(
        paths.map(async (target) => (await send(server.url, target, { headers: { connection: "close" } })).text),
      );
      expect(texts).toEqual(["in the database", "in a folder"]);
    }
    rmSync(assetFolder, { recursive: true });
    const lost = await send(server.url, paths[1] ?? "");
    expect([lost.status, lost.headers.get("retry-after")]).toEqual([503, "1"]);
    server.kill();
    expect(await server.exited).toBe(0);
    expect(server.stderr()).toContain("the content of an asset is not there");
    await inFolder.close();
  });

  // The store of this one is away in no database.
  if (engine !== firstEngine) return;

  test("are 503 while the store is away, and cut off where it goes away in the middle", async () => {
    const { store } = database;
    let isAway = false;
    const away = async <T>(read: () => Promise<T>): Promise<T> => {
      if (isAway) throw new Error("away");
      return read();
    };
    const { assets } = store;
    const server = await startTestServer(
      {
        ...store,
        isUnavailable: (error) => (error as Error).message === "away",
        assets: {
          ...assets,
          findAsset: (...asset) => away(() => assets.findAsset(...asset)),
          readPiece: (...piece) => away(() => assets.readPiece(...piece)),
        },
      },
      {},
    );
    const { socket } = await startSlowReader(server.url, path, "");
    let last = "";
    socket.on("data", (bytes: Buffer) => (last = bytes.subarray(-5).toString("latin1")));
    // It may be cut off before it reads on.
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    isAway = true;
    const refused = await server.get(path);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    socket.resume();
    await closed;
    // That would be the last chunk: without it the client sees that this is not all.
    expect(last).not.toBe("0\r\n\r\n");
    await waitFor(async () => (await readMetrics(server.adminUrl)).sum("lectern_asset_bytes") === 0);
    isAway = false;
    expect((await server.get(path, { headers: { range: "bytes=0-0" } })).status).toBe(206);
    await server.stop();
  });
});
