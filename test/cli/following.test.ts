// How soon a server notices changes, counted in polls of the store and pauses between them: the test is the clock.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Revisions } from "../../src/catalog/store.ts";
import { StoreFollower, type FollowerEvents, type StartTimer } from "../../src/following/follow-store.ts";
import { addUpdate, type StateUpdate } from "../../src/following/served-state.ts";
import { importNdjson, publish } from "../support/catalog.ts";
import { restoreState, saveState } from "../support/saved-state.ts";
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
    next = undefined;
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
  let isDamaged = false;
  let failureFault: Error | undefined;
  let known: StateUpdate;
  const resets: Revisions[] = [];
  const updates: StateUpdate[] = [];

  beforeEach(async () => {
    database = await openTestStore(engine);
    const { changes, keys } = database.store;
    updates.length = 0;
    resets.length = 0;
    isAway = false;
    isDamaged = false;
    failureFault = undefined;
    known = { keys: [], publications: [], replacesKeys: false, replacesPublications: false };
    timer = createTimer();
    const feed = {
      ...changes,
      reconnect: () => {},
      // Like a database that refuses connections.
      readRevisions: async () => (isAway ? Promise.reject(new Error("away")) : changes.readRevisions()),
      publicationsSince: async (id: number) =>
        isDamaged ? Promise.reject(new Error("damaged")) : changes.publicationsSince(id),
    };
    const followed = { changes: feed, keys, followsPublications: true };
    const events: FollowerEvents = {
      onUpdate(update) {
        updates.push(update);
        known = addUpdate(known, update);
      },
      onReset: (_, now) => resets.push(now),
      onFailure() {
        if (failureFault !== undefined) throw failureFault;
      },
      onRecovery: () => {},
    };
    follower = new StoreFollower(followed, events, timer.start);
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

  const listKnown = () => ({
    keys: known.keys.filter(({ revokedAt }) => revokedAt === undefined).map(({ lastFour }) => lastFour),
    channels: known.publications.map(({ channel, release }) => `${channel} ${release?.number}`),
  });

  test("learns of a revoked key while publications cannot be read, and of those once they can", async () => {
    const { store } = database;
    await publish(store, "acme", [{ _id: "a", name: "A" }]);
    const [key, revoked] = [await createKey(store, "acme"), await createKey(store, "acme")];
    await timer.pass();
    const lastFours = [key, revoked].map((each) => each.slice(-4));
    expect(listKnown()).toEqual({ keys: lastFours, channels: ["live 1"] });
    isDamaged = true;
    const found = (await store.keys.listKeys("acme")).find(({ lastFour }) => lastFour === revoked.slice(-4));
    await store.keys.revokeKey(found?.id ?? "", new Date().toISOString());
    await publish(store, "acme", [{ _id: "b", name: "B" }]);
    await timer.pass();
    expect(listKnown()).toEqual({ keys: [key.slice(-4)], channels: ["live 1"] });
    expect(follower.isCurrent).toBe(false);
    const before = updates.length;
    await timer.pass();
    expect(updates).toHaveLength(before);
    isDamaged = false;
    await timer.pass();
    expect(listKnown()).toEqual({ keys: [key.slice(-4)], channels: ["live 2"] });
    expect([follower.isCurrent, resets]).toEqual([true, []]);
  });

  test("replaces all keys, then all publications, of a store that was restored while publications cannot be read", async () => {
    const { store } = database;
    await publish(store, "acme", [{ _id: "a", name: "A" }]);
    const key = await createKey(store, "acme");
    await saveState(database);
    const withdrawn = await createKey(store, "acme");
    await importNdjson(store, "acme", JSON.stringify({ _id: "b", name: "B" }), undefined, { channel: "pr-1" });
    await timer.pass();
    expect(listKnown()).toEqual({
      keys: [key, withdrawn].map((each) => each.slice(-4)),
      channels: ["live 1", "pr-1 2"],
    });
    isDamaged = true;
    await restoreState(database);
    for (let poll = 0; poll < 3; poll++) {
      await timer.pass();
      expect(listKnown()).toEqual({ keys: [key.slice(-4)], channels: ["live 1", "pr-1 2"] });
    }
    isDamaged = false;
    await timer.pass();
    expect(listKnown()).toEqual({ keys: [key.slice(-4)], channels: ["live 1"] });
    expect([follower.isCurrent, resets.length]).toEqual([true, 1]);
  });

  test("polls on after a failure whose handling fails", async () => {
    isAway = true;
    await timer.pass();
    failureFault = new Error("cannot reconnect");
    await timer.pass().catch((error: unknown) => expect(error).toBe(failureFault));
    failureFault = undefined;
    isAway = false;
    await publish(database.store, "acme", [{ _id: "a", name: "A" }]);
    await timer.pass();
    expect([follower.isCurrent, updates.flatMap(({ publications }) => publications).length]).toEqual([true, 1]);
  });
});
