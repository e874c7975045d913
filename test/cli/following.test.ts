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
  let [isAway, isDamaged] = [false, false];
  let failureFault: Error | undefined;
  let known: StateUpdate;
  let resets: Revisions[];
  let updates: StateUpdate[];

  beforeEach(async () => {
    database = await openTestStore(engine);
    const { changes, keys } = database.store;
    [updates, resets] = [[], []];
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
    follower = new StoreFollower({ changes: feed, keys, followsPublications: true }, events, timer.start);
    await follower.start();
  });
  afterEach(async () => {
    follower.stop();
    await database.drop();
  });

  const publishCourse = (id: string) => publish(database.store, "acme", [{ _id: id, name: id }]);
  const countPublications = (): number => updates.flatMap(({ publications }) => publications).length;
  const lastFours = (keys: string[]): string[] => keys.map((key) => key.slice(-4));
  const expectKnown = (keys: string[], ...channels: string[]): void => {
    const valid = known.keys.filter(({ revokedAt }) => revokedAt === undefined).map(({ lastFour }) => lastFour);
    const shown = known.publications.map(({ channel, release }) => `${channel} ${release?.number}`);
    expect({ keys: valid, channels: shown }).toEqual({ keys: lastFours(keys), channels });
  };

  test("polls often enough that one poll a second can fail, and reads every change in each poll", async () => {
    const key = await createKey(database.store, "acme");
    await publishCourse("a");
    const pauses = [await timer.pass(), await timer.pass(), await timer.pass()];
    expect(Math.max(...pauses)).toBeLessThanOrEqual(PROMISED_MS / 2);
    expect(updates.flatMap(({ keys }) => keys.map(({ lastFour }) => lastFour))).toEqual(lastFours([key]));
    expect(countPublications()).toBe(1);
    await publishCourse("b");
    await timer.pass();
    expect(countPublications()).toBe(2);
  });

  test("polls an unavailable store often enough to notice its return in time, even if a failure's handling fails", async () => {
    isAway = true;
    // The first pause began before.
    await timer.pass();
    const pauses: number[] = [];
    for (let look = 0; look < 50; look++) pauses.push(await timer.pass());
    expect(follower.isCurrent).toBe(false);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(PROMISED_MS / 2);
    expect(Math.min(...pauses)).toBeGreaterThan(0);
    failureFault = new Error("cannot reconnect");
    await timer.pass().catch((error: unknown) => expect(error).toBe(failureFault));
    failureFault = undefined;
    isAway = false;
    await publishCourse("a");
    await timer.pass();
    expect([follower.isCurrent, countPublications()]).toEqual([true, 1]);
  });

  test("learns of keys, also of a restored store's, while publications cannot be read, and of those once they can", async () => {
    const { store } = database;
    await publishCourse("a");
    const [key, revoked] = [await createKey(store, "acme"), await createKey(store, "acme")];
    await timer.pass();
    expectKnown([key, revoked], "live 1");
    isDamaged = true;
    const found = (await store.keys.listKeys("acme")).find(({ lastFour }) => lastFour === revoked.slice(-4));
    await store.keys.revokeKey(found?.id ?? "", new Date().toISOString());
    await publishCourse("b");
    await timer.pass();
    expectKnown([key], "live 1");
    expect(follower.isCurrent).toBe(false);
    const before = updates.length;
    await timer.pass();
    expect(updates).toHaveLength(before);
    isDamaged = false;
    await timer.pass();
    expectKnown([key], "live 2");
    expect([follower.isCurrent, resets]).toEqual([true, []]);

    await saveState(database);
    const withdrawn = await createKey(store, "acme");
    await importNdjson(store, "acme", JSON.stringify({ _id: "b", name: "B" }), undefined, { channel: "pr-1" });
    await timer.pass();
    expectKnown([key, withdrawn], "live 2", "pr-1 3");
    isDamaged = true;
    await restoreState(database);
    for (let poll = 0; poll < 3; poll++) {
      await timer.pass();
      expectKnown([key], "live 2", "pr-1 3");
    }
    isDamaged = false;
    await timer.pass();
    expectKnown([key], "live 2");
    expect([follower.isCurrent, resets.length]).toEqual([true, 1]);
  });
});
