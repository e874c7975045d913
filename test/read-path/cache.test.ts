// What is kept ready: that it survives a publication, that it is bounded, and that what is asked often stays.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { RequestCounts } from "../../src/http/answers/request-counts.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { createRandom } from "../support/random.ts";
import { createKey, startTestServer, waitFor, type TestServer } from "../support/server.ts";
import { engines, openTestStore, type Engine, type TestStore } from "../support/store.ts";
import { Connection } from "./connection.ts";
import { readMetrics } from "./metrics.ts";

const CODINGS = ["identity", "br", "zstd", "gzip"];
const LONG_URL = `https://cdn.example.org/${"a".repeat(200)}`;

/** A lesson whose text does not compress to nothing. */
function createCourse(index: number, text: string, length = 20_000): AuthoredCourse {
  const random = createRandom(index);
  const letters = Array.from({ length: length / 4 }, () =>
    random
      .below(36 ** 3)
      .toString(36)
      .padStart(4, " "),
  ).join("");
  const lessons = [{ id: "l", name: "L", additionalText: `${text} ${letters}` }];
  return { _id: `c${index}`, slug: `s${index}`, name: `Course ${index}`, chapters: [{ id: "c", name: "C", lessons }] };
}

const [firstEngine] = engines as [Engine, ...Engine[]];

describe.each(engines)("the response cache on $name", (engine) => {
  let database: TestStore;
  let server: TestServer | undefined;
  let connection: Connection;
  let key: string;

  beforeEach(async () => {
    database = await openTestStore(engine);
    key = await createKey(database.store, "acme");
  });
  afterEach(async () => {
    connection.close();
    await server?.stop();
    await database.drop();
  });

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

  test("keeps bytes and ETags of what a publication leaves alone, in every coding, and makes none of it again", async () => {
    const indexes = Array.from({ length: 12 }, (_, index) => index);
    await publish(
      database.store,
      "acme",
      indexes.map((index) => createCourse(index, "one")),
    );
    await start();
    const paths = indexes.map((index) => `/c${index}/lessons/l`);
    const readAll = async () => {
      const seen: Record<string, string> = {};
      for (const path of paths) {
        for (const coding of CODINGS) {
          const { headers, body } = await ask(path, coding);
          seen[`${path} ${coding}`] = `${headers["etag"]} ${Bun.hash(body)}`;
        }
      }
      return seen;
    };
    const before = await readAll();
    const cacheBefore = await readCache();
    expect(cacheBefore.entries).toBe(paths.length);

    const changed = indexes.map((index) => createCourse(index, index === 7 ? "two" : "one"));
    await publish(database.store, "acme", changed, "2026-02-01T00:00:00.000Z");
    await waitFor(async () => (await ask("?limit=1")).headers["catalog-release"] === "2");
    const after = await readAll();
    const differing = Object.keys(before).filter((id) => before[id] !== after[id]);
    expect(differing).toEqual(CODINGS.map((coding) => `/c7/lessons/l ${coding}`));

    // Entries of the new release take the place of those before; the bytes that they lead to stay, but for the course that
    // changed.
    const cacheAfter = await readCache();
    // The lesson of before, and the page that was asked for until the release had changed.
    expect(cacheAfter.entries).toBe(paths.length + 2);
    const bodyBytes = cacheBefore.bytes / paths.length;
    const grownBy = cacheAfter.bytes - cacheBefore.bytes;
    expect(bodyBytes).toBeGreaterThan(40_000);
    expect(grownBy).toBeLessThan(bodyBytes + (paths.length + 2) * 1000);
  });

  test("holds equal content once, for an id, a slug and two kinds of key, also when they ask at once", async () => {
    await publish(database.store, "acme", [createCourse(0, "one")]);
    const drafts = await createKey(database.store, "acme", { drafts: true });
    for (const isSlugFirst of [true, false]) {
      const running = await start();
      const paths = ["/api/v1/courses/c0/lessons/l", "/api/v1/courses/s0/lessons/l"];
      const asked = paths.flatMap((path) => [key, drafts].map((secret) => ({ path, secret })));
      const answers = await Promise.all(asked.map(async ({ path, secret }) => running.get(path, { key: secret })));
      for (const { status, text } of answers) expect([status, text]).toEqual([200, answers[0]?.text ?? ""]);
      // Those that came too late to share the bytes share them from their next request on.
      for (const { path, secret } of asked) await running.get(path, { key: secret });
      const plain = await readCache();
      expect(plain.entries).toBe(4);
      // Plain, and in the gzip that it was made of.
      expect(plain.bytes).toBeLessThan(2 * (answers[0]?.text.length ?? 0) + 4 * 1000);
      // Compressed for one of them, it is compressed for all, and counted.
      const [first, second] = isSlugFirst ? ["/s0/lessons/l", "/c0/lessons/l"] : ["/c0/lessons/l", "/s0/lessons/l"];
      const { body } = await ask(first ?? "", "br");
      expect((await readCache()).bytes - plain.bytes).toBe(body.length);
      await ask(second ?? "", "br");
      await running.get(paths[0] ?? "", { key: drafts, headers: { "accept-encoding": "br" } });
      expect((await readCache()).bytes - plain.bytes).toBe(body.length);
      connection.close();
      await running.stop();
    }
  });

  // How large the cache becomes, and what it lets go, does not depend on the database.
  if (engine !== firstEngine) return;

  test("stays below its size over many resources, and keeps what is asked for again and again", async () => {
    const size = 1024 * 1024;
    const indexes = Array.from({ length: 400 }, (_, index) => index);
    await publish(
      database.store,
      "acme",
      indexes.map((index) => createCourse(index, "one", 2000)),
    );
    await start(size);
    const hot = ["/c0", "/c0/lessons/l", "/c0/lessons", "/s0"];
    let most = 0;
    for (const index of indexes) {
      await ask(`/c${index}/lessons/l`, CODINGS[index % 4]);
      await ask(`/s${index}`);
      if (index % 20 === 0) for (const path of hot) expect((await ask(path, "br")).status).toBe(200);
      if (index % 100 === 0) most = Math.max(most, (await readCache()).bytes);
    }
    const { bytes, entries } = await readCache();
    expect(Math.max(most, bytes)).toBeLessThanOrEqual(size);
    // Answers are small here: the index is full before the room for bodies is.
    expect(bytes).toBeGreaterThan(size * 0.4);
    expect(entries).toBeGreaterThan(400);
    expect(entries).toBeLessThan(700);
    // Without their table the database answers no lesson any more, while courses that are asked for four times push and shove
    // on: a lesson that is asked for now and then stays, others go.
    await database.execute("alter table lessons rename to lessons_gone");
    for (const index of indexes) {
      for (let times = 0; times < 4; times++) await ask(`/c${index}`);
      if (index % 20 === 0) expect((await ask("/c0/lessons/l", "br")).status).toBe(200);
    }
    const statuses: number[] = [];
    for (const index of indexes) statuses.push((await ask(`/c${index}/lessons/l`)).status);
    expect(statuses.filter((status) => status === 500).length).toBeGreaterThan(200);
    await database.execute("alter table lessons_gone rename to lessons");
    for (const index of indexes) expect((await ask(`/c${index}/lessons/l`)).status).toBe(200);
  });

  test("is not emptied by somebody who reads everything once", async () => {
    const indexes = Array.from({ length: 300 }, (_, index) => index);
    await publish(
      database.store,
      "acme",
      indexes.map((index) => createCourse(index, "one", 2000)),
    );
    await start(1024 * 1024);
    const kept = indexes.slice(0, 25);
    for (const index of kept) await ask(`/c${index}/lessons/l`);
    for (const index of indexes.slice(25)) await ask(`/c${index}/lessons/l`);
    await database.execute("alter table lessons rename to lessons_gone");
    for (const index of kept) expect((await ask(`/c${index}/lessons/l`)).status).toBe(200);
    await database.execute("alter table lessons_gone rename to lessons");
    // What is asked for more often than others comes in, though it came late.
    for (let times = 0; times < 3; times++) await ask("/c299/lessons/l");
    await database.execute("alter table lessons rename to lessons_gone");
    expect((await ask("/c299/lessons/l")).status).toBe(200);
    await database.execute("alter table lessons_gone rename to lessons");
  });

  test("displaces nothing for somebody who reads more than it holds, again and again", async () => {
    const indexes = Array.from({ length: 1000 }, (_, index) => index);
    await publish(
      database.store,
      "acme",
      indexes.map((index) => createCourse(index, "one", 2000)),
    );
    await start(512 * 1024);
    for (let round = 0; round < 3; round++) {
      for (const index of indexes) expect((await ask(`/c${index}/lessons/l`)).status).toBe(200);
    }
    // It answers what it took in first, and nothing else.
    await database.execute("alter table lessons rename to lessons_gone");
    const { entries } = await readCache();
    const found: number[] = [];
    for (const index of indexes) if ((await ask(`/c${index}/lessons/l`)).status === 200) found.push(index);
    await database.execute("alter table lessons_gone rename to lessons");
    expect(found.length).toBe(entries);
    expect(found.filter((index) => index < entries).length).toBeGreaterThan(entries * 0.9);
  });

  test.each([
    ["has changed", 2000, () => "two"],
    ["has changed here and there", 2000, (index: number) => (index % 2 === 0 ? "two" : "one")],
    ["has left alone, in answers so small that the index is full before the room for bodies", 100, () => "one"],
  ])(
    "gives what a publication %s the room of the release before, however often that was asked for",
    async (_, length, toText) => {
      const indexes = Array.from({ length: 1000 }, (_unused, index) => index);
      await publish(
        database.store,
        "acme",
        indexes.map((index) => createCourse(index, "one", length)),
      );
      const following = await start(512 * 1024);
      for (const index of indexes) await ask(`/c${index}/lessons/l`);
      for (let times = 0; times < 5; times++) {
        for (const index of indexes.slice(0, 100)) await ask(`/c${index}/lessons/l`);
      }
      await publish(
        database.store,
        "acme",
        [...indexes, 1000].map((index) => createCourse(index, toText(index), length)),
      );
      await following.looksTwice();
      for (let times = 0; times < 2; times++) {
        for (const index of indexes.slice(0, 100)) await ask(`/c${index}/lessons/l`);
      }
      await database.execute("alter table lessons rename to lessons_gone");
      const statuses: number[] = [];
      for (const index of indexes.slice(0, 100)) statuses.push((await ask(`/c${index}/lessons/l`)).status);
      await database.execute("alter table lessons_gone rename to lessons");
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(90);
    },
  );

  test("counts what long queries take, of small answers and of large ones", async () => {
    const courses = Array.from({ length: 250 }, (_, index) => ({
      ...createCourse(index, "one", 4),
      thumbnail: LONG_URL,
    }));
    await publish(database.store, "acme", courses);
    const size = 1024 * 1024;
    await start(size);
    for (let count = 0; count < 50; count++) await ask(`?tag=${"a".repeat(7000 + count)}`);
    const { bytes, entries } = await readCache();
    // A quarter of the cache is for what is not bodies.
    expect(entries).toBeLessThan(size / 4 / 7000);
    expect(bytes).toBeGreaterThan(entries * 7000);
    // All of these answers have one body, and links with their own spelling of the name.
    const page = (blanks: number): string => `?limit=1000&offset=1&name=${"+".repeat(blanks)}`;
    const first = await ask(page(6000));
    expect(first.body.length).toBeGreaterThan(64 * 1024);
    await database.execute("alter table course_versions rename to gone");
    expect((await ask(page(6000))).body.equals(first.body)).toBe(true);
    await database.execute("alter table gone rename to course_versions");
    for (let count = 1; count <= 180; count++) await ask(page(6000 + count));
    await database.execute("alter table course_versions rename to gone");
    expect([(await ask(page(6180))).status, (await ask(page(6000))).status]).toEqual([200, 500]);
    await database.execute("alter table gone rename to course_versions");
  });

  test("does not grow with spellings of a path or a query, or what does not exist", async () => {
    const indexes = Array.from({ length: 20 }, (_, index) => index);
    await publish(
      database.store,
      "acme",
      indexes.map((index) => createCourse(index, "one", 2000)),
    );
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
    for (const path of hot) texts.set(path, (await ask(path)).body.toString());
    const before = await readCache();
    expect(before.entries).toBe(hot.length);

    const random = createRandom(1);
    const spell = (path: string): string => {
      const encode = (letter: string): string => {
        const hex = letter.charCodeAt(0).toString(16);
        return random.oneIn(2) ? letter : `%${random.oneIn(2) ? hex : hex.toUpperCase()}`;
      };
      const segments = path
        .split("/")
        .map((segment, index) => (index % 2 === 1 ? segment.replace(/./g, encode) : segment));
      return segments.join("/") + (random.oneIn(3) ? "/" : "");
    };
    for (let index = 0; index < 200; index++) {
      const target = random.pick(hot);
      const [path = "", query = ""] = target.split("?");
      const parts = [
        ...query.split("&"),
        ...random.pick([[], [`_=${index}`], [`cache=${index}`, "x"], ["name2=x", ""]]),
      ];
      if (random.oneIn(2)) parts.reverse();
      const same = await ask(`${query === "" ? spell(path) : path}?${parts.join("&")}`);
      expect([same.status, same.body.toString()]).toEqual([200, texts.get(target) ?? ""]);
      expect((await ask(`/missing-${index}/lessons`)).status).toBe(404);
      expect((await ask(`/c1/lessons/missing-${index}`)).status).toBe(404);
    }
    expect(await readCache()).toEqual(before);
  });

  test("keeps pages and searches under one form of their query, and is not filled up by somebody who asks for all", async () => {
    const size = 512 * 1024;
    const indexes = Array.from({ length: 300 }, (_, index) => index);
    await publish(
      database.store,
      "acme",
      indexes.map((index) => createCourse(index, "one", 200)),
    );
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

test("what comes up in turn with any number of others is counted some time", () => {
  const counts = new RequestCounts();
  let names = Array.from({ length: 20_000 }, (_, index) => `/api/v1/courses/c${index}`);
  for (let round = 0; names.length > 0 && round < 300; round++) names = names.filter((name) => counts.note(name) === 1);
  expect(names).toEqual([]);
});

test("what was asked for long ago counts less and less", () => {
  const counts = new RequestCounts();
  const [kept, busy] = [counts.begin(1), counts.begin(1)];
  for (let times = 0; times < 8; times++) counts.noteOwn(kept);
  for (let times = 0; times < 8; times++) counts.note("known");
  expect(counts.read(kept)).toBe(9);
  for (let times = 0; times < 2 ** 20; times++) counts.noteOwn(busy);
  expect([counts.read(kept), counts.note("known")]).toEqual([4, 5]);
  expect(counts.read(busy)).toBeGreaterThan(100);
});
