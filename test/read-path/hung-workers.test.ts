// Workers that run and do nothing: `kill -STOP` makes them.
import { afterEach, describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import type { Heartbeat } from "../../src/serving/run-worker.ts";
import { publish } from "../support/catalog.ts";
import { startServing, type RunningCommand } from "../support/command.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { readMetrics } from "./metrics.ts";
import { isRunning, killChildren, listChildren, listClientPorts, openToEach, readCommandLine } from "./processes.ts";

const MIN_START_MS = 250;
/**
 * So quick that a test can wait for it, so slow that a worker that waits for a processor is not taken for hung: measured by
 * how long a server and its workers take to start just now.
 */
const judgeHeartbeat = (startMs: number): Heartbeat => ({
  intervalMs: Math.ceil(Math.max(MIN_START_MS, startMs) / 25),
  quietBeats: 50,
  hungBeats: 70,
});
const MAIN = fileURLToPath(new URL("serve-with-heartbeat.ts", import.meta.url));

describe("a worker that hangs", () => {
  let key: string;
  let server: RunningCommand | undefined;
  /** How long the last start took; the first test measures it. */
  let startMs = 1000;
  const database = useTestStore(undefined, async () => {
    await publish(database.store, "acme", [{ _id: "a", slug: "a", name: "A" }]);
    key = await createKey(database.store, "acme");
  });
  afterEach(async () => {
    if (server !== undefined) killChildren(server.pid);
    server?.kill("SIGKILL");
    await server?.exited;
    server = undefined;
  });

  const serve = async (heartbeat: Heartbeat): Promise<RunningCommand> => {
    const env = { LECTERN_DATABASE: database.url, LECTERN_TEST_HEARTBEAT: JSON.stringify(heartbeat) };
    const startedAt = performance.now();
    server = await startServing(["--workers", "2", "--search", "off", "--explorer", "off"], { env, main: MAIN });
    startMs = performance.now() - startedAt;
    return server;
  };
  const countReplaced = async ({ adminUrl }: RunningCommand) => {
    const { sum } = await readMetrics(adminUrl);
    const [hung, ended] = ["hung", "ended"].map((reason) => sum("lectern_workers_replaced_total", { reason }));
    return { hung, ended, serving: sum("lectern_workers") };
  };
  const listLines = ({ stderr }: RunningCommand, text: string): string[] =>
    stderr().match(new RegExp(`.*${text}.*`, "g")) ?? [];

  test("is reported by /ready before it is killed; if all hang, the server is not ready", async () => {
    const running = await serve({ intervalMs: 15, quietBeats: 50, hungBeats: 1_000_000 });
    const untilReady = (expected: string) =>
      waitFor(async () => {
        const { status, text } = await send(running.adminUrl, "/ready");
        return `${status} ${text}` === expected;
      });
    const [first = 0, second = 0] = listChildren(running.pid);
    await untilReady("200 ready\n");
    process.kill(first, "SIGSTOP");
    await untilReady(`200 ready\nWorker ${first} does not answer.\n`);
    process.kill(second, "SIGSTOP");
    const both = [first, second].map((pid) => `Worker ${pid} does not answer.\n`).join("");
    await untilReady(`503 not ready\n${both}`);
    for (const pid of [first, second]) process.kill(pid, "SIGCONT");
    await untilReady("200 ready\n");
    expect(await countReplaced(running)).toEqual({ hung: 0, ended: 0, serving: 2 });
    expect(running.stderr()).not.toContain("hang");
  });

  test("is killed and replaced, even before it has served, but not after the machine slept; only its clients lose connections", async () => {
    const heartbeat = judgeHeartbeat(startMs);
    const running = await serve(heartbeat);
    const workers = listChildren(running.pid);
    const [stuck = 0, other = 0] = workers;
    // A machine that sleeps: nothing runs, for longer than a worker may be silent.
    for (const pid of [running.pid, ...workers]) process.kill(pid, "SIGSTOP");
    await Bun.sleep(heartbeat.intervalMs * (heartbeat.hungBeats + 20));
    // The supervisor wakes first: it must not judge before the others can have answered.
    for (const pid of [running.pid, ...workers]) process.kill(pid, "SIGCONT");
    const connections = await openToEach(running.url, workers, key);
    const lost = listClientPorts(stuck, Number(new URL(running.url).port));
    const closed = connections
      .filter(({ socket }) => lost.has(socket.localPort ?? 0))
      .map(({ socket }) => new Promise<void>((resolve) => socket.once("close", () => resolve())));
    process.kill(stuck, "SIGSTOP");
    await waitFor(() => listLines(running, "a new worker is serving").length > 0);
    const hung = listLines(running, "a worker hangs");
    expect(hung).toHaveLength(1);
    expect(hung[0]).toContain(`"pid":${stuck},"unansweredBeats":${heartbeat.hungBeats}`);
    expect(listLines(running, "a worker exited")).toEqual([]);
    expect(isRunning(stuck)).toBe(false);
    await Promise.all(closed);
    for (const connection of connections.filter(({ socket }) => !socket.destroyed)) {
      expect((await connection.ask("/api/v1/courses", { key })).status).toBe(200);
      connection.close();
    }
    expect(await countReplaced(running)).toEqual({ hung: 1, ended: 0, serving: 2 });

    // One that hangs before it has served, in the place of one that ended by itself.
    const joined = listChildren(running.pid).find((pid) => pid !== other);
    process.kill(other, "SIGKILL");
    let next: number | undefined;
    await waitFor(() => {
      // Until a child runs its own program, its parent waits for it: stopped before, it would stop the supervisor too.
      next = listChildren(running.pid).find(
        (pid) => pid !== joined && pid !== other && readCommandLine(pid).some((word) => word.endsWith("/worker.ts")),
      );
      return next !== undefined;
    });
    process.kill(next ?? 0, "SIGSTOP");
    await waitFor(() => listLines(running, "a new worker is serving").length === 2);
    expect(listLines(running, "a worker hangs")[1]).toContain(`"pid":${next},`);
    expect(listLines(running, "A worker hung before it could serve.")).toHaveLength(1);
    expect(await countReplaced(running)).toEqual({ hung: 2, ended: 1, serving: 2 });
  });
});
