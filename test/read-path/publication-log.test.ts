// A log of publications only grows: what servers ask of it must not cost more with its length.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import type { ChangeFeed } from "../../src/catalog/store.ts";
import { explain, recordQueries } from "../support/plans.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";

const PUBLICATIONS = 50_000;
const CHANNELS = 500;

describe.each(engines)("a long publication log on $name", (engine) => {
  let database: TestStore;

  beforeAll(async () => {
    database = await openTestStore(engine);
    const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${PUBLICATIONS})`;
    await database.execute(`insert into releases
      (id, project, number, created_at, source, courses, drafts, lessons, changes, pruned_at)
      ${numbers} select i, 'acme', i, '2026-01-01', '', 1, 0, 1, '{}', case when i < 40000 then '2026-02-01' end from n`);
    // Every second one is on the channel live, the others on previews.
    await database.execute(`insert into publications (id, project, channel, release_id, action, published_at)
      ${numbers} select i, 'acme', case when i % 2 = 0 then 'live' else 'pr-' || (i % ${CHANNELS}) end, i, 'import',
        '2026-01-01' from n`);
    await database.execute("analyze");
  });
  afterAll(() => database.drop());

  /** The plan of the one query that a read runs. */
  const explainRead = async (read: (catalog: CatalogReader & ChangeFeed) => Promise<unknown>): Promise<string> => {
    const [query, ...more] = await recordQueries(database.url, read);
    if (query === undefined || more.length > 0) throw new Error("expected one query");
    return (await explain(database, query)).join("\n");
  };

  test("finds a release that a channel has published, also a pruned one, in an index", async () => {
    const { catalog } = database.store;
    expect(await catalog.findPublishedRelease("acme", "live", 20)).toBe("pruned");
    expect(await catalog.findPublishedRelease("acme", "live", 21)).toBeUndefined();
    expect(await catalog.findPublishedRelease("acme", "live", PUBLICATIONS)).toMatchObject({ number: PUBLICATIONS });
    const plan = await explainRead((reader) => reader.findPublishedRelease("acme", "live", 20));
    expectReadsOfLog(plan, "publications_by_release", /release_id = r\.id|release_id=\? AND id>\?/);
  });

  test("gives what is new by its number alone", async () => {
    const { changes } = database.store;
    const last = PUBLICATIONS - 4;
    const since = await changes.publicationsSince(last);
    expect(since.map(({ channel, release }) => [channel, release?.number])).toEqual([
      [`pr-${(PUBLICATIONS - 3) % CHANNELS}`, PUBLICATIONS - 3],
      [`pr-${(PUBLICATIONS - 1) % CHANNELS}`, PUBLICATIONS - 1],
      ["live", PUBLICATIONS],
    ]);
    const plan = await explainRead((reader) => reader.publicationsSince(last));
    expectReadsOfLog(plan, /publications_pkey|INTEGER PRIMARY KEY/, /id > |rowid>\?/);
    const all = await changes.publicationsSince(0);
    expect(all).toHaveLength(1 + CHANNELS / 2);
    expect(all.at(-1)).toMatchObject({ channel: "live", release: { number: PUBLICATIONS } });
  });
});

/** Fails for a plan that reads the log, or what any channel has of it, to find a few rows. */
function expectReadsOfLog(plan: string, index: string | RegExp, condition: RegExp): void {
  expect(plan).toMatch(index);
  expect(plan).toMatch(condition);
  expect(plan).not.toMatch(/Seq Scan|\bSCAN\b|publications_by_channel/);
}
