// How soon a server notices changes, counted in polls of the store and pauses between them: the test is the clock.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { StoreFollower, type StartTimer } from "../../src/following/follow-store.ts";
import type { StateUpdate } from "../../src/following/served-state.ts";
import { publish } from "../support/catalog.ts";
import { createKey } from "../support/server.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";

/** The promise to publishers, and to operators who revoke keys. */
const PROMISED_MS = 1000;

/** A timer that a test fires. It holds the last request. */
function createTimer() {
  let next: { work: () => Promise<void>; delayMs: number } | undefined;
  const start: StartTimer = (work, delayMs) => {
    const asked = { work, delayMs };
    next = asked;
    return () => {
      if (next === asked) next = undefined;
    };
  };
  /** Ends the pause; returns its length. */
  const pass = async (): Promise<number> => {
    if (next === undefined) throw new Error("no pause is pending");
    const { work, delayMs } = next;
    await work();
    return delayMs;
  };
  return { start, pass };
}

describe.each(engines)("a server that follows a store on $name,", (engine) => {
  let database: TestStore;
  let follower: StoreFollower;
  let timer: ReturnType<typeof createTimer>;
  let isAway = false;
  const updates: StateUpdate[] = [];

  beforeEach(async () => {
    database = await openTestStore(engine);
    const { changes, keys } = database.store;
    updates.length = 0;
    isAway = false;
    timer = createTimer();
    const feed = {
      ...changes,
      reconnect: () => {},
      // Like a database that refuses connections.
      readRevisions: async () => (isAway ? Promise.reject(new Error("away")) : changes.readRevisions()),
    };
    const followed = { changes: feed, keys, followsPublications: true };
    const events = { onReset: () => {}, onFailure: () => {}, onRecovery: () => {} };
    follower = new StoreFollower(followed, { ...events, onUpdate: (update) => updates.push(update) }, timer.start);
    await follower.start();
  });
  afterEach(async () => {
    follower.stop();
    await database.drop();
  });

  test("polls often enough that one poll a second can fail, and reads every change in each poll", async () => {
    const key = await createKey(database.store, "acme");
    await publish(database.store, "acme", [{ _id: "a", name: "A" }]);
    const pauses = [await timer.pass(), await timer.pass(), await timer.pass()];
    expect(Math.max(...pauses)).toBeLessThanOrEqual(PROMISED_MS / 2);
    expect(updates.flatMap(({ keys }) => keys.map(({ lastFour }) => lastFour))).toEqual([key.slice(-4)]);
    expect(updates.flatMap(({ publications }) => publications)).toHaveLength(1);
    await publish(database.store, "acme", [{ _id: "b", name: "B" }]);
    await timer.pass();
    expect(updates.flatMap(({ publications }) => publications)).toHaveLength(2);
  });

  test("polls an unavailable store often enough to notice its return in time", async () => {
    isAway = true;
    // The first pause began before.
    await timer.pass();
    const pauses: number[] = [];
    for (let look = 0; look < 50; look++) pauses.push(await timer.pass());
    expect(follower.isCurrent).toBe(false);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(PROMISED_MS / 2);
    expect(Math.min(...pauses)).toBeGreaterThan(0);
    isAway = false;
    await publish(database.store, "acme", [{ _id: "a", name: "A" }]);
    await timer.pass();
    expect([follower.isCurrent, updates.flatMap(({ publications }) => publications).length]).toEqual([true, 1]);
  });
});
