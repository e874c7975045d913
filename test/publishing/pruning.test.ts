// Pruning: which releases lose their content, and what stays of them.
import { beforeEach, describe, expect, test } from "bun:test";
import {
  deleteChannel,
  pruneReleases,
  publishExisting,
  PublishingRefused,
  rollBack,
} from "../../src/publishing/publish.ts";
import type { Release } from "../../src/catalog/store.ts";
import { dataOf } from "../support/answers.ts";
import { createContent, storeFile } from "../support/assets.ts";
import { importNdjson } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { createAsk, publishingAt } from "../support/in-process.ts";
import { listRemains } from "../support/remains.ts";
import { createKey } from "../support/server.ts";
import { anyEngine, engines, useTestStore } from "../support/store.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const START = Date.parse("2026-01-01T00:00:00.000Z");

describe.each(engines)("pruning on $name", (engine) => {
  const database = useTestStore(engine);
  const ask = createAsk(database);
  let live: string;
  /** The time that the next command runs at. */
  let nowMs: number;
  /** Tests share a store: each has a project of its own. */
  let project = "";
  let count = 0;
  beforeEach(async () => {
    project = `acme-${++count}`;
    live = await createKey(database.store, project);
    nowMs = START;
  });

  const context = () => publishingAt(database.store, project, new Date(nowMs).toISOString());
  /** Imports editions of courses: `{ a: 1 }` is course a in its first edition. */
  const importEditions = async (editions: Record<string, number>, channel = "live"): Promise<void> => {
    const ndjson = Object.entries(editions).map(([id, edition]) => {
      const lessons = [
        { id: "l", name: "L", additionalText: `${id}, edition ${edition}` },
        { id: "same", name: "Same" },
      ];
      return `${JSON.stringify({ _id: id, name: `Course ${id}`, tags: [id], chapters: [{ name: "A", lessons }] })}\n`;
    });
    const at = new Date(nowMs).toISOString();
    const { outcome } = await importNdjson(database.store, project, ndjson.join(""), at, { channel });
    expect(outcome.status).toBe("published");
  };
  const importNumbered = async (first: number, last: number, channel = "live"): Promise<void> => {
    for (let edition = first; edition <= last; edition++) await importEditions({ a: edition, b: 0 }, channel);
  };
  const prune = async (keep: number): Promise<number[]> =>
    (await pruneReleases(context(), keep)).map((release) => release.number).sort((a, b) => a - b);
  const statusesOf = async (key: string, ...releases: number[]): Promise<number[]> => {
    const statuses: number[] = [];
    for (const release of releases) statuses.push((await ask(`/courses/a/lessons/l?release=${release}`, key)).status);
    return statuses;
  };

  test("removes versions that no kept release has, with their lessons, and no others", async () => {
    await importEditions({ a: 1, b: 1, c: 1 });
    await importEditions({ a: 2, b: 1, c: 1 });
    await importEditions({ a: 2, b: 2, c: 1 });
    const before = await ask("/courses/c/lessons/l", live);
    nowMs += 2 * MINUTE;
    expect(await prune(1)).toEqual([1, 2]);
    const ofProject = `version_id in (select id from course_versions where project = '${project}')`;
    const versions = await database.execute(
      `select course_id from course_versions where project = '${project}' order by course_id`,
    );
    expect(versions).toEqual([{ course_id: "a" }, { course_id: "b" }, { course_id: "c" }]);
    expect(await database.execute(`select lesson_id from version_lessons where ${ofProject}`)).toHaveLength(6);
    expect(await database.execute(`select id from lesson_versions where project = '${project}'`)).toHaveLength(6);
    expect(await listRemains(database)).toEqual([]);
    expect(await database.execute(`select release_id from release_courses where ${ofProject}`)).toHaveLength(3);
    const after = await ask("/courses/c/lessons/l", live);
    expect([after.text, after.headers.get("etag")]).toEqual([before.text, before.headers.get("etag")]);
    expect(dataOf(await ask("/courses/a/lessons/l", live)).additionalText).toBe("a, edition 2");
    expect(dataOf(await ask("/courses/b/lessons/l", live)).additionalText).toBe("b, edition 2");
    // All versions of a course have the row of a lesson that never changed.
    expect(dataOf(await ask("/courses/a/lessons/same", live)).name).toBe("Same");
  });

  test("handles more releases at once than a statement takes parameters", async () => {
    await importNumbered(1, 1);
    const [entry] = await database.store.publishing.listPublications(project);
    if (entry?.release === undefined) throw new Error("no release");
    const holder = { pid: 1, host: "h", since: "", task: "prune" };
    const locked = await database.store.publishing.lockProject(project, holder, () => {});
    await locked.pruneReleases(Array<Release>(70_000).fill(entry.release), new Date(nowMs).toISOString());
    await locked.unlock();
    expect(
      await database.execute(`select number from releases where project = '${project}' and pruned_at is null`),
    ).toEqual([]);
  });

  // Which go on either, `model.test.ts` says.
  if (engine !== anyEngine) return;

  test("keeps the newest N, answers 410 for the others, and reports nothing the second time", async () => {
    await importNumbered(1, 5);
    nowMs += MINUTE + 1;
    expect(await prune(3)).toEqual([1, 2]);
    expect(await statusesOf(live, 1, 2, 3, 4, 5)).toEqual([410, 410, 200, 200, 200]);
    expect(await prune(3)).toEqual([]);
    expect(await prune(1)).toEqual([3, 4]);
    expect(await statusesOf(live, 1, 2, 3, 4, 5)).toEqual([410, 410, 410, 410, 200]);
  });

  test("spares recently replaced releases for a minute, after an import, rollback or deletion", async () => {
    await importNumbered(1, 3);
    nowMs += 10 * MINUTE;
    await rollBack(context(), "live", 1);
    nowMs += MINUTE;
    // 3 was served until a minute ago, to the millisecond; 2 was not.
    expect(await prune(1)).toEqual([2]);
    nowMs += 1;
    expect(await prune(1)).toEqual([3]);

    await importNumbered(4, 4, "pr-1");
    nowMs += 10 * MINUTE;
    await deleteChannel(context(), "pr-1");
    nowMs += 30 * SECOND;
    expect(await prune(1)).toEqual([]);
    nowMs += 31 * SECOND;
    expect(await prune(1)).toEqual([4]);
  });

  test("keeps the log, with counts and the time at which each release was pruned", async () => {
    await importNumbered(1, 3);
    const before = await database.store.publishing.listPublications(project);
    nowMs += 2 * MINUTE;
    await prune(1);
    const after = await database.store.publishing.listPublications(project);
    const prunedAt = new Date(nowMs).toISOString();
    expect(after).toEqual(
      before.map((entry, index) => ({
        ...entry,
        release: entry.release && { ...entry.release, prunedAt: index < 2 ? prunedAt : undefined },
      })),
    );
  });

  test("is final: a pruned release cannot be published again, and its number stays taken", async () => {
    await importNumbered(1, 3);
    nowMs += 2 * MINUTE;
    await prune(1);
    for (const change of [
      () => publishExisting(context(), 1, "live"),
      () => publishExisting(context(), 1, "pr-1"),
      () => rollBack(context(), "live", 1),
      () => rollBack(context(), "live", undefined),
    ]) {
      const error: unknown = await change().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(PublishingRefused);
    }
    await importNumbered(4, 4);
    expect(await statusesOf(live, 3, 4)).toEqual([200, 200]);
    expect((await ask("/courses", live)).headers.get("catalog-release")).toBe("4");
  });

  test("lets the same content become a new release, with all dates that are still known", async () => {
    await importEditions({ a: 1, b: 1 });
    nowMs += MINUTE;
    await importEditions({ b: 1 });
    nowMs += 2 * MINUTE;
    expect(await prune(1)).toEqual([1]);
    await importEditions({ a: 1, b: 1 });
    expect(dataOf(await ask("/courses/a", live)).createdAt).toBe(new Date(nowMs).toISOString());
    expect(dataOf(await ask("/courses/b", live)).createdAt).toBe(new Date(START).toISOString());
  });

  test("also follows every publishing import, by --keep with a default of 20", async () => {
    await importNumbered(1, 22);
    const run = (edition: number, ...args: string[]) =>
      runCommand(["import", "-", "--allow-removals", "--project", project, "--database", database.url, ...args], {
        stdin: JSON.stringify({ _id: "a", name: `Edition ${edition}` }),
      });
    expect(await run(23)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await statusesOf(live, 1, 2, 3, 4, 22)).toEqual([410, 410, 410, 200, 200]);
    expect(await run(24, "--keep", "2")).toMatchObject({ exitCode: 0, stderr: "" });
    // 22 was replaced seconds ago, by 23.
    expect(await statusesOf(live, 20, 21, 22)).toEqual([410, 410, 200]);
    const log = JSON.parse(
      (await runCommand(["releases", "--json", "--project", project, "--database", database.url])).stdout,
    ) as { release: number; prunedAt: string | null }[];
    expect(log).toHaveLength(24);
    expect(log.filter(({ prunedAt }) => prunedAt === null).map(({ release }) => release)).toEqual([24, 23, 22]);
  });

  test("says which releases and files it keeps, why, and until when", async () => {
    nowMs = Date.now() + 10 * MINUTE;
    await importNumbered(1, 3);
    await storeFile(database.store, "cup.png", createContent(1000), new Date(nowMs).toISOString());
    const { exitCode, stdout } = await runCommand([
      "prune",
      "--project",
      project,
      "--database",
      database.url,
      "--keep",
      "1",
    ]);
    const until = new Date(nowMs + 24 * 60 * MINUTE).toISOString();
    expect([exitCode, stdout]).toEqual([
      0,
      `Kept 2 releases of ${project} that a channel showed within the last minute: clients can still read them. ` +
        "Prune again in a minute.\n" +
        `Kept 1 file (1.0 kB) that no release uses: an import used it within the last day. Prune again after ${until}.\n`,
    ]);
  });

  test.each(["0", "-1", "x", "1.5", "1000000"])("refuses --keep %s as wrong usage", async (keep) => {
    const result = await runCommand(["prune", "--project", project, "--database", database.url, "--keep", keep]);
    expect([result.exitCode, result.stdout]).toEqual([2, ""]);
  });
});
