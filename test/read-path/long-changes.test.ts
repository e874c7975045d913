// What differs between two editions of a course that is compared in many pieces.
import { expect, test } from "bun:test";
import { dataOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { createAsk } from "../support/in-process.ts";
import { createRandom, readRandomSettings, type Random } from "../support/random.ts";
import { createKey } from "../support/server.ts";
import { engines, openTestStore } from "../support/store.ts";

const CHAPTERS = 7;
const LESSONS = 2600;

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
    return random.oneIn(70)
      ? [next, { id: `new ${random.below(1_000_000_000)} "\\ é`, text: "New", chapter: next.chapter }]
      : [next];
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

test.each(engines)("on $name, changes of a long course list each lesson once, in order", async (engine) => {
  const { seed, rounds } = readRandomSettings(2);
  const random = createRandom(seed);
  const database = await openTestStore(engine);
  const key = await createKey(database.store, "acme");
  const ask = createAsk(database);
  const create = (_: unknown, n: number): Lesson => ({
    id: `l${n}`,
    text: `Text ${n}`,
    chapter: random.below(CHAPTERS),
  });
  let lessons = Array.from({ length: LESSONS }, create);
  const editions: Lesson[][] = [];
  for (let round = 0; round <= rounds; round++) {
    await publish(database.store, "acme", [createCourse(lessons)]);
    editions.push(lessons);
    lessons = edit(lessons, random);
  }
  for (const [from, before] of editions.entries()) {
    for (const [to, after] of editions.entries()) {
      const answer = await ask(`/changes?since=${from + 1}&release=${to + 1}`, key);
      const { results } = dataOf(answer) as unknown as { results: { lessons: unknown[] }[] };
      const listed = results.flatMap((course) => course.lessons);
      expect({ seed, from, to, listed }).toEqual({ seed, from, to, listed: compare(before, after) });
    }
  }
  await database.drop();
});
