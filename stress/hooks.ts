// Kills servers repeatedly while they deliver to an unreliable receiver. Every event must arrive, in order, within the
// time of a claim and a retry.
import {
  createHook,
  getHook,
  listDelivered,
  startReceiver,
  type Receiver,
  type Reply,
} from "../test/hooks/receiver.ts";
import { publish } from "../test/support/catalog.ts";
import { startServing, type RunningCommand } from "../test/support/command.ts";
import { openTestStore, type Engine } from "../test/support/store.ts";
import type { Judgement } from "./judgement.ts";

const SERVERS = 3;
const HOOKS = 20;
const PUBLISH_MS = 1500;
const KILL_MS = 5000;
/** The time for the last killed server's claims to end, and for retries. */
const SETTLE_MS = 120_000;
/** The receiver's failures among every ten answers. */
const FAULTS: Reply[] = [500, "redirect", "endless", 429];

/** Delivers while servers are killed for some seconds, and reports whether all publications arrived. */
export async function deliverUnderKills(engine: Engine, seconds: number): Promise<Judgement[]> {
  const database = await openTestStore(engine);
  const { store } = database;
  const receiver = startReceiver();
  const paths = Array.from({ length: HOOKS }, (_, index) => `/hook-${index}`);
  const ids = new Map<string, string>();
  for (const path of paths) {
    ids.set(path, (await createHook(store, receiver.url + path)).id);
    const replies = Array.from({ length: 2000 }, () => (Math.random() < 0.4 ? pick(FAULTS) : 204));
    receiver.replies.set(path, replies);
  }
  const env = { LECTERN_DATABASE: database.url };
  const start = async (): Promise<RunningCommand> => startServing(["serve"], { env });
  const servers = await Promise.all(Array.from({ length: SERVERS }, start));
  let kills = 0;
  let published = 0;
  const endsAt = Date.now() + seconds * 1000;
  for (let killAt = Date.now() + KILL_MS; Date.now() < endsAt; await Bun.sleep(PUBLISH_MS)) {
    await publish(store, "acme", [{ _id: "a", name: `Edition ${++published}` }]);
    if (Date.now() < killAt) continue;
    killAt = Date.now() + KILL_MS;
    servers.shift()?.kill("SIGKILL");
    servers.push(await start());
    kills++;
  }
  const deadline = Date.now() + SETTLE_MS;
  const isDelivered = async (id: string): Promise<boolean> => {
    const { lastPublication, newestPublication } = await getHook(store, id);
    return lastPublication === newestPublication;
  };
  for (const id of ids.values()) while (!(await isDelivered(id)) && Date.now() < deadline) await Bun.sleep(100);
  const isHeld = paths.every((path) => hasAll(receiver, path, published));
  for (const server of servers) server.kill();
  await Promise.all(servers.map(async ({ exited }) => exited));
  const { length: requests } = receiver.received;
  await receiver.stop();
  await database.drop();
  const what = `${HOOKS} hooks, ${published} publications, ${kills} kills among ${SERVERS} servers, ${requests} requests`;
  return [{ isHeld, text: `${engine.name}: every event arrives, in order (${what})` }];
}

/** Returns true if a webhook received every event at least once and in order. */
export function hasAll({ received }: Receiver, path: string, published: number): boolean {
  const delivered = listDelivered(received.filter((each) => each.path === path));
  const inOrder = delivered.filter((event, index) => event !== delivered[index - 1]);
  return inOrder.join() === Array.from({ length: published }, (_, index) => `import ${index + 1}`).join();
}

function pick<T>(values: T[]): T {
  return values[Math.floor(Math.random() * values.length)] as T;
}
