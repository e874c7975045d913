// What is kept ready: that it survives a publication, that it is bounded, and that what is asked often stays.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { createRandom } from "../support/random.ts";
import { createKey, startTestServer, waitFor, type TestServer } from "../support/server.ts";
import { anyEngine, openTestStore, type TestStore } from "../support/store.ts";
import { Connection } from "./connection.ts";
import { readMetrics } from "./metrics.ts";

const CODINGS = ["identity", "gzip"];
const MIB = 1024 * 1024;

/** Does not compress to nothing. */
const LETTERS = Buffer.from(crypto.getRandomValues(new Uint8Array(MIB))).toString("hex");

/** A lesson with a piece of LETTERS of its own. */
function createCourse(index: number, text: string, length = 20_000): AuthoredCourse {
  const letters = LETTERS.slice(index * 1300, index * 1300 + length);
  const lessons = [{ id: "l", name: "L", additionalText: `${text} ${letters}` }];
  return { _id: `c${index}`, slug: `s${index}`, name: `Course ${index}`, chapters: [{ id: "c", name: "C", lessons }] };
}

describe("the response cache", () => {
  let database: TestStore;
  let server: TestServer | undefined;
  let connection: Connection;
  let key: string;

  beforeEach(async () => {
    database = await openTestStore(anyEngine);
    key = await createKey(database.store, "acme");
  });
  afterEach(async () => {
    connection.close();
    await server?.stop();
    await database.drop();
  });

  const publishCourses = async (count: number, toText: (index: number) => string, length?: number) => {
    const indexes = Array.from({ length: count }, (_, index) => index);
    const courses = indexes.map((index) => createCourse(index, toText(index), length));
    await publish(database.store, "acme", courses);
    return indexes;
  };
  const start = async (cacheBytes?: number): Promise<TestServer> => {
    server = await startTestServer(database.store, cacheBytes === undefined ? {} : { cacheBytes });
    connection = await Connection.open(server.url);
    return server;
  };
  const ask = async (path: string, coding = "identity") =>
    connection.ask(`/api/v1/courses${path}`, { key, headers: { "accept-encoding": coding } });
  const readCache = async (): Promise<{ bytes: number; entries: number }> => {
    const { sum } = await readMetrics(server?.adminUrl ?? "");
    return { bytes: sum("lectern_cache_bytes"), entries: sum("lectern_cache_entries") };
  };
  /** Which requests are answered while the database has no such table: those whose answers are kept. */
  const listKept = async (table: string, paths: string[]): Promise<string[]> => {
    await database.execute(`alter table ${table} rename to gone`);
    const kept: string[] = [];
    for (const path of paths) if ((await ask(path)).status === 200) kept.push(path);
    await database.execute(`alter table gone rename to ${table}`);
    return kept;
  };

  /** Fits this catalog's lessons once, but not twice. */
  const SIZE_FOR_ONE = 8 * MIB;
  const LESSONS = 240;

  test("keeps answers that a publication does not change, in every coding, and stores them once", async () => {
    const indexes = await publishCourses(LESSONS, () => "one");
    await start(SIZE_FOR_ONE);
    const paths = indexes.flatMap((index) => [`/c${index}/lessons/l`, `/s${index}/lessons/l`]);
    const readAll = async () => {
      const seen: Record<string, string> = {};
      for (const path of paths) {
        const coding = CODINGS[Object.keys(seen).length % 2] ?? "";
        const { headers, body } = await ask(path, coding);
        seen[path] = `${headers["etag"]} ${Bun.hash(body)}`;
      }
      return seen;
    };
    const before = await readAll();
    await publishCourses(LESSONS, (index) => (index === 7 ? "two" : "one"));
    await waitFor(async () => (await ask("?limit=1")).headers["catalog-release"] === "2");
    const after = await readAll();
    expect(paths.filter((path) => before[path] !== after[path])).toEqual(["/c7/lessons/l", "/s7/lessons/l"]);
    const kept = await listKept("lesson_versions", [...paths.map((path) => `${path}?release=1`), ...paths]);
    expect(kept.length).toBeGreaterThan(0.9 * 2 * paths.length);
  });

  test("stays below its size limit for many resources, and keeps those requested repeatedly", async () => {
    const size = 3 * MIB;
    const indexes = await publishCourses(500, () => "one");
    await start(size);
    const hot = ["/c0", "/c0/lessons/l", "/c0/lessons", "/s0"];
    let most = 0;
    for (const index of indexes) {
      await ask(`/c${index}/lessons/l`, CODINGS[index % 2]);
      await ask(`/s${index}`);
      if (index % 20 === 0) for (const path of hot) expect((await ask(path, "gzip")).status).toBe(200);
      if (index % 100 === 0) most = Math.max(most, (await readCache()).bytes);
    }
    expect(Math.max(most, (await readCache()).bytes)).toBeLessThanOrEqual(size);
    const lessons = indexes.map((index) => `/c${index}/lessons/l`);
    const kept = await listKept("lesson_versions", lessons);
    expect(kept[0]).toBe("/c0/lessons/l");
    expect(kept.at(-1)).toBe("/c499/lessons/l");
    expect(kept.length).toBeGreaterThan(75);
    expect(kept.length).toBeLessThan(250);
  });

  test("does not grow with spellings of a path or query, or with missing content", async () => {
    await publishCourses(20, () => "one", 2000);
    await start();
    const hot = [
      "",
      "/c0",
      "/c0/lessons",
      "/c0/lessons/l",
      "?limit=5",
      "?name=course&limit=2&offset=3",
      "?name=course",
    ];
    const texts = new Map<string, string>();
    for (let times = 0; times < 3; times++) {
      for (const path of hot) texts.set(path, (await ask(path)).body.toString());
    }
    const before = await readCache();
    const random = createRandom(1);
    const spell = (path: string): string => {
      const encode = (letter: string): string => {
        const hex = letter.charCodeAt(0).toString(16);
        return random.oneIn(2) ? letter : `%${random.oneIn(2) ? hex : hex.toUpperCase()}`;
      };
      const segments = path.split("/").map((each, index) => (index % 2 === 1 ? each.replace(/./g, encode) : each));
      return segments.join("/") + (random.oneIn(3) ? "/" : "");
    };
    for (let index = 0; index < 200; index++) {
      const target = random.pick(hot);
      const [path = "", query = ""] = target.split("?");
      const more = random.pick([[], [`_=${index}`], [`cache=${index}`, "x"], ["name2=x", ""]]);
      const parts = [...query.split("&"), ...more];
      if (random.oneIn(2)) parts.reverse();
      const same = await ask(`${query === "" ? spell(path) : path}?${parts.join("&")}`);
      expect([same.status, same.body.toString()]).toEqual([200, texts.get(target) ?? ""]);
      expect((await ask(`/missing-${index}/lessons`)).status).toBe(404);
      expect((await ask(`/c1/lessons/missing-${index}`)).status).toBe(404);
    }
    expect(await readCache()).toEqual(before);
  });

  test("caches pages and searches by canonical query, and is not flooded by a client that requests everything", async () => {
    const size = 4 * MIB;
    await publishCourses(300, () => "one", 200);
    await start(size);
    const pages = ["?limit=20", "?name=course+1&limit=10", "?name=COURSE%2012", "/c1/lessons?limit=1"];
    const same = ["?x=1&limit=20", "?limit=10&name=course%201", "?name=course+12&y", "/c1/lessons?limit=1&name=z"];
    const texts: string[] = [];
    for (const page of pages) texts.push((await ask(page)).body.toString());
    for (let offset = 0; offset < 1000; offset++) await ask(`?offset=${offset}&limit=30`);
    expect((await readCache()).bytes).toBeLessThanOrEqual(size);
    // Without their table the database gives no page.
    await database.execute("alter table release_courses rename to release_courses_gone");
    for (const [index, page] of same.entries()) {
      const { status, body } = await ask(page);
      expect([page, status, body.toString()]).toEqual([page, 200, texts[index] ?? ""]);
    }
    await database.execute("alter table release_courses_gone rename to release_courses");
  });
});
