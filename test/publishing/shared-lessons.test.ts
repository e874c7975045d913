// What an edit stores: the lessons that changed. Every version of a course still has all of its lessons.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { pruneReleases } from "../../src/publishing/publish.ts";
import { importCourses, publish, type AuthoredCourse } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { createAsk, createUnboundServer, publishingAt } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";

const LESSONS = 40;

/** A course whose lessons have the given editions; a lesson without one is not there. */
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

describe.each(engines)("versions of a course on $name", (engine) => {
  let database: TestStore;
  let key: string;
  let day = 0;
  /** Tests share a store: each has a project of its own. */
  let project = "";
  let count = 0;

  beforeAll(async () => {
    database = await openTestStore(engine);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    project = `acme-${++count}`;
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
  const listVersions = async (where = "true"): Promise<unknown[]> =>
    database.execute(`select id from course_versions where project = '${project}' and ${where}`);
  const countLessons = async (): Promise<number> => {
    const versions = `select id from course_versions where project = '${project}'`;
    return (await database.execute(`select 1 from lessons where version_id in (${versions})`)).length;
  };
  const prune = async (keep: number): Promise<void> => {
    await pruneReleases(publishingAt(database.store, project, "2027-01-01T00:00:00.000Z"), keep);
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

  test("share the lessons that did not change, and each has its own", async () => {
    const second = change(first, { 7: 2 });
    const third = change(second, { 3: undefined, 8: 2 });
    const fourth = change(third, { 3: 4, 7: 1 });
    const all = [first, second, third, fourth];
    const rows = [];
    for (const editions of all) {
      await publishNext(editions);
      rows.push(await countLessons());
    }
    // The second has one row of its own. The third has two and one that says which lesson is gone. The fourth has the lesson
    // that returned, and two that were updated since the first.
    expect(rows).toEqual([LESSONS, LESSONS + 1, LESSONS + 4, LESSONS + 7]);
    for (const [index, editions] of all.entries()) await expectLessons(editions, index + 1);
  });

  test("keep the dates, ids and moves that an import knows", async () => {
    await publishNext(first);
    const second = change(first, { 7: 2, 9: undefined });
    await publishNext(second);
    const { outcome } = await importCourses(database.store, project, [createCourse(second)]);
    expect(outcome.status).toBe("unchanged");
    await publishNext(change(second, { 9: 1 }));
    const ask = createAsk(database.store);
    const datesOf = async (lesson: string, release: number): Promise<[string, string]> => {
      const { text } = await ask(`/courses/c/lessons/${lesson}?release=${release}`, key);
      const { createdAt, updatedAt } = (JSON.parse(text) as { data: { createdAt: string; updatedAt: string } }).data;
      return [createdAt.slice(8, 10), updatedAt.slice(8, 10)];
    };
    expect(await datesOf("l1", 3)).toEqual(["01", "01"]);
    expect(await datesOf("l7", 3)).toEqual(["01", "02"]);
    expect(await datesOf("l9", 3)).toEqual(["01", "03"]);
  });

  test("that share less than half are stored whole", async () => {
    await publishNext(first);
    await publishNext(first.map((_, index) => (index % 3 === 0 ? 1 : 2)));
    expect(await countLessons()).toBe(2 * LESSONS);
    expect(await listVersions("base_id is not null")).toEqual([]);
  });

  test("keep their base when its release is pruned, and it goes with the last of them", async () => {
    const second = change(first, { 7: 2 });
    const third = change(second, { 8: 2 });
    for (const editions of [first, second, third]) await publishNext(editions);
    await prune(1);
    expect([await countLessons(), (await listVersions()).length]).toEqual([LESSONS + 2, 2]);
    await expectLessons(third, 3);
    const other = first.map(() => 5);
    await publishNext(other);
    await prune(1);
    expect([await countLessons(), (await listVersions()).length]).toEqual([LESSONS, 1]);
    await expectLessons(other, 4);
  });

  test("are copied with their base", async () => {
    const second = change(first, { 7: 2 });
    for (const editions of [first, second]) await publishNext(editions);
    await prune(1);
    const [{ lessons = 0 } = {}] = (await database.execute("select count(*) as lessons from lessons")) as {
      lessons?: number;
    }[];
    expect(await countLessons()).toBe(LESSONS + 1);
    const target = await engine.createDatabase();
    const { exitCode, stdout, stderr } = await runCommand(["copy", "--from", database.url, "--to", target.url]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^lessons +${lessons} `, "m"));
    const copy = await openTestStore(engine, target);
    await expectLessons(second, 2, copy.store);
    await copy.drop();
  });
});
