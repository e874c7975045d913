// Documents are stored as they are sent: clients get the same bytes from every engine and server.
import { beforeAll, describe, expect, test } from "bun:test";
import type { Store } from "../../src/store/open-store.ts";
import { Connection } from "../read-path/connection.ts";
import { publish } from "../support/catalog.ts";
import { createKey, startTestServer } from "../support/server.ts";
import { engines, useTestStore } from "../support/store.ts";

const CODINGS = ["identity", "gzip"];
function createText(length: number): string {
  const parts = Array.from({ length: length / 20 }, (_, n) => `<p>${n} ${Bun.hash(String(n)).toString(36)} é漢😀</p>`);
  return parts.join("").slice(0, length).toWellFormed();
}

const lesson = (id: string, length: number) => ({ id, name: `Lesson ${id}`, additionalText: createText(length) });
/** Without text, but with a long name: a few hundred make a large course. */
const createNamed = (_: unknown, index: number) => ({ id: `l${index}`, name: createText(100) + `l${index}` });
const createCourse = (id: string, lessons: object[]) => ({
  _id: id,
  name: id,
  chapters: [{ id: "c", name: "C", lessons }],
});
const CATALOG = [
  createCourse("a", [lesson("small", 100), lesson("big", 9000), lesson("large", 100_000)]),
  createCourse("b", Array.from({ length: 600 }, createNamed)),
];
const PATHS = `?limit=1 /a /a/lessons/small /a/lessons/big /a/lessons/large /a/lessons/large?include=nav /b /b/lessons
  /b/lessons?limit=30&offset=590 /b/lessons?offset=1`.split(/\s+/);
/** SHA-256 of the gzip of lesson `big`. */
const PINNED = "8d52590ed30423cd17ba7c00b06fde4770287fc72cf9b618bc13992d7b126075";

/** Every answer in every coding: its ETag, and its bytes in base64. */
async function readAll(store: Store, cacheBytes = 1e8): Promise<Record<string, [etag: string, body: string]>> {
  const key = await createKey(store, "acme");
  const server = await startTestServer(store, { cacheBytes });
  const connection = await Connection.open(server.url);
  const seen: Record<string, [string, string]> = {};
  for (const path of PATHS) {
    for (const coding of CODINGS) {
      const answer = await connection.ask(`/api/v1/courses${path}`, { key, headers: { "accept-encoding": coding } });
      expect([path, coding, answer.status]).toEqual([path, coding, 200]);
      seen[`${path} ${coding}`] = [answer.headers["etag"] ?? "", answer.body.toString("base64")];
    }
  }
  connection.close();
  await server.stop();
  return seen;
}

describe("bytes and ETags in every coding", () => {
  const stores = engines.map((engine) => useTestStore(engine));
  let expected: Awaited<ReturnType<typeof readAll>>;
  const bytesOf = (answer: string): Buffer => Buffer.from(expected[answer]?.[1] ?? "", "base64");

  beforeAll(async () => {
    for (const { store } of stores) await publish(store, "acme", CATALOG);
    expected = await readAll(stores[0]!.store);
  });

  test("are the same from both engines, with and without a cache", async () => {
    for (const [index, { store }] of stores.entries()) expect(await readAll(store, index)).toEqual(expected);
  });

  // A tag must mean the same bytes everywhere and always: if this fails, raise the coder's number in the tags.
  test("of gzip have not changed since the coder version in its ETag", () => {
    const [etag = ""] = expected["/a/lessons/big gzip"] ?? [];
    const bytes = Bun.SHA256.hash(bytesOf("/a/lessons/big gzip"), "hex");
    expect([etag.slice(33), bytes]).toEqual(['-gzip-2"', PINNED]);
  });
});
