// What an edit stores: the lessons that changed. Every version of a course names all of its lessons, and an unchanged one is the
// same row in each.
import { describe, expect, test } from "bun:test";
import { dataOf } from "../support/answers.ts";
import type { AuthoredCourse } from "../support/catalog.ts";
import { createAsk } from "../support/in-process.ts";
import { engines, useTestStore } from "../support/store.ts";
import { useProject } from "../support/test-project.ts";

/** A course by the editions of its lessons; a lesson without one does not exist. */
function createCourse(editions: string, own: AuthoredCourse = {}): AuthoredCourse {
  const lessons = [...editions].map((edition, n) => ({ id: `l${n}`, name: `L${n}`, additionalText: edition }));
  const existing = lessons.filter(({ additionalText }) => additionalText !== "-");
  return { _id: "c", name: "C", chapters: [{ name: "A", lessons: existing }], ...own };
}

describe.each(engines)("course versions on $name", (engine) => {
  const database = useTestStore(engine);
  const project = useProject(database);
  const ask = createAsk(database);
  const countRows = async (): Promise<number> =>
    (await database.execute(`select id from lesson_versions where project = '${project.name}'`)).length;

  test("share rows for unchanged lessons and have their own for changed ones", async () => {
    const releases: [editions: string, rows: number][] = [
      ["11111", 5],
      ["11121", 6],
      ["1-122", 7],
      ["1411-", 9],
    ];
    for (const [editions, rows] of releases) {
      await project.publish([createCourse(editions)]);
      expect([editions, await countRows()]).toEqual([editions, rows]);
    }
    for (const [index, [editions]] of releases.entries()) {
      const query = `?release=${index + 1}`;
      const { results } = dataOf(await ask(`/courses/c/lessons${query}`, project.key));
      const paths = results.map(({ id }) => `/courses/c/lessons/${id}${query}`);
      const texts = await Promise.all(paths.map(async (path) => dataOf(await ask(path, project.key)).additionalText));
      const ids = [...editions].flatMap((edition, n) => (edition === "-" ? [] : [`l${n}`]));
      expect([results.map(({ id }) => id), texts.join("")]).toEqual([ids, editions.replace("-", "")]);
    }
  });
});
