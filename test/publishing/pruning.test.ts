// Pruning: which releases lose their content, and what stays of them.
import { beforeEach, describe, expect, test } from "bun:test";
import type { Release } from "../../src/catalog/store.ts";
import { pruneReleases, publishExisting, PublishingRefused, rollBack } from "../../src/publishing/publish.ts";
import { listRemains } from "../support/remains.ts";
import { anyEngine, engines, useTestStore } from "../support/store.ts";
import { useProject } from "../support/test-project.ts";

const MINUTE = 60_000;
const START = Date.parse("2026-01-01T00:00:00.000Z");

describe.each(engines)("pruning on $name", (engine) => {
  const database = useTestStore(engine);
  const project = useProject(database);
  /** The time that the next command runs at. */
  let nowMs: number;
  beforeEach(() => (nowMs = START));

  const now = (): string => new Date(nowMs).toISOString();
  const context = () => project.at(now());
  /** Imports editions of courses: `{ a: 1 }` is course a in its first edition. */
  const importEditions = async (editions: Record<string, number>): Promise<void> => {
    const courses = Object.entries(editions).map(([id, edition]) => {
      const edited = { id: "l", name: "L", additionalText: `${id}, edition ${edition}` };
      const lessons = [edited, { id: "same", name: "Same" }];
      return { _id: id, name: `Course ${id}`, tags: [id], chapters: [{ name: "A", lessons }] };
    });
    const { outcome } = await project.import(courses, {}, now());
    expect(outcome.status).toBe("published");
  };
  const importNumbered = async (first: number, last: number): Promise<void> => {
    for (let edition = first; edition <= last; edition++) await importEditions({ a: edition, b: 0 });
  };
  const prune = async (keep: number): Promise<number[]> =>
    (await pruneReleases(context(), keep)).map((release) => release.number).sort((a, b) => a - b);
  const statusesOf = async (...releases: number[]): Promise<number[]> => {
    const paths = releases.map((release) => `/courses/a/lessons/l?release=${release}`);
    return Promise.all(paths.map(async (path) => (await project.read(path)).status));
  };

  test("removes versions that no kept release has, with their lessons, and no others, which versions share", async () => {
    for (const editions of [
      { a: 1, c: 1 },
      { a: 2, c: 1 },
    ])
      await importEditions(editions);
    const before = await project.read("/courses/c/lessons/l");
    // An edit stores the changed lesson alone.
    const stored = `select id from lesson_versions where project = '${project.name}'`;
    expect(await database.execute(stored)).toHaveLength(5);
    nowMs += 2 * MINUTE;
    expect(await prune(1)).toEqual([1]);
    expect(await listRemains(database)).toEqual([]);
    expect((await project.read("/courses/c/lessons/l")).text).toBe(before.text);
    expect((await project.read("/courses/a/lessons/l")).data.additionalText).toBe("a, edition 2");
    // All versions of a course have the row of a lesson that never changed.
    expect((await project.read("/courses/a/lessons/same")).data.name).toBe("Same");
  });

  test("never meets a row of a lesson that two courses share", async () => {
    for (const edition of [1, 2]) await importEditions({ a: edition, c: edition });
    const shared = `select l.id from lesson_versions l join version_lessons vl on vl.lesson_version_id = l.id
      join course_versions v on v.id = vl.version_id where v.course_id <> l.course_id or v.project <> l.project`;
    expect(await database.execute(shared)).toEqual([]);
  });

  test("handles more releases at once than a statement takes parameters", async () => {
    await importNumbered(1, 1);
    const [entry] = await database.store.publishing.listPublications(project.name);
    if (entry?.release === undefined) throw new Error("no release");
    const holder = { pid: 1, host: "h", since: "", task: "prune" };
    const locked = await database.store.publishing.lockProject(project.name, holder, () => {});
    await locked.pruneReleases(Array<Release>(70_000).fill(entry.release), now());
    await locked.unlock();
    const left = `select number from releases where project = '${project.name}' and pruned_at is null`;
    expect(await database.execute(left)).toEqual([]);
  });

  // Which go on either, `model.test.ts` says.
  if (engine !== anyEngine) return;

  test("keeps the newest N, answers 410 for the others, and the log with the time; it is final", async () => {
    await importNumbered(1, 5);
    const before = await database.store.publishing.listPublications(project.name);
    nowMs += MINUTE + 1;
    const prunedAt = now();
    expect(await prune(3)).toEqual([1, 2]);
    expect(await statusesOf(1, 2, 3, 4, 5)).toEqual([410, 410, 200, 200, 200]);
    expect(await database.store.publishing.listPublications(project.name)).toEqual(
      before.map((entry, index) => ({
        ...entry,
        release: entry.release && { ...entry.release, prunedAt: index < 2 ? prunedAt : undefined },
      })),
    );
    expect(await prune(3)).toEqual([]);
    expect(await prune(1)).toEqual([3, 4]);
    // None can be published again, and its number stays taken.
    const publish = publishExisting(context(), 1, "pr-1");
    expect(await publish.catch((reason: unknown) => reason)).toBeInstanceOf(PublishingRefused);
    const back = rollBack(context(), "live", undefined);
    expect(await back.catch((reason: unknown) => reason)).toBeInstanceOf(PublishingRefused);
    await importNumbered(6, 6);
    expect(await statusesOf(4, 5, 6)).toEqual([410, 200, 200]);
  });

  test("spares recently replaced releases for a minute", async () => {
    await importNumbered(1, 3);
    nowMs += 10 * MINUTE;
    await rollBack(context(), "live", 1);
    nowMs += MINUTE;
    // 3 was served until a minute ago, to the millisecond; 2 was not.
    expect(await prune(1)).toEqual([2]);
    nowMs += 1;
    expect(await prune(1)).toEqual([3]);
  });

  test("also follows every publishing import, by --keep with a default of 20", async () => {
    await importNumbered(1, 22);
    const importNext = async (edition: number, ...args: string[]): Promise<void> => {
      const courses = [{ _id: "a", name: `Edition ${edition}` }];
      expect((await project.runImport(courses, "--allow-removals", ...args)).exitCode).toBe(0);
    };
    await importNext(23);
    expect(await statusesOf(1, 2, 3, 4, 22)).toEqual([410, 410, 410, 200, 200]);
    await importNext(24, "--keep", "2");
    // 22 was replaced seconds ago, by 23.
    expect(await statusesOf(20, 21, 22)).toEqual([410, 410, 200]);
  });
});
