// Parts of what a course has of its lessons: those of a long course are cut out of a list that is read once.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import type { CourseDocument } from "../../src/catalog/documents.ts";
import type { NavMembers } from "../../src/catalog/included-documents.ts";
import { dataOf, linkOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { createRandom } from "../support/random.ts";
import { createKey, startTestServer, waitFor, type TestServer } from "../support/server.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";

/** Of a course whose list is kept, and read in many pieces. */
const LESSONS = 12_000;
/** Of courses of which so many lists are more than one project may keep. */
const WIDE_LESSONS = 500;
const WIDE_COURSES = 6;
/** What could be taken for the border between two lessons. */
const NAMES = [
  '},{"id":"',
  '"},{"id":"x',
  '"}]},{"id":"',
  '}]}],"thumbnail":"',
  '"chapters":[',
  ',"lessons":[]},{"id":"c","name":"',
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

const createWide = (id: string) => {
  const lessons = Array.from({ length: WIDE_LESSONS }, (_, n) => ({
    id: `w${n}`,
    name: `${n} ${"wide ".repeat(1000)}`,
  }));
  return { _id: id, slug: `${id}-slug`, name: id, chapters: [{ name: "All", lessons }] };
};
const WIDE = Array.from({ length: WIDE_COURSES }, (_, n) => `wide-${n}`);

/** How many lessons the chapters have. */
const SIZES = [0, 3, 0, 0, 1, 2000, 0, 2, 1, 1, 500, 0, 0];
/** Ids of chapters are those of lessons, too. */
const createChapters = () => {
  let next = 0;
  return SIZES.map((size, chapter) => {
    const lessons = Array.from({ length: size }, () => {
      const index = next++;
      return { id: `l${index}"\\,"name":é`, name: `${NAMES[index % NAMES.length]} ${index}` };
    });
    return { id: `l${chapter}"\\,"name":é`, name: `${NAMES[chapter % NAMES.length]} ${chapter}`, lessons };
  });
};

const createLessons = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `l${n}`, name: `${NAMES[n % NAMES.length]} ${n}` }));

const CATALOG = [
  { _id: "long", slug: "long-slug", name: "Long", chapters: [{ name: "All", lessons: createLessons(LESSONS) }] },
  { _id: "short", name: "Short", chapters: [{ name: "All", lessons: createLessons(NAMES.length) }] },
  { _id: "none", name: "None" },
  { _id: "parts", name: NAMES.join(), chapters: createChapters() },
  { _id: "draft", name: "D", published: false, chapters: [{ name: "All", lessons: createLessons(LESSONS) }] },
  ...WIDE.map(createWide),
];

describe.each(engines)("pages of lessons on $name", (engine) => {
  let database: TestStore;
  let server: TestServer;
  let key: string;
  let draftsKey: string;
  let otherKey: string;
  const reads: string[] = [];

  beforeAll(async () => {
    database = await openTestStore(engine);
    await publish(database.store, "acme", CATALOG);
    await publish(database.store, "other", [createWide("wide-0")]);
    key = await createKey(database.store, "acme");
    draftsKey = await createKey(database.store, "acme", { drafts: true });
    otherKey = await createKey(database.store, "other");
    // What takes long to read and to make something of.
    const noting = new Proxy(database.store.catalog, {
      get(target, name: keyof CatalogReader) {
        if (/^(readCourse|readContents|findCourse|findCourseParts|findLessonList)$/.test(name)) reads.push(name);
        return target[name];
      },
    });
    server = await startTestServer(database.store, { catalog: noting });
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

  test("of a long course read its list once, whatever it is called, in whichever release, for pages, neighbours and digests", async () => {
    // Another release has the course as it is.
    await publish(database.store, "acme", [...CATALOG, { _id: "more", name: "More" }]);
    await waitFor(async () => (await read("long", "")).headers.get("catalog-release") === "2");
    await read("long", "?include=digest&limit=1&offset=1");
    reads.length = 0;
    for (const course of ["long", "long-slug"]) {
      for (const query of [
        "limit=7&offset=2",
        "offset=11990",
        "include=digest&limit=3",
        "include=meta,digest&limit=2&offset=9",
      ]) {
        for (const release of ["", "&release=1", "&release=2"]) {
          for (const secret of [key, draftsKey]) {
            const answer = await server.get(`/api/v1/courses/${course}/lessons?${query}${release}`, { key: secret });
            expect(answer.status).toBe(200);
          }
        }
      }
      for (const lesson of ["l0", "l5999", "l11999"]) {
        for (const release of ["", "?release=1"]) {
          const path = `/api/v1/courses/${course}/lessons/${lesson}${release === "" ? "?" : `${release}&`}include=nav`;
          for (const method of ["GET", "HEAD"]) expect((await server.get(path, { key, method })).status).toBe(200);
        }
      }
    }
    let path: string | undefined = "/courses/long/lessons?limit=500";
    const seen: string[] = [];
    while (path !== undefined) {
      const answer = await server.get(`/api/v1${path}`, { key });
      seen.push(...dataOf(answer).results.map(({ id }) => id));
      path = linkOf(path, answer, "next");
    }
    const ids = createLessons(LESSONS).map(({ id }) => id);
    expect(seen.join()).toBe(ids.join());
    expect(reads).toEqual([]);
  });

  test("that are asked for at once make one list", async () => {
    reads.length = 0;
    const offsets = Array.from({ length: 12 }, (_, offset) => offset);
    const answers = await Promise.all(
      offsets.map((offset) => server.get(`/api/v1/courses/draft/lessons?limit=1&offset=${offset}`, { key: draftsKey })),
    );
    expect(answers.map((answer) => dataOf(answer).results[0]?.id)).toEqual(offsets.map((offset) => `l${offset}`));
    expect(reads).toEqual(["readCourse"]);
    expect((await read("draft", "?limit=1")).status).toBe(404);
  });

  test("that one project asks for leave those of another as they are", async () => {
    const ask = async (course: string, secret: string, query: string) =>
      (await server.get(`/api/v1/courses/${course}/lessons?limit=1&${query}`, { key: secret })).status;
    expect(await ask("wide-0", otherKey, "offset=1")).toBe(200);
    for (let round = 0; round < 2; round++) {
      for (const course of WIDE) expect(await ask(course, key, `offset=${round}`)).toBe(200);
    }
    reads.length = 0;
    expect(await ask("wide-0-slug", otherKey, "offset=2")).toBe(200);
    expect(reads).toEqual([]);
    // Its own have pushed each other out.
    expect(await ask("wide-0", key, "offset=2")).toBe(200);
    expect(reads).toEqual(["readCourse"]);
  });

  test("find the neighbours of each lesson, and its chapter, wherever chapters end and whatever they are called", async () => {
    const chapters = createChapters();
    const lessons = chapters.flatMap((chapter) => chapter.lessons.map((lesson) => ({ lesson, chapter })));
    const random = createRandom(7);
    const edges = chapters.map((_, index) =>
      chapters.slice(0, index).reduce((sum, each) => sum + each.lessons.length, 0),
    );
    const asked = [
      ...edges,
      ...edges.map((edge) => edge - 1),
      ...Array.from({ length: 20 }, () => random.below(lessons.length)),
    ];
    for (const index of asked) {
      const at = lessons[index];
      if (at === undefined) continue;
      const path = `/api/v1/courses/parts/lessons/${encodeURIComponent(at.lesson.id)}?include=nav`;
      const { course, chapter, previous, next } = dataOf(await server.get(path, { key })) as unknown as NavMembers;
      expect([index, course.name, chapter, previous, next]).toEqual([
        index,
        NAMES.join(),
        { id: at.chapter.id, name: at.chapter.name },
        lessons[index - 1]?.lesson ?? null,
        lessons[index + 1]?.lesson ?? null,
      ]);
    }
    const whole = dataOf(
      await server.get("/api/v1/courses/parts?include=lessons", { key }),
    ) as unknown as CourseDocument;
    const named = whole.chapters.map(({ lessons: each, ...chapter }) => ({
      ...chapter,
      lessons: each.map(({ id, name }) => ({ id, name })),
    }));
    expect(Bun.deepEquals(named, chapters)).toBe(true);
    for (const [offset, limit] of [
      [0, 5],
      [2, 3],
      [2003, 4],
      [2400, 200],
    ] as const) {
      const page = dataOf(await read("parts", `?limit=${limit}&offset=${offset}`)).results;
      expect(page as unknown[]).toEqual(lessons.slice(offset, offset + limit).map(({ lesson }) => lesson));
    }
  });
});
