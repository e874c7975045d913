// Clocks that go a day back and forward.
import { expect, test } from "bun:test";
import { pruneReleases, rollBack } from "../../src/publishing/publish.ts";
import { dataOf, releaseOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { createAsk, publishingAt } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const NOON = Date.UTC(2026, 5, 15, 12);
const at = (days: number, ms = 0): string => new Date(NOON + days * DAY_MS + ms).toISOString();
const edition = (number: number) => [{ _id: "a", slug: "a", name: `Edition ${number}` }];

const database = useTestStore();

test("a clock that jumps a day changes no current release, no order, and nothing that a prune keeps", async () => {
  const { store } = database;
  const key = await createKey(store, "acme");
  const ask = createAsk(database);
  const expectCurrent = async (number: number): Promise<void> => {
    const answer = await ask("/courses/a", key);
    expect([releaseOf(answer), dataOf(answer).name]).toEqual([number, `Edition ${number}`]);
  };
  for (const [index, days] of [0, -1, 1, 0].entries()) {
    const number = index + 1;
    expect(await publish(store, "acme", edition(number), at(days))).toBe(number);
    await expectCurrent(number);
    // A prune by either clock.
    for (const now of [at(days, 120_000), at(-days)]) await pruneReleases(publishingAt(store, "acme", now), number);
  }
  const { results } = dataOf(await ask("/releases", key)) as unknown as { results: { number: number }[] };
  expect(results.map(({ number }) => number)).toEqual([4, 3, 2, 1]);
  for (const since of [1, 2, 3]) expect((await ask(`/changes?since=${since}`, key)).status).toBe(200);
  await rollBack(publishingAt(store, "acme", at(-1)), "live", undefined);
  for (const days of [-1, 2]) {
    await expectCurrent(3);
    await pruneReleases(publishingAt(store, "acme", at(days)), 1);
  }
  await expectCurrent(3);
});
