// Reads of a server cost what the request needs, however large the catalog: each statement finds its rows by an index.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import type { ChangeFeed, Release } from "../../src/catalog/store.ts";
import type { Outbox } from "../../src/hooks/hook.ts";
import type { KeyStore } from "../../src/keys/key.ts";
import { formatQuery, type Query } from "../../src/store/query.ts";
import { createHook } from "../hooks/receiver.ts";
import { publish } from "../support/catalog.ts";
import { explainForAnySize, recordQueries } from "../support/plans.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";

/** Runs all that a request can cause, every look at what is new, and the note of last uses. */
async function runEverything(catalog: CatalogReader & ChangeFeed, keys: KeyStore, release: Release): Promise<void> {
  for (const course of ["c1", "slug-1", "nothing"]) {
    await catalog.findCourse(release, course, false);
    await catalog.findLessonList(release, course, true);
    await catalog.findLesson(release, course, "l", false);
    await catalog.findCourseParts(release, course, false);
    await catalog.findLessonParts(release, course, "l", false);
    await catalog.findFormerSlug(release, "live", course, false);
  }
  await catalog.findPublishedRelease("acme", "live", 1);
  await Array.fromAsync(catalog.readCourses(release, { from: 0, end: 3 }));
  await Array.fromAsync(catalog.pickCourses(release, [2, 0]));
  await Array.fromAsync(catalog.readTraits(release));
  await catalog.findPositions(release, ["c1", "slug-2", "nothing"]);
  const { versionId = 0 } = (await catalog.findCourseParts(release, "c1", false)) ?? {};
  await catalog.findVersion(versionId);
  await Array.fromAsync(catalog.readLessons(versionId, { from: 0, end: 1 }));
  await Array.fromAsync(catalog.readLessonBodies(versionId, { from: 0, end: 1 }));
  await catalog.listChapters(versionId);
  await catalog.findChapter(versionId, 0);
  await Array.fromAsync(catalog.readKeptReleases("acme", "live"));
  const [differences = []] = await Array.fromAsync(catalog.readDifference(release, { ...release, id: 1 }, true));
  const otherId = differences[0]?.other?.versionId ?? 0;
  await Array.fromAsync(catalog.compareLessons(versionId, otherId));
  await Array.fromAsync(catalog.readMissingLessons(versionId, otherId));
  await catalog.readRevisions();
  await catalog.publicationsSince(1);
  await keys.keysSince(1);
  await keys.touchKeys(new Map([["key_1", "2026-01-01T00:00:00.000Z"]]));
}

/** Runs all that a deliverer asks for each event. */
async function runOutbox(outbox: Outbox, id: string): Promise<void> {
  await outbox.listWaiting(10);
  await outbox.takeLease("me", 1000);
  const hook = await outbox.findHook(id);
  const event = hook && (await outbox.findNextEvent(hook));
  if (hook === undefined || event === undefined) throw new Error("there is nothing to tell");
  const attempt = { eventId: "e", event: "e", at: "", durationMs: 1, status: 204, fault: undefined };
  const progress = { failures: 0, failingSince: undefined, nextAttemptAt: "", paused: undefined };
  if (!(await outbox.recordAttempt("me", hook, attempt, { ...progress, lastPublication: event.publicationId }))) {
    throw new Error("nothing was recorded");
  }
  await outbox.skipEvents(hook);
  await outbox.releaseLease("me");
}

/** Of ChangeFeed, what runs no statement. */
const WITHOUT_STATEMENT = ["watch", "reconnect"];

describe.each(engines)("statements of a server on $name", (engine) => {
  let database: TestStore;
  let release: Release;
  /** Queries with different texts. */
  let queries: Query[];
  const called = new Set<string | symbol>();
  let methods: string[];

  beforeAll(async () => {
    // Plans also go by what a database has held before.
    database = await openTestStore(engine, await engine.createDatabase());
    const courses = Array.from({ length: 5 }, (_, n) => ({
      _id: `c${n}`,
      slug: `slug-${n}`,
      name: `Course ${n}`,
      chapters: [{ name: "A", lessons: [{ id: "l", name: "L" }] }],
    }));
    const hook = await createHook(database.store, "https://site.example/");
    await publish(database.store, "acme", courses);
    await publish(
      database.store,
      "acme",
      courses.map((course) => ({ ...course, slug: `${course.slug}-new` })),
    );
    const current = await database.store.publishing.findCurrentRelease("acme", "live");
    if (current === undefined) throw new Error("there is no release");
    release = current;
    const all = await recordQueries(database.url, async (catalog, keys, outbox) => {
      methods = Object.keys(catalog);
      const noting = new Proxy(catalog, {
        get(target, name: keyof typeof catalog) {
          called.add(name);
          return target[name];
        },
      });
      await runEverything(noting, keys, release);
      await runOutbox(outbox, hook.id);
    });
    queries = keepDifferent(all);
  });
  afterAll(() => database.drop());

  test("are all there", () => {
    expect(methods.filter((method) => !called.has(method))).toEqual(WITHOUT_STATEMENT);
    expect(queries.length).toBeGreaterThanOrEqual(called.size);
  });

  test("never walk a table, nor make an index for themselves", async () => {
    for (const query of queries) expect(await findWalks(database, query)).toEqual([]);
  });

  test("find the version of a course once, also for a lesson", async () => {
    const [lookUp, ...others] = await recordQueries(database.url, async (catalog) =>
      catalog.findLesson(release, "c1", "l", false),
    );
    if (lookUp === undefined) throw new Error("nothing was asked");
    expect(others).toEqual([]);
    const plan = await explainForAnySize(database, lookUp);
    expect(plan.filter((step) => /^SEARCH v |on course_versions v/.test(step))).toHaveLength(1);
  });

  test("walk nothing but the log at a start", async () => {
    const atStart = await recordQueries(database.url, async (catalog, keys) => {
      await catalog.publicationsSince(0);
      await keys.keysSince(0);
    });
    expect(atStart.length).toBe(2);
    for (const query of atStart) {
      const others = (await findWalks(database, query)).filter(({ step }) => !step.includes("publications_by_"));
      expect(others).toEqual([]);
    }
  });
});

function keepDifferent(queries: Query[]): Query[] {
  return [...new Map(queries.map((query) => [formatQuery(query, "?").text, query])).values()];
}

/** The steps of a query whose cost grows with the catalog, or with the log; with the query, to be read in a failure. */
async function findWalks(database: TestStore, query: Query): Promise<{ step: string; statement: string }[]> {
  const plan = await explainForAnySize(database, query);
  const statement = formatQuery(query, "?").text;
  // SQLite plans nothing to insert values.
  if (plan.length === 0 && !statement.startsWith("insert into")) throw new Error("there is no plan");
  return plan.filter(isWalk).map((step) => ({ step, statement }));
}

/** True for a step that walks a table, or the list of a release; not an index that has only what waits. */
function isWalk(step: string): boolean {
  return (
    /^SCAN (?!owner\b|CONSTANT ROW|pragma_|hooks USING INDEX hooks_waiting)|AUTOMATIC|Seq Scan/.test(step) ||
    step.endsWith("(release_id=?)") ||
    /^Index Cond: \(release_id = [^ ]+\)$/.test(step)
  );
}
