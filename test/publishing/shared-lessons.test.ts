// What an edit stores: the lessons that changed. Every version of a course names all of its lessons, and an unchanged one is the
// same row in each.
import { describe, expect, test } from "bun:test";
import { dataOf } from "../support/answers.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { engines, useTestStore } from "../support/store.ts";

const LESSONS = 40;

/** The editions of lessons; a lesson without one does not exist. */
type Editions = (number | undefined)[];
const change = (editions: Editions, changes: Record<number, number | undefined>): Editions =>
  editions.map((edition, index) => (index in changes ? changes[index] : edition));
const first: Editions = Array.from({ length: LESSONS }, () => 1);
const second = change(first, { 7: 2 });
const third = change(second, { 3: undefined, 8: 2 });
const fourth = change(third, { 3: 4, 7: 1 });

const createCourse = (editions: Editions): AuthoredCourse => {
  const existing = [...editions.entries()].filter(([, edition]) => edition !== undefined);
  const lessons = existing.map(([n, edition]) => ({
    id: `l${n}`,
    name: `L${n}`,
    additionalText: `edition ${edition} `,
  }));
  return { _id: "c", name: "C", chapters: [{ name: "A", lessons }] };
};

describe.each(engines)("course versions on $name", (engine) => {
  const database = useTestStore(engine);
  const ask = createAsk(database);
  const countRows = async (project: string): Promise<number> =>
    (await database.execute(`select id from lesson_versions where project = '${project}'`)).length;

  test("share rows for unchanged lessons and have their own for changed ones", async () => {
    const key = await createKey(database.store, "acme");
    const rows: number[] = [];
    for (const [index, editions] of [first, second, third, fourth].entries()) {
      await publish(database.store, "acme", [createCourse(editions)], `2026-01-0${index + 1}T00:00:00.000Z`);
      rows.push(await countRows("acme"));
    }
    expect(rows).toEqual([LESSONS, LESSONS + 1, LESSONS + 2, LESSONS + 4]);
    for (const [index, editions] of [first, second, third, fourth].entries()) {
      const query = `?release=${index + 1}`;
      const { results } = dataOf(await ask(`/courses/c/lessons${query}`, key));
      const ids = [...editions.keys()].filter((n) => editions[n] !== undefined).map((n) => `l${n}`);
      expect(results.map(({ id }) => id)).toEqual(ids);
      const answers = await Promise.all([...editions.keys()].map((n) => ask(`/courses/c/lessons/l${n}${query}`, key)));
      const seen = answers.map(({ text }) => /edition (\d+) /.exec(text)?.[1]);
      expect(seen).toEqual(editions.map((edition) => edition?.toString()));
    }
  });

  test("share no rows across courses or projects, whatever they have in common", async () => {
    const course = createCourse(first);
    await publish(database.store, "two", [course, { ...course, _id: "other", slug: "other" }]);
    await publish(database.store, "too", [course]);
    const shared = await database.execute(`
      select l.id from lesson_versions l join version_lessons vl on vl.lesson_version_id = l.id
      join course_versions v on v.id = vl.version_id where v.project <> l.project or v.course_id <> l.course_id`);
    expect([shared, await countRows("two")]).toEqual([[], 2 * LESSONS]);
  });
});
