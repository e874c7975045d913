// What is kept ready: that it survives a publication, that it is bounded, and that what is asked often stays.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { createRandom } from "../support/random.ts";
import { createKey, startTestServer, waitFor, type TestServer } from "../support/server.ts";
import { renewStore } from "../support/shared-store.ts";
import { Connection } from "./connection.ts";
import { readMetrics } from "./metrics.ts";

const MIB = 1024 * 1024;

/** Does not compress to nothing. */
const LETTERS = Buffer.from(crypto.getRandomValues(new Uint8Array(MIB / 2))).toString("hex");

/** A lesson with a piece of LETTERS of its own. */
function createCourse(index: number, text: string, length = 20_000): AuthoredCourse {
  const letters = LETTERS.slice(index * 1300, index * 1300 + length);
  const lessons = [{ id: "l", name: "L", additionalText: `${text} ${letters}` }];
  return { _id: `c${index}`, slug: `s${index}`, name: `Course ${index}`, chapters: [{ id: "c", name: "C", lessons }] };
}

describe("the response cache", () => {
  const database = renewStore();
  let server: TestServer | undefined;
  let connection: Connection;
  let key: string;

  beforeEach(async () => void (key = await createKey(database.store, "acme")));
  afterEach(async () => {
    connection.close();
    await server?.stop();
  });

  const publishCourses = async (count: number, changed?: number, length?: number): Promise<number[]> => {
    const indexes = Array.from({ length: count }, (_, index) => index);
    const courses = indexes.map((index) => createCourse(index, index === changed ? "two" : "one", length));
    await publish(database.store, "acme", courses);
    return indexes;
  };
  const start = async (cacheBytes = 64 * MIB): Promise<void> => {
    server = await startTestServer(database.store, { cacheBytes });
    connection = await Connection.open(server.url);
  };
  const ask = async (path: string, coding = "identity") =>
    connection.ask(`/api/v1/courses${path}`, { key, headers: { "accept-encoding": coding } });
  const readCache = async (): Promise<number[]> => {
    const { sum } = await readMetrics(server?.adminUrl ?? "");
    return [sum("lectern_cache_bytes"), sum("lectern_cache_entries")];
  };
  /** Which requests are answered while the database has no such table: those whose answers are kept. */
  const listKept = async (table: string, paths: string[]): Promise<string[]> => {
    await database.execute(`alter table ${table} rename to gone`);
    const statuses = await Array.fromAsync(paths, async (path) => (await ask(path)).status);
    await database.execute(`alter table gone rename to ${table}`);
    return paths.filter((_, index) => statuses[index] === 200);
  };

  test("keeps answers that a publication does not change, in every coding, and stores them once", async () => {
    const lessons = 120;
    const indexes = await publishCourses(lessons);
    // Fits this catalog's lessons once, but not twice.
    await start(4 * MIB);
    const paths = indexes.flatMap((index) => [`/c${index}/lessons/l`, `/s${index}/lessons/l`]);
    const readAll = () =>
      Array.fromAsync(paths, async (path, at) => {
        const { headers, body } = await ask(path, at % 2 === 0 ? "identity" : "gzip");
        return `${headers["etag"]} ${Bun.hash(body)}`;
      });
    const before = await readAll();
    await publishCourses(lessons, 7);
    await waitFor(async () => (await ask("?limit=1")).headers["catalog-release"] === "2");
    const after = await readAll();
    expect(paths.filter((_, at) => before[at] !== after[at])).toEqual(["/c7/lessons/l", "/s7/lessons/l"]);
    const kept = await listKept("lesson_versions", [...paths.map((path) => `${path}?release=1`), ...paths]);
    expect(kept.length).toBeGreaterThan(0.9 * 2 * paths.length);
  });

  test("stores an answer once while it is still filling", async () => {
    const indexes = await publishCourses(200);
    await start();
    const sizes: number[] = [];
    for (const letter of ["c", "s"]) {
      for (const index of indexes) await ask(`/${letter}${index}/lessons/l`, "gzip");
      sizes.push((await readCache())[0] ?? 0);
    }
    expect((sizes[1] ?? 0) - (sizes[0] ?? 0)).toBeLessThan(MIB / 10);
  });

  test("stays below its size limit for many resources, and keeps those requested repeatedly", async () => {
    const size = 1.5 * MIB;
    const indexes = await publishCourses(250);
    await start(size);
    const hot = ["/c0", "/c0/lessons/l", "/c0/lessons", "/s0"];
    let most = 0;
    for (const index of indexes) {
      await ask(`/c${index}/lessons/l`, index % 2 === 0 ? "identity" : "gzip");
      await ask(`/s${index}`);
      if (index % 20 === 0) for (const path of hot) expect((await ask(path, "gzip")).status).toBe(200);
      if (index % 50 === 49) most = Math.max(most, (await readCache())[0] ?? 0);
    }
    expect(most).toBeLessThanOrEqual(size);
    const paths = indexes.map((index) => `/c${index}/lessons/l`);
    const kept = await listKept("lesson_versions", paths);
    expect([kept[0], kept.at(-1)]).toEqual([paths[0], paths.at(-1)]);
    expect(kept.length).toBeGreaterThan(37);
    expect(kept.length).toBeLessThan(125);
  });

  test("does not grow with spellings of a path or query, or with missing content", async () => {
    await publishCourses(20, undefined, 2000);
    await start();
    const queries = ["?limit=5", "?name=course&limit=2&offset=3", "?name=course"];
    const hot = ["", "/c0", "/c0/lessons", "/c0/lessons/l", ...queries];
    const texts = new Map<string, string>();
    for (let times = 0; times < 3; times++) {
      for (const path of hot) texts.set(path, (await ask(path)).body.toString());
    }
    const before = await readCache();
    const random = createRandom(1);
    const encode = (letter: string): string => {
      const code = letter.charCodeAt(0).toString(16);
      return random.pick([letter, `%${code}`, `%${code.toUpperCase()}`]);
    };
    const spell = (path: string): string => {
      const segments = path.split("/").map((each, index) => (index % 2 === 1 ? each.replace(/./g, encode) : each));
      return segments.join("/") + (random.oneIn(3) ? "/" : "");
    };
    for (let index = 0; index < 80; index++) {
      const target = random.pick(hot);
      const [path = "", query = ""] = target.split("?");
      const more = random.pick([[], [`_=${index}`], [`cache=${index}`, "x"], ["name2=x", ""]]);
      const parts = random.shuffle([...query.split("&"), ...more]);
      const spelled = await ask(`${query === "" ? spell(path) : path}?${parts.join("&")}`);
      expect(spelled.body.toString()).toBe(texts.get(target) ?? "");
      for (const missing of [`/missing-${index}/lessons`, `/c1/lessons/missing-${index}`])
        expect((await ask(missing)).status).toBe(404);
    }
    expect(await readCache()).toEqual(before);
    expect(await listKept("release_courses", hot)).toEqual(hot);
  });
});
