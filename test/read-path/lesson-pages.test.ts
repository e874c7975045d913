// Pages of a course's lessons are parts of their whole list.
import { expect, test } from "bun:test";
import type { CourseDocument } from "../../src/catalog/documents.ts";
import type { NavMembers } from "../../src/catalog/included-documents.ts";
import { dataOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { createAsk } from "../support/in-process.ts";
import { createRandom } from "../support/random.ts";
import { createKey } from "../support/server.ts";
import { engines, openTestStore } from "../support/store.ts";

/** What could be taken for the border between two lessons. */
const NAMES = ['},{"id":"', '"},{"id":"x', '\\"},{"id":"', "\\", '"', "漢字", "😀", "a\u2028b", "[]", "plain"];
/** How many lessons the chapters have: more than the store reads in one go (500). */
const SIZES = [0, 3, 0, 0, 1, 2000, 0, 2, 1, 1, 500, 0, 0];

let lessonNumber = 0;
const createItem = (index: number) => ({
  // Ids of chapters are those of lessons, too.
  id: `l${index}"\\,"name":é`,
  name: `${NAMES[index % NAMES.length]} ${index}`,
});
const chapters = SIZES.map((size, chapter) => {
  const lessons = Array.from({ length: size }, () => createItem(lessonNumber++));
  return { ...createItem(chapter), lessons };
});
const all = chapters.flatMap(({ lessons, ...chapter }) => lessons.map((lesson) => ({ lesson, chapter })));
const lessons = all.map(({ lesson }) => lesson);

test.each(engines)(
  "on $name, chapter, neighbors and pages of lessons are right, wherever chapters end",
  async (engine) => {
    const database = await openTestStore(engine);
    await publish(database.store, "acme", [{ _id: "parts", name: NAMES.join(), chapters }]);
    const key = await createKey(database.store, "acme");
    const ask = createAsk(database);
    const read = async <T>(path: string): Promise<T> => dataOf(await ask(`/courses/parts${path}`, key)) as unknown as T;

    const edges = SIZES.map((_, index) => SIZES.slice(0, index).reduce((sum, size) => sum + size, 0));
    const random = createRandom(7);
    const others = Array.from({ length: 20 }, () => random.below(lessons.length));
    for (const index of [...edges, ...edges.map((edge) => edge - 1), ...others]) {
      const at = all[index];
      if (at === undefined) continue;
      const nav = await read<NavMembers>(`/lessons/${encodeURIComponent(at.lesson.id)}?include=nav`);
      expect([index, nav.course.name, nav.chapter, nav.previous, nav.next]).toEqual([
        index,
        NAMES.join(),
        at.chapter,
        lessons[index - 1] ?? null,
        lessons[index + 1] ?? null,
      ]);
    }
    const whole = await read<CourseDocument>("?include=lessons");
    const named = whole.chapters.map(({ lessons: each, ...chapter }) => ({
      ...chapter,
      lessons: each.map(({ id, name }) => ({ id, name })),
    }));
    expect(Bun.deepEquals(named, chapters)).toBe(true);
    for (const [offset, limit] of [
      [0, 5],
      [2003, 4],
      [2400, 200],
    ] as const) {
      const { results } = await read<{ results: unknown[] }>(`/lessons?limit=${limit}&offset=${offset}`);
      expect(results).toEqual(lessons.slice(offset, offset + limit));
    }
    await database.drop();
  },
);
