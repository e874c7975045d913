// What an edit stores: the lessons that changed. Every version of a course names all of its lessons, and an unchanged one is the
// same row in each.
import { beforeEach, describe, expect, test } from "bun:test";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { createUnboundServer } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { engines, useTestStore } from "../support/store.ts";

const LESSONS = 40;

/** A course whose lessons have the given editions; a lesson without one does not exist. */
const createCourse = (editions: (number | undefined)[]): AuthoredCourse => ({
  _id: "c",
  name: "C",
  chapters: [
    {
      name: "A",
      lessons: editions.flatMap((edition, index) =>
        edition === undefined
          ? []
          : [{ id: `l${index}`, name: `L${index}`, additionalText: `${index} edition ${edition} ${"x".repeat(2000)}` }],
      ),
    },
  ],
});
const first = Array.from({ length: LESSONS }, () => 1);
const change = (
  editions: (number | undefined)[],
  changes: Record<number, number | undefined>,
): (number | undefined)[] =>
  editions.map((edition, index) => (Object.hasOwn(changes, index) ? changes[index] : edition));

describe.each(engines)("course versions on $name", (engine) => {
  const database = useTestStore(engine);
  let key: string;
  let day = 0;
  /** Tests share a store: each has a project of its own. */
  let project = "";
  let projects = 0;

  beforeEach(async () => {
    project = `acme-${++projects}`;
    key = await createKey(database.store, project);
    day = 0;
  });

  const publishNext = async (editions: (number | undefined)[]): Promise<number> =>
    publish(
      database.store,
      project,
      [createCourse(editions)],
      `2026-01-${String(++day).padStart(2, "0")}T00:00:00.000Z`,
    );
  const count = async (table: string): Promise<number> =>
    (await database.execute(`select 1 from ${table} where project = '${project}'`)).length;
  /** The lesson versions that the newest version of the course names, by lesson. */
  const listNamed = async (): Promise<Map<string, number>> => {
    const rows = (await database.execute(`
      select lesson_id, lesson_version_id from version_lessons where version_id = (
        select max(id) from course_versions where project = '${project}'
      )`)) as { lesson_id: string; lesson_version_id: number }[];
    return new Map(rows.map((row) => [row.lesson_id, row.lesson_version_id]));
  };
  /** Reads every lesson of a release, by id and in the list. */
  const expectLessons = async (editions: (number | undefined)[], release: number, on = database.store) => {
    const server = await createUnboundServer(on);
    const list = await server.get(`/api/v1/courses/c/lessons?release=${release}`, { key });
    const ids = editions.flatMap((edition, index) => (edition === undefined ? [] : [`l${index}`]));
    const { results } = (JSON.parse(list.text) as { data: { results: { id: string }[] } }).data;
    expect(results.map(({ id }) => id)).toEqual(ids);
    const seen = [];
    for (const index of editions.keys()) {
      const { status, text } = await server.get(`/api/v1/courses/c/lessons/l${index}?release=${release}`, { key });
      seen.push(status === 404 ? undefined : Number(/ edition (\d+) /.exec(text)?.[1]));
    }
    expect(seen).toEqual([...editions]);
  };

  test("share rows for unchanged lessons and have their own for changed ones", async () => {
    const second = change(first, { 7: 2 });
    const third = change(second, { 3: undefined, 8: 2 });
    const fourth = change(third, { 3: 4, 7: 1 });
    const all = [first, second, third, fourth];
    const rows: number[] = [];
    let before = new Map<string, number>();
    const differing: string[][] = [];
    for (const editions of all) {
      await publishNext(editions);
      const named = await listNamed();
      rows.push(await count("lesson_versions"));
      differing.push([...named].filter(([id, row]) => before.get(id) !== row).map(([id]) => id));
      before = named;
    }
    expect(differing.slice(1)).toEqual([["l7"], ["l8"], expect.arrayContaining(["l3", "l7"])]);
    expect(differing[3]).toHaveLength(2);
    expect(rows).toEqual([LESSONS, LESSONS + 1, LESSONS + 2, LESSONS + 4]);
    for (const [index, editions] of all.entries()) await expectLessons(editions, index + 1);
  });

  test("share no rows across courses or projects, whatever they have in common", async () => {
    const course = createCourse(first);
    await publish(database.store, project, [course, { ...course, _id: "other", slug: "other" }]);
    await publish(database.store, `${project}-too`, [course]);
    const shared = await database.execute(`
      select l.id from lesson_versions l join version_lessons vl on vl.lesson_version_id = l.id
      join course_versions v on v.id = vl.version_id where v.project <> l.project or v.course_id <> l.course_id`);
    expect([shared, await count("lesson_versions")]).toEqual([[], 2 * LESSONS]);
  });
});
