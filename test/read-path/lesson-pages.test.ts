// Pages of a course's lessons are parts of their whole list.
import { describe, expect, test } from "bun:test";
import type { CourseDocument } from "../../src/catalog/documents.ts";
import type { NavMembers } from "../../src/catalog/included-documents.ts";
import { dataOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { createRandom } from "../support/random.ts";
import { createKey, startTestServer, type TestServer } from "../support/server.ts";
import { engines, useTestStore } from "../support/store.ts";

/** What could be taken for the border between two lessons. */
const NAMES = ['},{"id":"', '"},{"id":"x', '\\"},{"id":"', "\\", '"', "漢字", "😀", "a\u2028b", "[]", "plain"];

/** How many lessons the chapters have: more than the store reads in one go (500). */
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

describe.each(engines)("pages of lessons on $name", (engine) => {
  let server: TestServer;
  let key: string;

  const database = useTestStore(engine, async () => {
    await publish(database.store, "acme", [{ _id: "parts", name: NAMES.join(), chapters: createChapters() }]);
    key = await createKey(database.store, "acme");
    server = await startTestServer(database.store);
    return () => server.stop();
  });

  const read = async (course: string, query: string) =>
    server.get(`/api/v1/courses/${course}/lessons${query}`, { key });

  test("find the chapter and neighbors of each lesson, wherever chapters end and whatever their names", async () => {
    const chapters = createChapters();
    const lessons = chapters.flatMap((chapter) => chapter.lessons.map((lesson) => ({ lesson, chapter })));
    const random = createRandom(7);
    const edges = chapters.map((_, index) =>
      chapters.slice(0, index).reduce((sum, each) => sum + each.lessons.length, 0),
    );
    const others = Array.from({ length: 20 }, () => random.below(lessons.length));
    const asked = [...edges, ...edges.map((edge) => edge - 1), ...others];
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
    const pages = [
      [0, 5],
      [2003, 4],
      [2400, 200],
    ] as const;
    for (const [offset, limit] of pages) {
      const page = dataOf(await read("parts", `?limit=${limit}&offset=${offset}`)).results;
      expect(page as unknown[]).toEqual(lessons.slice(offset, offset + limit).map(({ lesson }) => lesson));
    }
  });
});
