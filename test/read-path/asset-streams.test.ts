// Assets being sent: their memory, their effect on others, and the databases and workers behind them.
import { expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { PIECE_BYTES } from "../../src/assets/asset-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { errorBody } from "../support/acme.ts";
import { publish } from "../support/catalog.ts";
import { startServing } from "../support/command.ts";
import { createContent, storeFile } from "../support/assets.ts";
import { createKey, formatRequest, send, startTestServer, waitFor, type TestServer } from "../support/server.ts";
import { createTestFolder, useTestStore } from "../support/store.ts";
import { readMetrics } from "./metrics.ts";
import { startSlowReader, type SlowReader } from "./slow-reader.ts";

/** More than the system takes for a client that does not read. */
const LONG = Uint8Array.from(Buffer.alloc(200 * PIECE_BYTES, "a film of which every piece differs from its neighbor"));
/** The longest that needs no memory. */
const WHOLE = createContent(PIECE_BYTES, 2);
/** As much memory as two being sent need. */
const FOR_TWO = 4 * PIECE_BYTES;
const BUSY = errorBody(503, "Too many files are being sent; try again");

/** Of LONG. */
let path: string;
const folder = createTestFolder();
const database = useTestStore(undefined, async () => {
  path = await storeFile(database.store, "film.mp4", LONG);
  return folder.remove;
});

const untilUsed = ({ adminUrl }: TestServer, bytes: number) =>
  waitFor(async () => (await readMetrics(adminUrl)).sum("lectern_asset_bytes") === bytes);

/** Whether the other side has a connection of this machine still open (Linux). */
function isConnected({ localPort = 0, remotePort = 0 }: Socket): boolean {
  const format = (port: number): string => `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  // The address of the other side, the one of this side, the state; 01 is ESTABLISHED.
  const open = new RegExp(`${format(remotePort)} \\S+${format(localPort)} 01 `);
  return open.test(readFileSync("/proc/net/tcp", "latin1"));
}

test("assets come from every worker, from the database and from a folder", async () => {
  const assetFolder = join(folder.path, "assets");
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
    const headers = { connection: "close" };
    const answers = await Promise.all(paths.map((target) => send(server.url, target, { headers })));
    expect(answers.map(({ text }) => text)).toEqual(["in the database", "in a folder"]);
  }
  rmSync(assetFolder, { recursive: true });
  const lost = await send(server.url, paths[1] ?? "");
  expect([lost.status, lost.headers.get("retry-after")]).toEqual([503, "1"]);
  server.kill();
  expect(await server.exited).toBe(0);
  expect(server.stderr()).toContain("the content of an asset is missing");
  await inFolder.close();
});

test("assets have their own memory, which clients free by reading, leaving, or stalling for 5 seconds; short ones need none", async () => {
  const { store } = database;
  await publish(store, "acme", [{ _id: "a", name: "A" }]);
  const key = await createKey(store, "acme");
  let nowMs = 0;
  let reads = 0;
  const readPiece: typeof store.assets.readPiece = (...piece) => {
    reads++;
    return store.assets.readPiece(...piece);
  };
  const assets = { ...store.assets, readPiece };
  const server = await startTestServer(store, { assets, assetBytes: FOR_TWO, now: () => nowMs });
  const whole = await storeFile(store, "b.png", Uint8Array.from(WHOLE));
  const tag = (await server.get(path, { method: "HEAD" })).headers.get("etag") ?? "";
  /** Opens one whose client takes no more than the system takes for it: nothing is read for it any more. */
  const openStalled = async () => {
    const reader = await startSlowReader(server.url, path, "");
    for (let seen = -1, turns = 0; turns < 20; turns++) {
      if (reads !== seen) turns = 0;
      seen = reads;
      await Bun.sleep(5);
    }
    return reader;
  };
  const isWhole = async ({ text }: SlowReader) => (await text()).endsWith("\r\n0\r\n\r\n");

  const first = await openStalled();
  expect(isConnected(first.socket)).toBe(true);
  nowMs = 1000;
  const second = await openStalled();
  await untilUsed(server, FOR_TWO);
  nowMs = 4999;
  const refused = await server.get(path);
  expect([refused.status, refused.text, refused.headers.get("retry-after")]).toEqual([503, BUSY, "1"]);
  const others = [
    await server.get("/api/v1/courses/a", { key }),
    await server.get(whole),
    await server.get(path, { method: "HEAD" }),
    await server.get(path, { headers: { range: `bytes=5-${PIECE_BYTES + 4}` } }),
    await server.get(path, { headers: { "if-none-match": tag } }),
  ];
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 206, 304]);
  nowMs = 5000;
  const third = await openStalled();
  expect(third.status).toBe(200);
  nowMs = 5999;
  // The second waits for less than 5 seconds, the third even less.
  expect((await server.get(path)).text).toBe(BUSY);
  // Also where the client reads no more, and so never sees it.
  await waitFor(() => !isConnected(first.socket));
  expect([await isWhole(first), await isWhole(second)]).toEqual([false, true]);
  expect((await readMetrics(server.adminUrl)).sum("lectern_assets_cut_total")).toBe(1);
  await untilUsed(server, 2 * PIECE_BYTES);
  third.socket.destroy();
  await untilUsed(server, 0);
  await server.stop();
});

test("assets are 503 while the store is unavailable, and cut off if it fails midway", async () => {
  const { store } = database;
  let isAway = false;
  const unlessAway = async <T>(read: () => Promise<T>): Promise<T> => {
    if (isAway) throw new Error("away");
    return read();
  };
  const assets: typeof store.assets = {
    ...store.assets,
    findAsset: (...asset) => unlessAway(() => store.assets.findAsset(...asset)),
    readPiece: (...piece) => unlessAway(() => store.assets.readPiece(...piece)),
  };
  const isUnavailable = (error: unknown): boolean => (error as Error).message === "away";
  const server = await startTestServer(store, { assets, isUnavailable });
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
  await untilUsed(server, 0);
  isAway = false;
  expect((await server.get(path, { headers: { range: "bytes=0-0" } })).status).toBe(206);
  await server.stop();
});

test("assets with a damaged piece are 500 or cut off there: no changed byte is sent", async () => {
  const { store } = database;
  const short = await storeFile(store, "short.txt", createContent(1000, 7));
  const long = await storeFile(store, "long.bin", createContent(5 * PIECE_BYTES, 8));
  // The third piece of one, and all of the other with what is stored beside it.
  const isMeant = "position = 2 or length(content) between 1000 and 1100";
  await database.execute(`update asset_chunks set content = zeroblob(length(content)) where ${isMeant}`);
  const server = await startTestServer(store);
  expect((await server.get(short)).status).toBe(500);
  const statusAt = async (byte: number) =>
    (await server.get(long, { headers: { range: `bytes=${byte}-${byte}` } })).status;
  expect([await statusAt(0), await statusAt(2 * PIECE_BYTES)]).toEqual([206, 500]);
  expect((await server.raw(formatRequest(long))).status).toBe(200);
  await waitFor(() => server.log().includes("an asset was not sent completely"));
  expect(server.log()).toContain("is damaged in the database");
  await untilUsed(server, 0);
  await server.stop();
});
