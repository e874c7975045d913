// How soon a server notices changes, counted in polls of the store and pauses between them: the test is the clock.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { StoreFollower, type FollowerEvents } from "../../src/following/follow-store.ts";
import { addUpdate, type StateUpdate } from "../../src/following/served-state.ts";
import { importNdjson, publish } from "../support/catalog.ts";
import { restoreState, saveState } from "../support/saved-state.ts";
import { createKey } from "../support/server.ts";
import { renewStore } from "../support/shared-store.ts";
import { anyEngine } from "../support/store.ts";

/** The promise to publishers, and to operators who revoke keys. */
const PROMISED_MS = 1000;

const database = renewStore(anyEngine);
let follower: StoreFollower;
let pending: { work: () => Promise<void>; delayMs: number } | undefined;
let [isAway, isDamaged, cannotReconnect] = [false, false, false];
let known: StateUpdate;

beforeEach(async () => {
  const { changes, keys } = database.store;
  known = { keys: [], publications: [], replacesKeys: false, replacesPublications: false };
  const feed = {
    ...changes,
    reconnect: () => {},
    // Like a database that refuses connections.
    readRevisions: async () => (isAway ? Promise.reject(new Error("away")) : changes.readRevisions()),
    publicationsSince: async (id: number) =>
      isDamaged ? Promise.reject(new Error("damaged")) : changes.publicationsSince(id),
  };
  const events: FollowerEvents = {
    onUpdate: (update) => (known = addUpdate(known, update)),
    onReset: () => {},
    onFailure() {
      if (cannotReconnect) throw new Error("cannot reconnect");
    },
    onRecovery: () => {},
  };
  follower = new StoreFollower({ changes: feed, keys, followsPublications: true }, events, (work, delayMs) => {
    pending = { work, delayMs };
    return () => (pending = undefined);
  });
  await follower.start();
});
afterEach(() => follower.stop());

/** Ends the pause; returns its length. */
async function pass(): Promise<number> {
  if (pending === undefined) throw new Error("no pause is pending");
  const { work, delayMs } = pending;
  pending = undefined;
  await work();
  return delayMs;
}
const publishCourse = (id: string) => publish(database.store, "acme", [{ _id: id, name: id }]);
const expectKnown = (keys: string[], ...channels: string[]): void => {
  const valid = known.keys.filter(({ revokedAt }) => revokedAt === undefined).map(({ lastFour }) => lastFour);
  const shown = known.publications.map(({ channel, release }) => `${channel} ${release?.number}`);
  expect({ keys: valid, channels: shown }).toEqual({ keys: keys.map((key) => key.slice(-4)), channels });
};

test("a server polls often enough that one poll a second can fail, even an unavailable store", async () => {
  const pauses = [await pass(), await pass()];
  isAway = true;
  for (let look = 0; look < 50; look++) pauses.push(await pass());
  expect([follower.isCurrent, Math.min(...pauses) > 0]).toEqual([false, true]);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(PROMISED_MS / 2);
  cannotReconnect = true;
  await pass().catch((error: Error) => expect(error.message).toBe("cannot reconnect"));
  [isAway, cannotReconnect] = [false, false];
  await publishCourse("a");
  await pass();
  expectKnown([], "live 1");
  expect(follower.isCurrent).toBe(true);
});

test("a server learns of keys, also of a restored store's, while publications cannot be read, and of those then", async () => {
  const { store } = database;
  await publishCourse("a");
  const [key, revoked] = [await createKey(store, "acme"), await createKey(store, "acme")];
  await pass();
  expectKnown([key, revoked], "live 1");
  isDamaged = true;
  const found = (await store.keys.listKeys("acme")).find(({ lastFour }) => lastFour === revoked.slice(-4));
  await store.keys.revokeKey(found?.id ?? "", new Date().toISOString());
  await publishCourse("b");
  await pass();
  expectKnown([key], "live 1");
  expect(follower.isCurrent).toBe(false);
  isDamaged = false;
  await pass();
  expectKnown([key], "live 2");

  await saveState(database);
  const withdrawn = await createKey(store, "acme");
  await importNdjson(store, "acme", JSON.stringify({ _id: "b", name: "B" }), undefined, { channel: "pr-1" });
  await pass();
  expectKnown([key, withdrawn], "live 2", "pr-1 3");
  isDamaged = true;
  await restoreState(database);
  await pass();
  await pass();
  expectKnown([key], "live 2", "pr-1 3");
  isDamaged = false;
  await pass();
  expectKnown([key], "live 2");
  expect(follower.isCurrent).toBe(true);
});
