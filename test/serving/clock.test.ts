// Clocks that go a day back and forward.
import { describe, expect, test } from "bun:test";
import { pruneReleases, rollBack } from "../../src/publishing/publish.ts";
import { issueKey } from "../../src/keys/issue-key.ts";
import { dataOf, releaseOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { createAsk, publishingAt } from "../support/in-process.ts";
import { createKey, startTestServer } from "../support/server.ts";
import { engines, openTestStore } from "../support/store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const NOON = Date.UTC(2026, 5, 15, 12);
const at = (days: number, ms = 0): string => new Date(NOON + days * DAY_MS + ms).toISOString();
const edition = (number: number) => [{ _id: "a", slug: "a", name: `Edition ${number}` }];

describe.each(engines)("on $name, a clock that jumps a day back and forward", (engine) => {
  test("changes neither the current release, nor the order of releases, nor what a prune keeps", async () => {
    const database = await openTestStore(engine);
    const { store } = database;
    const key = await createKey(store, "acme");
    const ask = createAsk(database);
    const current = async (): Promise<[number, string]> => {
      const answer = await ask("/courses/a", key);
      return [releaseOf(answer), dataOf(answer).name];
    };
    for (const [index, days] of [0, -1, 1, 0].entries()) {
      const number = index + 1;
      expect(await publish(store, "acme", edition(number), at(days))).toBe(number);
      expect(await current()).toEqual([number, `Edition ${number}`]);
      // A prune by either clock.
      for (const now of [at(days, 120_000), at(-days)]) await pruneReleases(publishingAt(store, "acme", now), number);
    }
    const listed = JSON.parse((await ask("/releases", key)).text) as { data: { results: { number: number }[] } };
    expect(listed.data.results.map(({ number }) => number)).toEqual([4, 3, 2, 1]);
    for (const since of [1, 2, 3]) expect((await ask(`/changes?since=${since}`, key)).status).toBe(200);
    await rollBack(publishingAt(store, "acme", at(-1)), "live", undefined);
    expect(await current()).toEqual([3, "Edition 3"]);
    await pruneReleases(publishingAt(store, "acme", at(-1)), 1);
    await pruneReleases(publishingAt(store, "acme", at(2)), 1);
    expect(await current()).toEqual([3, "Edition 3"]);
    await database.drop();
  });

  test("expires a key early and then restores it, except for keys without expiry", async () => {
    const database = await openTestStore(engine);
    const { store } = database;
    await publish(store, "acme", edition(1));
    const lasting = await createKey(store, "acme");
    const asked = { project: "acme", channel: "live", name: "short", drafts: false, expiresAt: at(0, 3_600_000) };
    const { secret } = await issueKey(store.keys, asked);
    let nowMs = NOON;
    const server = await startTestServer(store, { now: () => nowMs });
    for (const [days, status] of [
      [0, 200],
      [1, 401],
      [0, 200],
      [-1, 200],
      [1, 401],
    ] as const) {
      nowMs = NOON + days * DAY_MS;
      const statuses = [];
      for (const key of [lasting, secret]) statuses.push((await server.get("/api/v1/courses/a", { key })).status);
      expect([days, ...statuses]).toEqual([days, 200, status]);
    }
    await server.stop();
    await database.drop();
  });
});
