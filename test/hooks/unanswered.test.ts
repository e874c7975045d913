// Calls that the database never answers, as when their connection is replaced: a deliverer goes on without the answers.
import { afterAll, beforeEach, expect, test } from "bun:test";
import type { Outbox } from "../../src/hooks/hook.ts";
import { publish } from "../support/catalog.ts";
import { renewStore } from "../support/shared-store.ts";
import { createHook, getHook, isIdle, listDelivered, startDeliverer, startReceiver, TestClock } from "./receiver.ts";

const database = renewStore();
const receiver = startReceiver();
beforeEach(() => void (receiver.received.length = 0));
afterAll(() => receiver.stop());

test.each<keyof Outbox>(["countTroubled", "listWaiting", "claimEvent", "recordAttempt"])(
  "webhooks receive all publications after %s was not answered once",
  async (name) => {
    const { store } = database;
    const clock = new TestClock();
    let unanswered = 0;
    const call = store.hooks[name] as (...given: unknown[]) => Promise<unknown>;
    const callOnce = async (...given: unknown[]): Promise<unknown> => {
      if (unanswered > 0) return call(...given);
      unanswered++;
      // An attempt is recorded, and the answer is lost; a claim would last for half a minute of the database's time.
      if (name === "recordAttempt") await call(...given);
      // The clock does not wait for this call.
      clock.asked--;
      return new Promise(() => {});
    };
    const { id } = await createHook(store, receiver.url);
    await publish(store, "acme", [{ _id: "a", name: "A" }]);
    const { deliverer } = startDeliverer({ ...store, hooks: { ...store.hooks, [name]: callOnce } }, clock);
    await clock.until(async () => (await getHook(store, id)).lastPublication > 0);
    await publish(store, "acme", [{ _id: "b", name: "B" }]);
    deliverer.wake();
    await clock.until(() => isIdle(store, id));
    expect([unanswered, listDelivered(receiver.received)]).toEqual([1, ["import 1", "import 2"]]);
    await deliverer.stop();
  },
);
