// Workers that the system cannot start: their program is missing, as while an upgrade replaces it.
import { expect, test } from "bun:test";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { Supervisor } from "../../src/serving/supervise-workers.ts";
import { MAIN, startServing } from "../support/command.ts";
import { waitFor } from "../support/server.ts";
import { anyEngine, createTestFolder, openTestStore } from "../support/store.ts";
import { killChildren } from "./processes.ts";

test("are tried five times, then end the server with 1 and the reason", async () => {
  const folder = createTestFolder();
  const database = await openTestStore(anyEngine);
  const program = join(folder.path, "bun");
  copyFileSync(process.execPath, program);
  const running = await startServing(["serve", "--workers", "2"], {
    command: [program, MAIN],
    env: { LECTERN_DATABASE: database.url },
  });
  rmSync(program);
  killChildren(running.pid);
  expect(await running.exited).toBe(1);
  expect(running.stderr()).toMatch(
    /^lectern: Workers exit as soon as they start \(.*ENOENT.*\); giving up after \d attempts\.$/m,
  );
  await database.drop();
  folder.remove();
});

// The first worker serves all the time, so no number of failures ends the server.
test("are started once the system can, after six failures", async () => {
  const worker = [process.execPath, join(import.meta.dir, "idle-worker.ts")];
  // The second worker leaves.
  const missing = Array.from({ length: 6 }, () => [join(import.meta.dir, "missing")]);
  const commands = [worker, [...worker, "leaves"], ...missing, worker];
  const supervisor = new Supervisor({
    count: 2,
    get command() {
      return commands.shift() ?? [];
    },
    environment: {},
    heartbeat: { intervalMs: 1000, quietBeats: 1_000_000, hungBeats: 1_000_000 },
    port: 0,
    retryMs: 10,
    logger: pino({ enabled: false }),
  });
  const countServing = async () => (await supervisor.readMetrics())["lectern_workers"];
  await supervisor.start();
  expect(await countServing()).toBe(2);
  supervisor.handOn({ keys: [], publications: [], replacesKeys: false, replacesPublications: false });
  await waitFor(async () => (await countServing()) === 1);
  const failed = supervisor.failed.then(({ message }) => message);
  expect(await Promise.race([failed, waitFor(async () => (await countServing()) === 2)])).toBeUndefined();
  expect(commands).toEqual([]);
  await supervisor.stop();
});
