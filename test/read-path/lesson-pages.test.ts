// Pages of a course's lessons are parts of their whole list.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dataOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { createRandom } from "../support/random.ts";
import { createKey, startTestServer, type TestServer } from "../support/server.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";

/** More than the store reads in one go (500), so that pages begin and end on both sides of several borders. */
const LESSONS = 2200;
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

const createLessons = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `l${n}`, name: `${NAMES[n % NAMES.length]} ${n}` }));

describe.each(engines)("pages of lessons on $name", (engine) => {
  let database: TestStore;
  let server: TestServer;
  let key: string;

  beforeAll(async () => {
    database = await openTestStore(engine);
    await publish(database.store, "acme", [
      { _id: "long", name: "Long", chapters: [{ name: "All", lessons: createLessons(LESSONS) }] },
      { _id: "short", name: "Short", chapters: [{ name: "All", lessons: createLessons(NAMES.length) }] },
      { _id: "none", name: "None" },
    ]);
    key = await createKey(database.store, "acme");
    server = await startTestServer(database.store);
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
});
