// What differs between two editions of a course that is compared in many pieces.
import { describe, expect, test } from "bun:test";
import { dataOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { createAsk } from "../support/in-process.ts";
import { createRandom, readRandomSettings, type Random } from "../support/random.ts";
import { createKey } from "../support/server.ts";
import { engines, useTestStore } from "../support/store.ts";

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
  const changes = inOrder(after).flatMap((lesson) => {
    const other = old.get(lesson.id);
    if (other === undefined) return [{ id: lesson.id, change: "added" }];
    const isChanged = other.text !== lesson.text || other.durationMinutes !== lesson.durationMinutes;
    const isMoved = other.chapter !== lesson.chapter;
    const change = [isChanged ? "changed" : "", isMoved ? "moved" : ""].filter((word) => word !== "").join(" and ");
    return change === "" ? [] : [{ id: lesson.id, change }];
  });
  const removed = inOrder(before).filter(({ id }) => !kept.has(id));
  return [...changes, ...removed.map(({ id }) => ({ id, change: "removed" }))];
}

describe.each(engines)("changes of a long course on $name", (engine) => {
  const database = useTestStore(engine);

  test("list each lesson once, in order", async () => {
    const { seed, rounds } = readRandomSettings(2);
    const random = createRandom(seed);
    const { store } = database;
    const key = await createKey(store, "acme");
    const ask = createAsk({ store });
    const editions: Lesson[][] = [
      Array.from({ length: LESSONS }, (_, n) => ({ id: `l${n}`, text: `Text ${n}`, chapter: random.below(CHAPTERS) })),
    ];
    const publishLast = async (): Promise<number> => publish(store, "acme", [createCourse(editions.at(-1) ?? [])]);
    await publishLast();
    for (let round = 0; round < rounds; round++) {
      editions.push(edit(editions.at(-1) ?? [], random));
      await publishLast();
    }
    for (const [from, before] of editions.entries()) {
      for (const [to, after] of editions.entries()) {
        const { results } = dataOf(await ask(`/changes?since=${from + 1}&release=${to + 1}`, key)) as unknown as {
          results: { change: string; lessons: unknown[] }[];
        };
        const expected = compare(before, after);
        expect({ seed, from, to, length: results[0]?.lessons.length ?? 0 }).toEqual({
          seed,
          from,
          to,
          length: expected.length,
        });
        expect(results.flatMap(({ lessons }) => lessons)).toEqual(expected);
      }
    }
  });
});
