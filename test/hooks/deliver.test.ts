// Deliveries and their times: a deliverer on a real store, real requests to a real receiver, a clock that the test moves.
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import type { Outbox } from "../../src/hooks/hook.ts";
import { deleteChannel, publishExisting, rollBack } from "../../src/publishing/publish.ts";
import { importNdjson, publish } from "../support/catalog.ts";
import { createAsk, publishingAt } from "../support/in-process.ts";
import { dataOf } from "../support/answers.ts";
import { createKey, waitFor } from "../support/server.ts";
import { renewStore } from "../support/shared-store.ts";
import { anyEngine, engines } from "../support/store.ts";
import { createHook, getHook, isIdle, listDelivered, startDeliverer, startReceiver, TestClock } from "./receiver.ts";
import type { TestDeliverer } from "./receiver.ts";

const HOUR_MS = 3_600_000;
const course = (name: string) => ({ _id: "a", slug: name.toLowerCase(), name });

describe.each(engines)("webhooks on $name", (engine) => {
  const running: TestDeliverer[] = [];
  afterEach(async () => {
    receiver.letGo();
    receiver.received.length = 0;
    receiver.replies.clear();
    for (const { deliverer } of running.splice(0)) await deliverer.stop();
  });
  const database = renewStore(engine);
  const clock = new TestClock();
  const receiver = startReceiver(() => clock.nowMs);
  afterAll(() => receiver.stop());
  const start = (store = database.store, random?: () => number) => {
    const deliverer = startDeliverer(store, clock, random);
    running.push(deliverer);
    return deliverer;
  };
  /** A publication, as servers hear of it. */
  const publishNext = async (name: string): Promise<void> => {
    await publish(database.store, "acme", [course(name)], new Date(clock.nowMs++).toISOString());
    for (const { deliverer } of running) deliverer.wake();
  };
  const at = () => publishingAt(database.store, "acme", new Date(clock.nowMs++).toISOString());
  const untilReceived = (n: number) => clock.until(() => receiver.received.length >= n);
  const untilIdle = (id: string) => clock.until(() => isIdle(database.store, id));
  const listPauses = (): number[] => {
    const times = receiver.received.map(({ atMs }) => atMs);
    return times.slice(1).map((time, index) => time - (times[index] ?? 0));
  };

  test("receive each publication of their channel in order, with the numbers of /releases", async () => {
    const { store } = database;
    await publishNext("Before");
    const hook = await createHook(store, `${receiver.url}/hook`);
    await createHook(store, `${receiver.url}/preview`, { channel: "pr-1" });
    await createHook(store, `${receiver.url}/other`, { project: "other" });
    await publishNext("One");
    await rollBack(at(), "live", undefined);
    await publishExisting(at(), 2, "live");
    const draft = { _id: "d", name: "D", published: false, chapters: [{ name: "C", lessons: [{ name: "L" }] }] };
    await publish(store, "acme", [course("One"), draft], at().now().toISOString());
    for (let time = 0; time < 2; time++)
      await importNdjson(store, "acme", JSON.stringify(course("Two")), at().now().toISOString(), { channel: "pr-1" });
    const ask = createAsk({ store });
    const key = await createKey(store, "acme", { drafts: true });
    const { results } = dataOf(await ask("/releases", key));
    await deleteChannel(at(), "live");
    start();
    await untilReceived(6);
    await untilIdle(hook.id);

    const told = receiver.received.filter(({ path }) => path === "/hook");
    expect(listDelivered(told)).toEqual(["import 2", "rollback 1", "publish 2", "import 3", "delete"]);
    const events = told.map(({ body }) => JSON.parse(body) as { timestamp: string; data: Record<string, unknown> });
    expect(events.map(({ data }) => data.before)).toEqual([1, 2, 1, 2, 3]);
    const { publishedAt, ...release } = results[0] as unknown as { publishedAt: string };
    const changed = { coursesChanged: 0, coursesRemoved: 0, lessonsChanged: 0, lessonsRemoved: 0 };
    const changes = { coursesAdded: 1, lessonsAdded: 1, ...changed };
    expect(events[3]).toEqual({
      type: "catalog.published",
      timestamp: publishedAt,
      data: { project: "acme", channel: "live", action: "import", release, before: 2, changes },
    } as never);
    expect(release).toEqual({ number: 3, courses: 1, drafts: 1, lessons: 1 } as never);
    expect(events.map(({ data }) => data.changes === null)).toEqual([false, true, true, false, true]);
    // The first of a preview; what another import of the same changes is nothing.
    const [preview, ...more] = receiver.received.filter(({ path }) => path !== "/hook");
    expect(preview?.body).toContain('"channel":"pr-1","action":"import"');
    expect(preview?.body).toContain('"before":null,"changes":null');
    expect([preview?.path, more]).toEqual(["/preview", []]);
  });

  test("receive each event once from several servers, and from another at once when the delivering server stops", async () => {
    const hook = await createHook(database.store, `${receiver.url}/hook`);
    const [first] = [start(), start(), start()];
    for (const name of ["One", "Two", "Three"]) await publishNext(name);
    await untilIdle(hook.id);
    expect(listDelivered(receiver.received)).toEqual(["import 1", "import 2", "import 3"]);
    await first.deliverer.stop();
    await publishNext("Four");
    await untilReceived(4);
    expect(listDelivered(receiver.received)).toHaveLength(4);
  });

  test("receive nothing from a server that lost its claim, even if it still records an attempt", async () => {
    const hook = await createHook(database.store, `${receiver.url}/hook`);
    receiver.replies.set("/hook", ["hang"]);
    const first = start();
    await publishNext("One");
    await untilReceived(1);
    // As if it had been suspended until the claim was over.
    await database.execute("update hooks set claimed_until = '2000-01-01T00:00:00.000Z'");
    start();
    await untilReceived(2);
    await untilIdle(hook.id);
    receiver.letGo();
    await first.deliverer.stop();
    await publishNext("Two");
    await untilIdle(hook.id);
    expect(listDelivered(receiver.received)).toEqual(["import 1", "import 1", "import 2"]);
  });

  test("receive events after a claim ends, even one from a clock that was ahead", async () => {
    const { hooks } = database.store;
    const { id, ...hook } = await createHook(database.store, `${receiver.url}/hook`);
    await publishNext("One");
    expect(await hooks.claimEvent("first", id)).toBeDefined();
    expect(await hooks.claimEvent("second", id)).toBeUndefined();
    for (const [holder, end] of [
      ["second", "2000-01-01T00:00:00.000Z"],
      ["third", "2099-01-01T00:00:00.000Z"],
    ] as const) {
      await database.execute(`update hooks set claimed_until = '${end}'`);
      expect(await hooks.claimEvent(holder, id)).toBeDefined();
      expect(await hooks.claimEvent("first", id)).toBeUndefined();
      expect(await hooks.recordAttempt("first", { id, ...hook }, { ...hook, lastPublication: 1 })).toBe(false);
    }
  });

  // A receiver and the times of retries do not depend on the database.
  if (engine !== anyEngine) return;

  test("get a retry before the next event if they answer 500, hang, redirect, disconnect or never finish", async () => {
    const hook = await createHook(database.store, `${receiver.url}/hook`);
    receiver.replies.set("/hook", [500, "hang", "redirect", 204, "endless"]);
    const faults: (string | undefined)[] = [];
    const { store } = database;
    const recordAttempt: Outbox["recordAttempt"] = async (holder, of, progress) => {
      faults.push(progress.lastFault);
      return store.hooks.recordAttempt(holder, of, progress);
    };
    const { deliverer } = start({ ...store, hooks: { ...store.hooks, recordAttempt } });
    await publishNext("One");
    await publishNext("Two");
    await untilReceived(2);
    clock.timeOut();
    await untilIdle(hook.id);
    expect(listDelivered(receiver.received)).toEqual(["import 1", "import 1", "import 1", "import 1", "import 2"]);
    expect(new Set(receiver.received.slice(0, 4).map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(receiver.received.map(({ path }) => path)).not.toContain("/elsewhere");
    const told = ["500, not a 2xx status", "no answer within 15 s", "307, redirects are not followed"];
    expect(faults).toEqual([...told, undefined, undefined]);
    const counted = Object.entries(deliverer.readGauges()).filter(([name]) => name.includes("attempts_total"));
    expect(counted.map(([, attempts]) => attempts)).toEqual([2, 3]);
  });

  test.each<keyof Outbox>(["countTroubled", "listWaiting", "claimEvent", "recordAttempt"])(
    "receive all publications after the database never answered %s, as when its connection is replaced",
    async (name) => {
      const { store } = database;
      let unanswered = 0;
      const call = store.hooks[name] as (...given: unknown[]) => Promise<unknown>;
      const callOnce = async (...given: unknown[]): Promise<unknown> => {
        if (unanswered++ > 0) return call(...given);
        // An attempt is recorded, and the answer is lost; a claim would last for half a minute of the database's time.
        if (name === "recordAttempt") await call(...given);
        // The clock does not wait for this call.
        clock.asked--;
        return new Promise(() => {});
      };
      const { id } = await createHook(store, receiver.url);
      await publishNext("One");
      start({ ...store, hooks: { ...store.hooks, [name]: callOnce } });
      await clock.until(async () => (await getHook(store, id)).lastPublication > 0);
      await publishNext("Two");
      await untilIdle(id);
      expect([unanswered > 0, listDelivered(receiver.received)]).toEqual([true, ["import 1", "import 2"]]);
    },
  );

  test("are retried after 1, 2, 4 s, doubling to an hour, paused after a day, and get all missed events when resumed", async () => {
    const { hooks } = database.store;
    const hook = await createHook(database.store, `${receiver.url}/hook`);
    receiver.replies.set("/hook", Array<number>(100).fill(503));
    const { deliverer, log } = start(database.store, Math.random);
    await publishNext("One");
    await publishNext("Two");
    await untilIdle(hook.id);
    const pauses = listPauses();
    // Polling for due hooks adds up to a quarter.
    const isExpected = (pause: number, index: number): boolean => {
      const ratio = pause / Math.min(HOUR_MS, 1000 * 2 ** index);
      return ratio >= 0.75 && ratio <= 1.25 * 1.25;
    };
    expect(pauses.filter((pause, index) => !isExpected(pause, index))).toEqual([]);
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThanOrEqual(24 * HOUR_MS);
    expect(new Set(listDelivered(receiver.received))).toEqual(new Set(["import 1"]));
    expect((await getHook(database.store, hook.id)).pauseReason).toBe("failed for a day");
    await clock.until(() => deliverer.readGauges().lectern_hooks_paused === 1);
    expect(log()).toContain("a webhook is paused");

    receiver.received.length = 0;
    receiver.replies.clear();
    await hooks.resumeHook(hook.id, false);
    deliverer.wake();
    await untilIdle(hook.id);
    expect(listDelivered(receiver.received)).toEqual(["import 1", "import 2"]);
    await clock.until(() => deliverer.readGauges().lectern_hooks_paused === 0);
    // Even if a clock was ahead.
    const from = (clock.nowMs -= 24 * HOUR_MS);
    await database.execute("update hooks set paused_at = '2026-11-21T00:00:00.000Z'");
    deliverer.wake();
    await clock.until(() => deliverer.readGauges().lectern_hooks_paused === 1);
    expect(clock.nowMs - from).toBeLessThan(HOUR_MS);
  });

  test("do not delay others when they hang or fail", async () => {
    const { store } = database;
    for (let index = 0; index < 40; index++) await createHook(store, `${receiver.url}/failing`);
    receiver.replies.set("/failing", Array<number>(1000).fill(500));
    start();
    await publishNext("One");
    await untilReceived(40);
    await waitFor(async () => (await store.hooks.countTroubled()).failing === 40);
    receiver.replies.set("/failing", Array<"hang">(1000).fill("hang"));
    const good = await createHook(store, `${receiver.url}/good`);
    const before = receiver.received.length;
    await untilReceived(before + 16);
    await publishNext("Two");
    await waitFor(() => receiver.received.some(({ path }) => path === "/good"));
    expect(receiver.received).toHaveLength(before + 16 + 1);
    await waitFor(async () => (await getHook(store, good.id)).lastPublication > 0);
  });

  test("take turns when others hold all places but one: none gets its next event before another gets its first", async () => {
    const { store } = database;
    receiver.replies.set("/held", Array<"hang">(31).fill("hang"));
    for (let index = 0; index < 31; index++) await createHook(store, `${receiver.url}/held`);
    for (const id of ["x1", "x2"]) await createHook(store, `${receiver.url}/${id}`, { id: `${id} of ${engine.name}` });
    for (const name of ["One", "Two", "Three"]) await publishNext(name);
    start();
    const listServed = () => receiver.received.map(({ path }) => path).filter((path) => path !== "/held");
    await waitFor(() => listServed().length === 6);
    expect(listServed().slice(0, 2).sort()).toEqual(["/x1", "/x2"]);
  });

  test("are retried at most an hour and a quarter after a failure, even if a clock was ahead", async () => {
    const hook = await createHook(database.store, `${receiver.url}/hook`);
    receiver.replies.set("/hook", [500, 500]);
    start();
    await publishNext("One");
    await untilReceived(1);
    await clock.until(async () => (await getHook(database.store, hook.id)).failures === 1);
    await database.execute(
      "update hooks set next_attempt_at = '2099-01-01T00:00:00.000Z', failing_since = '2098-12-31T00:00:00.000Z'",
    );
    await untilReceived(2);
    await untilIdle(hook.id);
    expect(listPauses()[0]).toBeLessThanOrEqual(1.25 * HOUR_MS);
    const second = clock.nowMs;
    // A receiver that fails is given up after a day from now, not after one from then.
    receiver.replies.set("/hook", Array<number>(200).fill(500));
    await publishNext("Two");
    await clock.until(async () => (await getHook(database.store, hook.id)).failures === 1);
    await database.execute("update hooks set failing_since = '2098-12-31T00:00:00.000Z'");
    await untilIdle(hook.id);
    expect((await getHook(database.store, hook.id)).pauseReason).toBe("failed for a day");
    expect(clock.nowMs - second).toBeLessThan(30 * HOUR_MS);
  });

  test("are retried if a clock was ahead, though as many others fail as a server looks at together", async () => {
    for (let index = 0; index < 64; index++) await createHook(database.store, "http://127.0.0.1:1/down");
    await createHook(database.store, `${receiver.url}/hook`);
    await publishNext("One");
    const ahead = "failures = 1, next_attempt_at = '2099-01-01T00:00:00.000Z'";
    await database.execute(`update hooks set ${ahead} where url like '%/hook'`);
    const from = clock.nowMs;
    start();
    await untilReceived(1);
    expect(clock.nowMs - from).toBeLessThan(HOUR_MS);
  });

  test("are given up after a day from now if a clock was behind at their first failure", async () => {
    const hook = await createHook(database.store, `${receiver.url}/hook`);
    receiver.replies.set("/hook", Array<number>(200).fill(500));
    start();
    await publishNext("One");
    await clock.until(async () => (await getHook(database.store, hook.id)).failures === 1);
    const first = clock.nowMs;
    await database.execute("update hooks set failing_since = '1970-01-01T00:00:00.000Z'");
    await untilIdle(hook.id);
    expect((await getHook(database.store, hook.id)).pauseReason).toBe("failed for a day");
    expect(clock.nowMs - first).toBeGreaterThan(24 * HOUR_MS);
  });

  test("that send Retry-After are retried then, not before their normal time, and after at most an hour", async () => {
    const hook = await createHook(database.store, `${receiver.url}/hook`);
    const date = new Date(clock.nowMs + 600_000).toUTCString();
    receiver.replies.set("/hook", [
      { status: 429, retryAfter: "120" },
      { status: 503, retryAfter: date },
      { status: 503, retryAfter: "1" },
      { status: 503, retryAfter: "9".repeat(400) },
      { status: 500, retryAfter: "600" },
      { status: 503, retryAfter: "soon" },
    ]);
    start();
    await publishNext("One");
    await untilIdle(hook.id);
    const pauses = listPauses();
    pauses[1] = (receiver.received[2]?.atMs ?? 0) - Date.parse(date) + 600_000;
    const expected = [120, 600, 4, 3600, 16, 32];
    expect(pauses).toHaveLength(expected.length);
    const ratios = pauses.map((pause, index) => pause / (expected[index] ?? 0) / 1000);
    // Polling for due hooks adds up to a quarter.
    expect(ratios.filter((ratio) => !(ratio >= 1 && ratio <= 1.25))).toEqual([]);
  });
});
