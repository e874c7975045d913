// Documents are stored as they are sent: clients get the same bytes from every engine and server.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { unseal, type Bytes } from "../../src/catalog/body.ts";
import type { Store } from "../../src/store/open-store.ts";
import { Connection, decodeBody } from "../read-path/connection.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { createKey, startTestServer } from "../support/server.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";

const CODINGS = ["identity", "gzip"];
function createText(length: number): string {
  let text = "";
  for (let index = 0; text.length < length; index++)
    text += `<p>${index} ${Bun.hash(String(index)).toString(36)} é漢😀</p>`;
  return text.slice(0, length).toWellFormed();
}

const lesson = (id: string, length: number) => ({ id, name: `Lesson ${id}`, additionalText: createText(length) });
/** Without text, but with a long name: a few hundred make a large course. */
const createNamed = (id: string) => ({ ...lesson(id, 0), name: createText(100) + id });
const CATALOG: AuthoredCourse[] = [
  {
    _id: "a",
    slug: "a",
    name: "A",
    chapters: [{ id: "c", name: "C", lessons: [lesson("small", 100), lesson("big", 9000), lesson("large", 100_000)] }],
  },
  {
    _id: "b",
    slug: "b",
    name: "B",
    chapters: [{ id: "c", name: "C", lessons: Array.from({ length: 600 }, (_, index) => createNamed(`l${index}`)) }],
  },
];
const PATHS = [
  "",
  "?limit=1",
  "/a",
  "/a/lessons",
  "/a/lessons/small",
  "/a/lessons/big",
  "/a/lessons/large",
  "/b",
  "/b/lessons",
  "/b/lessons?limit=30&offset=590",
  "/b/lessons?offset=1",
  "/a/lessons/large?include=nav",
  "/b/lessons/l7",
];
/** SHA-256 of the gzip of lesson `big`. */
const PINNED = "8d52590ed30423cd17ba7c00b06fde4770287fc72cf9b618bc13992d7b126075";

interface Seen {
  etag: string;
  body: string;
}

/** Every answer in every coding, its bytes in base64. */
async function readAll(store: Store, key: string, cacheBytes?: number): Promise<Record<string, Seen>> {
  const server = await startTestServer(store, cacheBytes === undefined ? {} : { cacheBytes });
  const connection = await Connection.open(server.url);
  const seen: Record<string, Seen> = {};
  for (const path of PATHS) {
    for (const coding of CODINGS) {
      const answer = await connection.ask(`/api/v1/courses${path}`, { key, headers: { "accept-encoding": coding } });
      expect([path, coding, answer.status]).toEqual([path, coding, 200]);
      seen[`${path} ${coding}`] = { etag: answer.headers["etag"] ?? "", body: answer.body.toString("base64") };
    }
  }
  connection.close();
  await server.stop();
  return seen;
}

describe("bytes and ETags in every coding", () => {
  let stores: TestStore[];
  let keys: string[];
  let expected: Record<string, Seen>;

  beforeAll(async () => {
    stores = await Promise.all(engines.map((engine) => openTestStore(engine)));
    keys = [];
    for (const { store } of stores) {
      await publish(store, "acme", CATALOG);
      keys.push(await createKey(store, "acme"));
    }
    expected = await readAll(stores[0]!.store, keys[0]!);
  });
  afterAll(async () => {
    for (const database of stores) await database.drop();
  });

  test("exist for each answer and coding, and decode to the same text", () => {
    for (const path of PATHS) {
      const plain = Buffer.from(expected[`${path} identity`]?.body ?? "", "base64");
      const tags = new Set(CODINGS.map((coding) => expected[`${path} ${coding}`]?.etag));
      expect([path, tags.size]).toEqual([path, plain.length < 1024 ? 1 : 2]);
      for (const coding of CODINGS) {
        const body = Buffer.from(expected[`${path} ${coding}`]?.body ?? "", "base64");
        const headers = plain.length < 1024 || coding === "identity" ? {} : { "content-encoding": coding };
        expect(decodeBody({ status: 200, headers, body })).toBe(plain.toString());
      }
    }
  });

  test("are the same from both engines, two servers, after a restart and without a cache", async () => {
    for (const [index, { store }] of stores.entries()) {
      const all = await Promise.all([readAll(store, keys[index]!), readAll(store, keys[index]!, 0)]);
      for (const seen of all) expect(seen).toEqual(expected);
    }
  });

  test("equal the stored ones: gzip for a client that accepts it, identity below 1 KiB", async () => {
    for (const database of stores) {
      const rows = (await database.execute(
        "select lesson_id as id, body from lesson_versions where lesson_id in ('small', 'big', 'large') order by 1",
      )) as { id: string; body: Bytes }[];
      const bodies = rows.map(({ id, body }) => ({ id, bytes: unseal(body) }));
      expect(bodies.map(({ id, bytes }) => [id, bytes[0] === 0x1f])).toEqual([
        ["big", true],
        ["large", true],
        ["small", false],
      ]);
      for (const { id, bytes } of bodies) {
        const seen = Buffer.from(expected[`/a/lessons/${id} gzip`]?.body ?? "", "base64");
        expect([id, seen.equals(bytes)]).toEqual([id, true]);
      }
    }
  });

  // A tag must mean the same bytes everywhere and always: if this fails, raise the coder's number in the tags.
  test("of gzip have not changed since the coder version in its ETag", () => {
    const { etag = "", body = "" } = expected["/a/lessons/big gzip"] ?? {};
    const bytes = Bun.SHA256.hash(Buffer.from(body, "base64"), "hex");
    expect([etag.slice(33), bytes]).toEqual(['-gzip-2"', PINNED]);
  });
});
