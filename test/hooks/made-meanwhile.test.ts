// A hook that is made while something is being published. Only PostgreSQL lets two write at once.
import { SQL } from "bun";
import { expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { waitFor } from "../support/server.ts";
import { engines, openTestStore } from "../support/store.ts";
import { createHook, getHook, listTold, startDeliverer, startReceiver, TestClock } from "./receiver.ts";

test("a hook that is made during a publication is told of it at once or never, and of all later ones", async () => {
  const database = await openTestStore(engines.find(({ name }) => name === "postgres")!);
  const { store } = database;
  const receiver = startReceiver();
  const clock = new TestClock();
  await publish(store, "acme", [{ _id: "a", slug: "one", name: "A" }]);
  // Holds the publication after it has told the hooks, and before it ends.
  const other = new SQL(database.url, { max: 1 });
  const holding = await other.reserve();
  await holding`begin`;
  await holding`lock table former_slugs in access exclusive mode`;
  const published = publish(store, "acme", [{ _id: "a", slug: "two", name: "A" }]);
  const waiting = "select 1 from pg_locks where relation = 'former_slugs'::regclass and not granted";
  await waitFor(async () => (await database.execute(waiting)).length > 0);
  const made = createHook(store, `${receiver.url}/hook`);
  // It may have to wait for the publication.
  const counters = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%counters%'";
  const isMade = made.then(() => true);
  await waitFor(async () => Promise.race([isMade, database.execute(counters).then((rows) => rows.length > 0)]));
  await holding`commit`;
  await holding.release();
  await other.close();
  expect(await published).toBe(2);

  const { id } = await made;
  const { deliverer } = startDeliverer(store, clock);
  const untilIdle = () =>
    clock.until(async () => {
      const { lastPublication, newestPublication } = await getHook(store, id);
      return lastPublication === newestPublication;
    });
  await untilIdle();
  const atOnce = listTold(receiver.received);
  await publish(store, "acme", [{ _id: "a", slug: "three", name: "A" }]);
  deliverer.wake();
  await untilIdle();
  expect(listTold(receiver.received)).toEqual([...atOnce, "import 3"]);
  await deliverer.stop();
  await receiver.stop();
  await database.drop();
});
