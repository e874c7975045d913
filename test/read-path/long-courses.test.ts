// Courses that are read, paged and compared in many pieces.
import { expect, test } from "bun:test";
import { dataOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { createAsk } from "../support/in-process.ts";
import { createRandom, readRandomSettings, type Random } from "../support/random.ts";
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
const LESSONS = 1300;

interface Lesson {
  id: string;
  text: string;
  chapter: number;
  durationMinutes?: number;
}

/** Some lessons go, some come, some move, some change in text or meta, at any place. */
function edit(lessons: Lesson[], random: Random): Lesson[] {
  const edited = lessons.flatMap((lesson): Lesson[] => {
    const next = { ...lesson };
    if (random.oneIn(50)) return [];
    if (random.oneIn(40)) next.text = `${lesson.text}!`;
    if (random.oneIn(60)) next.durationMinutes = random.below(100);
    if (random.oneIn(30)) next.chapter = random.below(CHAPTERS);
    const id = `new ${random.below(1_000_000_000)} "\\ é`;
    return random.oneIn(70) ? [next, { id, text: "New", chapter: next.chapter }] : [next];
  });
  return random.oneIn(2) ? edited : random.shuffle(edited);
}

const createCourse = (lessons: Lesson[]) => ({
  _id: "a",
  name: "A",
  chapters: Array.from({ length: CHAPTERS }, (_, chapter) => ({
    id: `c${chapter}`,
    name: `C ${chapter}`,
    lessons: lessons
      .filter((lesson) => lesson.chapter === chapter)
      .map(({ id, text, durationMinutes = null }) => ({ id, name: "L", additionalText: text, durationMinutes })),
  })),
});

const inOrder = (lessons: Lesson[]): Lesson[] => lessons.toSorted((a, b) => a.chapter - b.chapter);

function compare(before: Lesson[], after: Lesson[]): { id: string; change: string }[] {
  const old = new Map(before.map((lesson) => [lesson.id, lesson]));
  const kept = new Set(after.map(({ id }) => id));
  const changes = inOrder(after).map((lesson) => {
    const other = old.get(lesson.id);
    if (other === undefined) return { id: lesson.id, change: "added" };
    const isChanged = other.text !== lesson.text || other.durationMinutes !== lesson.durationMinutes;
    const words = [...(isChanged ? ["changed"] : []), ...(other.chapter === lesson.chapter ? [] : ["moved"])];
    return { id: lesson.id, change: words.join(" and ") };
  });
  const removed = inOrder(before).filter(({ id }) => !kept.has(id));
  return [...changes.filter(({ change }) => change !== ""), ...removed.map(({ id }) => ({ id, change: "removed" }))];
}

test("changes of a long course list each lesson once, in order", async () => {
  const { seed, rounds } = readRandomSettings(2);
  const random = createRandom(seed);
  const key = await createKey(database.store, "changes");
  let lessons = Array.from({ length: LESSONS }, (_, n): Lesson => {
    return { id: `l${n}`, text: `Text ${n}`, chapter: random.below(CHAPTERS) };
  });
  const editions: Lesson[][] = [];
  for (let round = 0; round <= rounds; round++) {
    await publish(database.store, "changes", [createCourse(lessons)]);
    editions.push(lessons);
    lessons = edit(lessons, random);
  }
  for (const [from, before] of editions.entries()) {
    for (const [to, after] of editions.entries()) {
      const { results } = await read(`/changes?since=${from + 1}&release=${to + 1}`, key);
      const listed = (results as { lessons: unknown[] }[]).flatMap((course) => course.lessons);
      expect({ seed, from, to, listed }).toEqual({ seed, from, to, listed: compare(before, after) });
    }
  }
});
