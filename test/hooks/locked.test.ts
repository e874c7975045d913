// PostgreSQL locks rows: a publication that is being committed, and whoever holds the row of a hook, keep nothing else waiting.
import { SQL, type ReservedSQL } from "bun";
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { startServing } from "../support/command.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { renewStore } from "../support/shared-store.ts";
import { postgres } from "../support/store.ts";
import { createHook, getHook, isIdle, listDelivered, startDeliverer, startReceiver, TestClock } from "./receiver.ts";

const HOOKS = 8;
const course = (name: string) => ({ _id: "a", slug: name.toLowerCase(), name });

const database = renewStore(postgres);
const receiver = startReceiver();
let other: SQL;
beforeEach(() => {
  other = new SQL(database.url, { max: 1 });
  receiver.received.length = 0;
});
afterEach(() => other.close());
afterAll(() => receiver.stop());

/** Statements of this database that wait for a lock. */
async function countWaiting(session: ReservedSQL): Promise<number> {
  const [row] = await session<{ waiting: number }[]>`
    select count(distinct pid)::int as waiting from pg_locks
    where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`;
  return row?.waiting ?? 0;
}

test("a webhook created while a publication commits receives it, and servers notice the pending event", async () => {
  const { store } = database;
  await publish(store, "acme", [course("One")]);
  const session = await other.reserve();
  await session`begin`;
  // The last table that a publication writes to: everything else is written then, and nothing is committed. Imports read it, too.
  await session`lock table former_slugs in exclusive mode`;
  const publishing = publish(store, "acme", [course("Two")]);
  await waitFor(async () => (await countWaiting(session)) === 1);
  const making = createHook(store, `${receiver.url}/hook`);
  await waitFor(async () => Bun.peek.status(making) !== "pending" || (await countWaiting(session)) === 2);
  const seen = await store.changes.readRevisions();
  await session`commit`;
  await publishing;
  const { id } = await making;
  expect((await store.changes.readRevisions()).publications).toBeGreaterThan(seen.publications + 1);
  const hook = await getHook(store, id);
  expect(hook.newestPublication).toBeGreaterThan(hook.lastPublication);
  const clock = new TestClock();
  const { deliverer } = startDeliverer(store, clock);
  await clock.until(() => isIdle(store, id));
  await publish(store, "acme", [course("Three")]);
  deliverer.wake();
  await clock.until(() => isIdle(store, id));
  expect(listDelivered(receiver.received)).toEqual(["import 2", "import 3"]);
  await deliverer.stop();
  await session.release();
});

test("a server with workers serves on while another process locks rows of webhooks and keys", async () => {
  const { store } = database;
  await publish(store, "acme", [course("One"), { _id: "b", name: "B" }, { _id: "c", name: "C" }]);
  const key = await createKey(store, "acme");
  const hooks = await Promise.all(
    Array.from({ length: HOOKS }, (_, index) => createHook(store, `${receiver.url}/hook-${index}`)),
  );
  const env = { LECTERN_DATABASE: database.url };
  const server = await startServing(["serve", "--workers", "2"], { env });
  for (const [index] of hooks.entries()) receiver.replies.set(`/hook-${index}`, ["hang"]);
  await publish(store, "acme", [course("Two"), { _id: "b", name: "B" }, { _id: "c", name: "C" }]);
  await waitFor(() => receiver.received.length === HOOKS);
  const session = await other.reserve();
  await session`begin`;
  await session`select id from hooks for update`;
  await session`select id from keys for update`;
  receiver.letGo();
  await waitFor(async () => (await countWaiting(session)) > 0);

  const fresh = await createKey(store, "acme");
  const ask = async (path: string, secret: string) =>
    (await send(server.url, `/api/v1/courses/${path}`, { key: secret })).status;
  await waitFor(async () => (await ask("a", fresh)) === 200);
  await publish(store, "other", [course("Three")]);
  expect([await ask("b", key), await ask("c", key), await ask("none", key)]).toEqual([200, 200, 404]);
  expect((await fetch(`${server.adminUrl}/ready`)).status).toBe(200);
  await session`commit`;
  await session.release();
  for (const { id } of hooks) await waitFor(() => isIdle(store, id));
  expect(server.stderr()).not.toContain("cannot read");
  expect(receiver.received).toHaveLength(HOOKS);
  server.kill();
  expect(await server.exited).toBe(0);
});
