// Courses that are read, paged and compared in many pieces.
import { expect, test } from "bun:test";
import { dataOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { createAsk } from "../support/in-process.ts";
import { createRandom, readRandomSettings } from "../support/random.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

/** What could be taken for the border between two lessons. */
const NAMES = ['},{"id":"', '"},{"id":"x', '\\"},{"id":"', "\\", '"', "漢字", "😀", "a\u2028b", "[]", "plain"];
/** How many lessons the chapters have: more than the store reads in one go (500). */
const SIZES = [0, 3, 0, 0, 1, 1200, 0, 2, 1, 1, 500, 0, 0];

const database = useTestStore();
const ask = createAsk(database);

// oxlint-disable-next-line typescript/no-explicit-any
const read = async (path: string, key: string): Promise<any> => dataOf(await ask(path, key));

test("chapter, neighbors and pages of lessons are right, wherever chapters end", async () => {
  let count = 0;
  // Ids of chapters are those of lessons, too.
  const createItem = (index: number) => ({
    id: `l${index}"\\,"name":é`,
    name: `${NAMES[index % NAMES.length]} ${index}`,
  });
  const chapters = SIZES.map((size, chapter) => {
    return { ...createItem(chapter), lessons: Array.from({ length: size }, () => createItem(count++)) };
  });
  const all = chapters.flatMap(({ lessons, ...chapter }) => lessons.map((lesson) => ({ lesson, chapter })));
  const lessons = all.map(({ lesson }) => lesson);
  await publish(database.store, "pages", [{ _id: "parts", name: NAMES.join(), chapters }]);
  const key = await createKey(database.store, "pages");

  const edges = SIZES.map((_, index) => SIZES.slice(0, index).reduce((sum, size) => sum + size, 0));
  const random = createRandom(7);
  const others = Array.from({ length: 20 }, () => random.below(count));
  for (const index of [...edges, ...edges.map((edge) => edge - 1), ...others]) {
    const at = all[index];
    if (at === undefined) continue;
    const nav = await read(`/courses/parts/lessons/${encodeURIComponent(at.lesson.id)}?include=nav`, key);
    const [previous, next] = [lessons[index - 1] ?? null, lessons[index + 1] ?? null];
    expect(nav).toMatchObject({ course: { name: NAMES.join() }, chapter: at.chapter, previous, next });
  }
  const whole = (await read("/courses/parts?include=lessons", key)).chapters;
  expect(whole).toMatchObject(chapters);
  for (const [offset, limit] of [
    [0, 5],
    [1203, 4],
    [1600, 200],
  ] as const) {
    const { results } = await read(`/courses/parts/lessons?limit=${limit}&offset=${offset}`, key);
    expect(results).toEqual(lessons.slice(offset, offset + limit));
  }
});

const CHAPTERS = 7;

interface Lesson {
  id: string;
  text: string;
  chapter: number;
  /** What the edit did to it. */
  change: string;
}

const inOrder = (lessons: Lesson[]): Lesson[] => lessons.toSorted((a, b) => a.chapter - b.chapter);

const createCourse = (lessons: Lesson[]) => {
  const chapters = Array.from({ length: CHAPTERS }, (_, chapter) => {
    const own = lessons.filter((lesson) => lesson.chapter === chapter);
    const authored = own.map(({ id, text }) => ({ id, name: "L", additionalText: text }));
    return { id: `c${chapter}`, name: `C ${chapter}`, lessons: authored };
  });
  return { _id: "a", name: "A", chapters };
};

test("changes of a long course list each lesson once, in order", async () => {
  const { seed } = readRandomSettings(1);
  const random = createRandom(seed);
  const key = await createKey(database.store, "changes");
  const before = Array.from({ length: 1300 }, (_, n): Lesson => {
    return { id: `l${n}`, text: "Text", chapter: random.below(CHAPTERS), change: "removed" };
  });
  const kept = before.filter(() => !random.oneIn(50));
  const edited = kept.flatMap((lesson): Lesson[] => {
    const [isChanged, isMoved] = [random.oneIn(40), random.oneIn(30)];
    const change = [...(isChanged ? ["changed"] : []), ...(isMoved ? ["moved"] : [])].join(" and ");
    const chapter = (lesson.chapter + Number(isMoved)) % CHAPTERS;
    const next = { ...lesson, change, chapter, text: isChanged ? "Other" : lesson.text };
    const added = { ...next, id: `new ${lesson.id} "\\ é`, change: "added" };
    return random.oneIn(70) ? [next, added] : [next];
  });
  const after = random.shuffle(edited);
  for (const lessons of [before, after]) await publish(database.store, "changes", [createCourse(lessons)]);
  const removed = before.filter((lesson) => !kept.includes(lesson));
  const expected = [...inOrder(after).filter(({ change }) => change !== ""), ...inOrder(removed)];
  const [{ lessons }] = (await read("/changes?since=1", key)).results;
  expect({ seed, lessons }).toEqual({ seed, lessons: expected.map(({ id, change }) => ({ id, change })) });
});
