// Reads of a server cost what the request needs, however large the catalog: each statement finds its rows by an index.
import { SQL } from "bun";
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { createCatalogQueries } from "../../src/store/catalog-queries.ts";
import { createKeyQueries } from "../../src/store/key-queries.ts";
import type { CatalogReader, ChangeFeed, Release } from "../../src/catalog/store.ts";
import { openEngine } from "../../src/store/open-store.ts";
import { publish } from "../support/catalog.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";

const CONNECTION = { poolSize: 1, connectTimeoutMs: 10_000, statementTimeoutMs: 0 };

/** Runs every read that a request can cause, and every look at what is new; returns what else was read on the way. */
async function readEverything(catalog: CatalogReader & ChangeFeed, release: Release): Promise<void> {
  for (const course of ["c1", "slug-1", "nothing"]) {
    await catalog.findCourse(release, course, false);
    await catalog.findLessonList(release, course, true);
    await catalog.findLesson(release, course, "l", false);
    await catalog.findFormerSlug(release, "live", course, false);
  }
  await catalog.findPublishedRelease("acme", "live", 1);
  await Array.fromAsync(catalog.readSummaries(release, 0, 3));
  await Array.fromAsync(catalog.pickSummaries(release, [0, 2]));
  await Array.fromAsync(catalog.readNames(release));
  await catalog.readRevisions();
  await catalog.publicationsSince(1);
}

describe.each(engines)("statements of a server on $name", (engine) => {
  let database: TestStore;
  /** The text of each statement, once. */
  let statements: string[];

  beforeAll(async () => {
    database = await openTestStore(engine);
    const courses = Array.from({ length: 5 }, (_, n) => ({
      _id: `c${n}`,
      slug: `slug-${n}`,
      name: `Course ${n}`,
      chapters: [{ name: "A", lessons: [{ id: "l", name: "L" }] }],
    }));
    await publish(database.store, "acme", courses);
    await publish(
      database.store,
      "acme",
      courses.map((course) => ({ ...course, slug: `${course.slug}-new` })),
    );
    const release = await database.store.publishing.findCurrentRelease("acme", "live");
    if (release === undefined) throw new Error("there is no release");
    statements = await recordStatements(database.url, async (catalog) => readEverything(catalog, release));
  });
  afterAll(() => database.drop());

  test("are all there", () => {
    expect(statements.length).toBeGreaterThanOrEqual(10);
  });

  test("never walk a table, nor make an index for themselves", async () => {
    for (const statement of statements) {
      const plan = await explain(database, statement);
      expect(plan.length).toBeGreaterThan(0);
      expect({ statement, walks: plan.filter(isWalk) }).toEqual({ statement, walks: [] });
    }
  });
});

/** The texts of the statements that the queries of a server prepare while `use` runs. */
async function recordStatements(
  url: string,
  use: (catalog: CatalogReader & ChangeFeed) => Promise<void>,
): Promise<string[]> {
  const prepare = spyOn(Database.prototype, "prepare");
  const store = await openEngine(url, { create: false, postgres: CONNECTION });
  try {
    await use(createCatalogQueries(store));
    await createKeyQueries(store).keysSince(1);
    const texts = url.startsWith("sqlite:")
      ? prepare.mock.calls.map(([text]) => text)
      : (await store.read<{ statement: string }[]>`select statement from pg_prepared_statements`).map(
          (row) => row.statement,
        );
    return [...new Set(texts)].filter((text) => text.includes("from") && !/pg_prepared|schema_version/.test(text));
  } finally {
    prepare.mockRestore();
    await store.close();
  }
}

/** The steps of a statement's plan, whatever its values. */
async function explain(database: TestStore, statement: string): Promise<string[]> {
  const { url } = database;
  if (url.startsWith("sqlite:")) {
    const rows = (await database.execute(`explain query plan ${statement}`)) as { detail: string }[];
    return rows.map((row) => row.detail);
  }
  const sql = new SQL(url, { max: 1 });
  try {
    // Small tables are read whole, which says nothing of large ones: so only where there is no other way.
    await sql`set enable_seqscan = off`;
    const rows = await sql.unsafe<{ "QUERY PLAN": string }[]>(`explain (generic_plan) ${statement}`);
    return rows.map((row) => row["QUERY PLAN"].trim());
  } finally {
    await sql.close();
  }
}

/** True for a step whose cost grows with the catalog, or with the log: of a table, or of the list of a release. */
function isWalk(step: string): boolean {
  return (
    /^SCAN (?!owner\b|CONSTANT ROW|pragma_)|AUTOMATIC|Seq Scan/.test(step) ||
    step.endsWith("(release_id=?)") ||
    /^Index Cond: \(release_id = [^ ]+\)$/.test(step)
  );
}
