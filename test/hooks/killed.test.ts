// Two servers as processes, one of which is killed while it delivers.
import { expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { startServing } from "../support/command.ts";
import { waitFor } from "../support/server.ts";
import { openTestStore } from "../support/store.ts";
import { createHook, getHook, isIdle, listDelivered, startReceiver } from "./receiver.ts";

test("a server killed during a delivery is replaced by another: no event is lost or out of order", async () => {
  const database = await openTestStore();
  const receiver = startReceiver();
  const { store } = database;
  const hook = await createHook(store, `${receiver.url}/hook`);
  const env = { LECTERN_DATABASE: database.url };
  const first = await startServing(["serve"], { env });
  await publish(store, "acme", [{ _id: "a", name: "A" }]);
  await waitFor(async () => (await getHook(store, hook.id)).lastPublication > 0);
  receiver.replies.set("/hook", ["hang"]);
  await publish(store, "acme", [{ _id: "a", name: "B" }]);
  await waitFor(() => receiver.received.length === 2);
  const second = await startServing(["serve"], { env });
  first.kill("SIGKILL");
  await first.exited;
  // What the database does by itself half a minute later.
  await database.execute("update hooks set claimed_until = '2000-01-01T00:00:00.000Z'");
  await publish(store, "acme", [{ _id: "a", name: "C" }]);
  await waitFor(() => isIdle(store, hook.id));
  expect(listDelivered(receiver.received)).toEqual(["import 1", "import 2", "import 2", "import 3"]);
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(ids[1]).toBe(ids[2] ?? "");
  expect(new Set(ids).size).toBe(3);
  const metrics = await (await fetch(`${second.adminUrl}/metrics`)).text();
  expect(metrics).toContain('lectern_hook_attempts_total{result="delivered"} 2\n');
  second.kill();
  expect(await second.exited).toBe(0);
  await receiver.stop();
  await database.drop();
});
