// Kills random processes of a server with two workers, including the supervisor, while readers request everything. No
// answer may be wrong, and each new server must answer. TEST_SEED repeats the choices.
import { startAsker } from "../test/read-path/connection.ts";
import { isRunning, listChildren, signal } from "../test/read-path/processes.ts";
import { publish } from "../test/support/catalog.ts";
import { startServing, type RunningCommand } from "../test/support/command.ts";
import { createRandom, readRandomSettings } from "../test/support/random.ts";
import { createKey, waitFor } from "../test/support/server.ts";
import { openTestStore, type Engine } from "../test/support/store.ts";
import { judgeAll, type Judgement } from "./judgement.ts";
import { createEdition, MixedLoad } from "./mixed-load.ts";

const ASKERS = 8;
const SUPERVISOR_ONE_IN = 4;

/** Kills this many processes. */
export async function killServers(engine: Engine, kills: number): Promise<Judgement> {
  const { seed } = readRandomSettings(0);
  const random = createRandom(seed);
  const database = await openTestStore(engine);
  const { store } = database;
  await publish(store, "acme", createEdition(1), new Date().toISOString());
  const load = new MixedLoad(createRandom(seed), await createKey(store, "acme"));
  const start = async (port = 0): Promise<RunningCommand> =>
    startServing(["serve", "--workers", "2"], { port, env: { LECTERN_DATABASE: database.url } });
  let server = await start();
  const port = Number(new URL(server.url).port);
  const askers = Array.from({ length: ASKERS }, () =>
    startAsker(
      server.url,
      () => load.next(),
      (answer, path) => load.check(answer, path),
      () => true,
    ),
  );
  const count = (): number => askers.reduce((sum, asker) => sum + asker.answers, 0);
  for (let round = 0; round < kills; round++) {
    await Bun.sleep(random.below(300));
    if (random.oneIn(3)) {
      await publish(store, "acme", createEdition(load.published + 1), new Date().toISOString());
      load.published++;
    }
    const workers = listChildren(server.pid);
    // Five workers that end within five seconds of their start make the supervisor give up.
    if (workers.length === 0 || random.oneIn(SUPERVISOR_ONE_IN)) {
      server.kill("SIGKILL");
      await server.exited;
      // New workers start while those of the previous server still drain.
      if (random.oneIn(2)) await waitFor(() => workers.every((pid) => !isRunning(pid)));
      server = await start(port);
    } else {
      signal(random.pick(workers), "SIGKILL");
    }
    const before = count();
    await waitFor(() => count() > before + ASKERS || !isRunning(server.pid));
  }
  await Promise.all(askers.map(async (asker) => asker.stop()));
  server.kill();
  await server.exited;
  const faults = askers.flatMap(({ failures }) => failures);
  await database.drop();
  const promise = `${engine.name}: ${kills} random kills of workers and servers, ${count()} answers, ${load.published} releases, all complete, seed ${seed}`;
  return judgeAll(promise, faults.slice(0, 10));
}
