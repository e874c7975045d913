// Several processes on one port: what clients see when one of them, or the one that watches them, ends. What processes do with
// ports and signals does not depend on the database; `test/serving/restored.test.ts` has a worker replaced after a restore.
import { afterEach, describe, expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { Supervisor } from "../../src/serving/supervise-workers.ts";
import { issueKey } from "../../src/keys/issue-key.ts";
import { publish } from "../support/catalog.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { isRefused, type Connection, type SentAnswer } from "./connection.ts";
import { readMetrics } from "./metrics.ts";
import { isRunning, killChildren, listChildren, listClientPorts, openToEach } from "./processes.ts";
import { startSlowReader } from "./slow-reader.ts";

const LONG_TEXT = "0123456789abcdef".repeat(500_000);
const LONG_LESSON = "/api/v1/courses/long/lessons/l";
const LESSON = "/api/v1/courses/a/lessons/l";

const createCourse = (id: string, edition: string, text = "") => {
  const lessons = [{ id: "l", name: `l ${edition}`, additionalText: text }];
  return { _id: id, slug: id, name: `${id} ${edition}`, chapters: [{ id: "c", name: "C", lessons }] };
};
const createCourses = (edition: string) => [
  createCourse("a", edition),
  createCourse("b", edition),
  createCourse("long", "long", LONG_TEXT),
];

const portOf = (url: string): number => Number(new URL(url).port);

describe("two workers", () => {
  let key: string;
  let server: RunningCommand | undefined;
  /** For tests that build on one another; the last one ends it. */
  let shared: RunningCommand;
  const opened: Connection[] = [];
  const startedAt = new Date().toISOString();

  const serve = (workers = "2") =>
    startServing(["serve", "--workers", workers], {
      // Keys that are not valid yet, or no longer, are tried until they are.
      env: { LECTERN_DATABASE: database.url, LECTERN_WRONG_KEY_LIMIT: "off" },
    });
  const endServer = async (running: RunningCommand | undefined): Promise<void> => {
    if (running !== undefined) killChildren(running.pid);
    running?.kill("SIGKILL");
    await running?.exited;
  };
  const database = useTestStore(undefined, async () => {
    await publish(database.store, "acme", createCourses("one"));
    key = await createKey(database.store, "acme");
    shared = await serve();
    return () => endServer(shared);
  });
  afterEach(async () => {
    for (const connection of opened.splice(0)) connection.close();
    await endServer(server);
    server = undefined;
  });

  /** Connections that reach every worker. */
  const openMany = async ({ url, pid }: RunningCommand): Promise<Connection[]> => {
    opened.push(...(await openToEach(url, listChildren(pid), key)));
    return opened;
  };
  const readAll = (connections: Connection[], path: string, by = key) =>
    Promise.all(connections.map((connection) => connection.ask(path, { key: by })));

  test("serve the same bytes on one port; a signal to only one or a second server on the port changes nothing", async () => {
    const workers = listChildren(shared.pid);
    expect(workers).toHaveLength(2);
    const connections = await openMany(shared);
    const answers = await readAll(connections, LESSON);
    const seen = new Set(answers.map(({ status, headers, body }) => `${status} ${headers["etag"]} ${body.toString()}`));
    expect(seen.size).toBe(1);
    const { sum } = await readMetrics(shared.adminUrl);
    expect(sum("lectern_http_requests_total", { route: "lesson", status: "200" })).toBe(connections.length);
    expect(sum("lectern_workers")).toBe(2);

    for (const name of ["SIGTERM", "SIGINT"]) process.kill(workers[0] ?? 0, name);
    // A signal comes before whatever a process does next: who answers has had it, and an end would close these.
    for (let time = 0; time < 20; time++) await readAll(connections, "/api/v1/courses");
    // A port that is shared between workers would let a second server in; its admin port does not.
    const ports = ["--port", String(portOf(shared.url)), "--admin-port", String(portOf(shared.adminUrl))];
    const args = ["serve", "--workers", "2", "--host", "127.0.0.1", ...ports];
    const { exitCode, stderr } = await runCommand(args, { env: { LECTERN_DATABASE: database.url } });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("lectern: Cannot listen on 127.0.0.1 port ")]);
    expect(listChildren(shared.pid)).toEqual(workers);
    expect((await readAll(connections, LESSON))[0]?.status).toBe(200);
  });

  test("both see new keys, releases, rollbacks and revoked keys", async () => {
    const { keys } = database.store;
    const env = { LECTERN_DATABASE: database.url };
    const connections = await openMany(shared);
    const everybody = (secret: string, expected: (answer: SentAnswer) => boolean) =>
      waitFor(async () => (await readAll(connections, "/api/v1/courses/b", secret)).every(expected));
    const { id, secret } = await issueKey(keys, { project: "acme", channel: "live", name: "", drafts: false });
    await everybody(secret, ({ status }) => status === 200);
    await publish(database.store, "acme", createCourses("two"));
    await everybody(key, ({ body }) => body.includes("b two"));
    expect((await runCommand(["rollback", "--project", "acme"], { env })).exitCode).toBe(0);
    await everybody(key, ({ body }) => body.includes("b one"));
    await keys.revokeKey(id, new Date().toISOString());
    await everybody(secret, ({ status }) => status === 401);
  });

  test("when one is killed, only its connections fail and it is replaced; so are both, killed at once", async () => {
    // What a worker that starts later must learn from the one who watches.
    await publish(database.store, "acme", createCourses("three"));
    await waitFor(async () => (await send(shared.url, "/api/v1/courses/a", { key })).text.includes("three"));
    const [victim = 0] = listChildren(shared.pid);
    const connections = await openMany(shared);
    const lost = listClientPorts(victim, portOf(shared.url));
    const expected = connections.map(({ socket }) => (lost.has(socket.localPort ?? 0) ? "lost" : "200 true"));
    process.kill(victim, "SIGKILL");
    const ask = async (connection: Connection): Promise<string> => {
      const { status, body } = await connection.ask(LESSON, { key });
      return `${status} ${body.includes("l three")}`;
    };
    for (let time = 0; time < 10; time++) {
      expect(await Promise.all(connections.map((each) => ask(each).catch(() => "lost")))).toEqual(expected);
    }
    await waitFor(() => shared.stderr().includes("a new worker is serving"));
    opened.splice(0).forEach((connection) => connection.close());
    const answers = await readAll(await openMany(shared), "/api/v1/courses/a");
    for (const { status, body } of answers) expect([status, body.includes("a three")]).toEqual([200, true]);
    const exits = shared.stderr().match(/.*a worker exited.*/g);
    expect(exits).toEqual([expect.stringContaining(`"pid":${victim},"reason":"SIGKILL"`)]);

    const before = listChildren(shared.pid);
    for (const pid of before) process.kill(pid, "SIGKILL");
    await waitFor(async () => {
      const isNew = listChildren(shared.pid).every((pid) => !before.includes(pid));
      return isNew && (await readMetrics(shared.adminUrl)).sum("lectern_workers") === 2;
    });
    expect((await send(shared.url, "/api/v1/courses/a", { key })).status).toBe(200);
    expect((await send(shared.adminUrl, "/ready")).status).toBe(200);
  });

  test("a signal to all processes at once, as from a terminal, ends them with 0, and each stores when keys were last used", async () => {
    const workers = listChildren(shared.pid);
    await openMany(shared);
    const told = shared.stderr().length;
    for (const pid of [...workers, shared.pid]) process.kill(pid, "SIGINT");
    expect(await shared.exited).toBe(0);
    expect(workers.filter(isRunning)).toEqual([]);
    expect(shared.stderr().slice(told)).not.toContain("a worker exited");
    const listed = (await database.store.keys.listKeys("acme")).find(({ revokedAt }) => revokedAt === undefined);
    expect((listed?.lastUsedAt ?? "") >= startedAt).toBe(true);
  });

  test("number one per processor with --workers 0; on SIGTERM, each finishes answers in progress but drops a stalled client", async () => {
    const running = (server = await serve("0"));
    const count = availableParallelism();
    expect((await readMetrics(running.adminUrl)).sum("lectern_workers")).toBe(count);
    const workers = listChildren(running.pid);
    expect(workers).toHaveLength(count === 1 ? 0 : count);
    // All but one read on; that one stalls until the server has had enough.
    const readers = await Promise.all(Array.from({ length: 4 }, () => startSlowReader(running.url, LONG_LESSON, key)));
    running.kill("SIGTERM");
    await waitFor(() => isRefused(running.url));
    for (const { text } of readers.slice(1)) expect((await text()).length).toBeGreaterThan(LONG_TEXT.length);
    expect(await running.exited).toBe(0);
    expect(workers.filter(isRunning)).toEqual([]);
    expect(running.stderr()).toContain('"msg":"stopped"');
  });

  test("whose supervisor was killed finish answers in progress and exit", async () => {
    const running = (server = await serve());
    const workers = listChildren(running.pid);
    const reader = await startSlowReader(running.url, LONG_LESSON, key);
    running.kill("SIGKILL");
    // Every worker has learned of it.
    await waitFor(() => isRefused(running.url));
    expect((await reader.text()).length).toBeGreaterThan(LONG_TEXT.length);
    await waitFor(() => !workers.some(isRunning));
  });

  test("whose port is taken end the server with 1 and the reason", async () => {
    const running = (server = await serve());
    // While the supervisor is suspended, the port is free.
    process.kill(running.pid, "SIGSTOP");
    killChildren(running.pid);
    await waitFor(() => isRefused(running.url));
    const thief = Bun.listen({ hostname: "127.0.0.1", port: portOf(running.url), socket: { data: () => {} } });
    process.kill(running.pid, "SIGCONT");
    expect(await running.exited).toBe(1);
    thief.stop();
    expect(running.stderr()).toMatch(
      /^lectern: Workers exit as soon as they start \(.*port.*\); giving up after \d attempts\.$/m,
    );
  });
});

/** A supervisor of two workers that start with these commands, one after the other. */
function createSupervisor(commands: string[][], last: string[] = []) {
  return new Supervisor({
    count: 2,
    get command() {
      return commands.shift() ?? last;
    },
    environment: {},
    heartbeat: { intervalMs: 1000, quietBeats: 1_000_000, hungBeats: 1_000_000 },
    port: 0,
    retryMs: 10,
    logger: pino({ enabled: false }),
  });
}
const NOTHING = { keys: [], publications: [], replacesKeys: false, replacesPublications: false };
const WORKER = [process.execPath, join(import.meta.dir, "idle-worker.ts")];
const LEAVES = [...WORKER, "leaves"];
const MISSING = [join(import.meta.dir, "missing")];

test("workers are started once the system can, after six failures", async () => {
  const commands = [WORKER, LEAVES, ...Array.from({ length: 6 }, () => MISSING), WORKER];
  const supervisor = createSupervisor(commands);
  const countServing = async () => (await supervisor.readMetrics())["lectern_workers"];
  await supervisor.start();
  expect(await countServing()).toBe(2);
  supervisor.handOn(NOTHING);
  await waitFor(async () => (await countServing()) === 1);
  const failed = supervisor.failed.then(({ message }) => message);
  expect(await Promise.race([failed, waitFor(async () => (await countServing()) === 2)])).toBeUndefined();
  expect(commands).toEqual([]);
  await supervisor.stop();
});

test("workers that cannot be started are given up if no other serves", async () => {
  const supervisor = createSupervisor([LEAVES, LEAVES], MISSING);
  await supervisor.start();
  supervisor.handOn(NOTHING);
  expect((await supervisor.failed).message).toMatch(/ENOENT.*; giving up after 5 attempts\.$/);
  await supervisor.stop();
});
