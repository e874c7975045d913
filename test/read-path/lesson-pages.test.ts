// Pages of a course's lessons: those of a long course are cut out of a list that is read once.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import { dataOf, linkOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { createRandom } from "../support/random.ts";
import { createKey, startTestServer, type TestServer } from "../support/server.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";

/** More than are read without being kept. */
const LESSONS = 12_000;
/** With what is asked for beside id and name, a list of so many is kept, and one of six counts more than all may take. */
const WIDE_LESSONS = 500;
/** What could be taken for the border between two lessons. */
const NAMES = [
  '},{"id":"',
  '"},{"id":"x',
  '\\"},{"id":"',
  "},{",
  "\\",
  '"',
  "漢字",
  "😀",
  "é",
  "a\u2028b",
  "[]",
  "plain",
];

const createWideLessons = () =>
  Array.from({ length: WIDE_LESSONS }, (_, n) => ({ id: `w${n}`, name: `${n} ${"wide ".repeat(600)}` }));

const createLessons = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `l${n}`, name: `${NAMES[n % NAMES.length]} ${n}` }));

describe.each(engines)("pages of lessons on $name", (engine) => {
  let database: TestStore;
  let server: TestServer;
  let key: string;
  const reads = { lists: 0, courses: 0 };

  beforeAll(async () => {
    database = await openTestStore(engine);
    await publish(database.store, "acme", [
      { _id: "long", name: "Long", chapters: [{ name: "All", lessons: createLessons(LESSONS) }] },
      { _id: "short", name: "Short", chapters: [{ name: "All", lessons: createLessons(NAMES.length) }] },
      { _id: "none", name: "None" },
      { _id: "wide", name: "Wide", chapters: [{ name: "All", lessons: createWideLessons() }] },
    ]);
    key = await createKey(database.store, "acme");
    const { catalog } = database.store;
    const counting: CatalogReader = {
      ...catalog,
      async findLessonList(...course) {
        reads.lists++;
        return catalog.findLessonList(...course);
      },
      async findCourseParts(...course) {
        reads.courses++;
        return catalog.findCourseParts(...course);
      },
    };
    server = await startTestServer(database.store, { catalog: counting });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const read = async (course: string, query: string) =>
    server.get(`/api/v1/courses/${course}/lessons${query}`, { key });

  test("are the parts of the whole list, wherever they begin and end", async () => {
    for (const [course, total] of [
      ["long", LESSONS],
      ["short", NAMES.length],
      ["none", 0],
    ] as const) {
      const whole = dataOf(await read(course, "")).results;
      const named = whole.map(({ id, name }) => ({ id, name }));
      expect(Bun.deepEquals(named, createLessons(total))).toBe(true);
      const random = createRandom(total);
      const starts = [0, 1, total - 1, total, total + 5, ...Array.from({ length: 20 }, () => random.below(total + 1))];
      for (const offset of starts.filter((start) => start >= 0)) {
        for (const limit of [1, 2, 1000]) {
          const page = dataOf(await read(course, `?limit=${limit}&offset=${offset}`));
          expect(page.total).toBe(total);
          expect(Bun.deepEquals(page.results, whole.slice(offset, offset + limit))).toBe(true);
        }
      }
      const rest = dataOf(await read(course, "?offset=3")).results;
      expect(Bun.deepEquals(rest, whole.slice(3))).toBe(true);
    }
  });

  test("of a long course read its list once, however many are asked for", async () => {
    reads.lists = 0;
    let path: string | undefined = "/courses/long/lessons?limit=500";
    const seen: string[] = [];
    while (path !== undefined) {
      const answer = await server.get(`/api/v1${path}`, { key });
      seen.push(...dataOf(answer).results.map(({ id }) => id));
      path = linkOf(path, answer, "next");
    }
    expect(seen.join()).toBe(
      createLessons(LESSONS)
        .map(({ id }) => id)
        .join(),
    );
    expect(reads.lists).toBeLessThanOrEqual(1);
  });

  test("that are asked for at once leave room for the lists of other courses", async () => {
    const readWide = async (offset: number) => read("wide", `?include=digest&limit=1&offset=${offset}`);
    await Promise.all(Array.from({ length: 6 }, (_, offset) => readWide(offset)));
    await read("long", "?include=digest&limit=1");
    reads.courses = 0;
    expect(dataOf(await readWide(7)).results[0]?.id).toBe("w7");
    expect(reads.courses).toBe(0);
  });
});
