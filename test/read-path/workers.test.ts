// Several processes on one port: what clients see when one of them, or the one that watches them, ends. What processes do with
// ports and signals does not depend on the database; `test/serving/restored.test.ts` has a worker replaced on each.
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "bun:test";
import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { Supervisor } from "../../src/serving/supervise-workers.ts";
import { issueKey } from "../../src/keys/issue-key.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { MAIN, runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { createKey, formatRequest, send, waitFor } from "../support/server.ts";
import { anyEngine, createTestFolder, engines, openTestStore, type TestStore } from "../support/store.ts";
import { Connection, type SentAnswer } from "./connection.ts";
import { readMetrics } from "./metrics.ts";
import { isRunning, killChildren, listChildren, listClientPorts } from "./processes.ts";

const LONG_TEXT = "0123456789abcdef".repeat(500_000);
const LONG_LESSON = "/api/v1/courses/long/lessons/l";
const LESSON = "/api/v1/courses/a/lessons/l";

const createCourse = (id: string, edition: string, text: string): AuthoredCourse => {
  const lessons = [{ id: "l", name: `l ${edition}`, additionalText: text }];
  return { _id: id, slug: id, name: `${id} ${edition}`, chapters: [{ id: "c", name: "C", lessons }] };
};
const createCourses = (edition: string): AuthoredCourse[] => [
  ...["a", "b"].map((id) => createCourse(id, edition, edition.repeat(500))),
  createCourse("long", "long", LONG_TEXT),
];

const portOf = (url: string): number => Number(new URL(url).port);
const isRefused = async ({ url }: RunningCommand): Promise<boolean> =>
  send(url, "/").then(
    () => false,
    () => true,
  );

/** Asks for the long lesson, and reads no more than its first bytes until the returned function reads on. */
async function startStalled({ socket }: Connection, key: string) {
  let bytes = 0;
  socket.removeAllListeners("data");
  socket.on("data", (chunk) => (bytes += chunk.length));
  socket.once("data", () => socket.pause());
  socket.write(formatRequest(LONG_LESSON, { key }));
  await waitFor(() => bytes > 0);
  /** Expects that the rest comes. */
  return async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.resume();
    await closed;
    expect(bytes).toBeGreaterThan(LONG_TEXT.length);
  };
}

describe("two workers", () => {
  let database: TestStore;
  let key: string;
  let server: RunningCommand | undefined;
  /** For tests that build on one another; the last one ends it. */
  let shared: RunningCommand;
  const opened: Connection[] = [];
  const folder = createTestFolder();
  const program = join(folder.path, "bun");
  const startedAt = new Date().toISOString();

  const serve = async (args: string[] = [], command = [process.execPath, MAIN]): Promise<RunningCommand> => {
    // Keys that are not valid yet, or no longer, are tried until they are.
    const env = { LECTERN_DATABASE: database.url, LECTERN_WRONG_KEY_LIMIT: "off" };
    return startServing(["serve", "--workers", "2", ...args], { env, command });
  };
  const endServer = async (running: RunningCommand | undefined): Promise<void> => {
    if (running !== undefined) killChildren(running.pid);
    running?.kill("SIGKILL");
    await running?.exited;
  };
  beforeAll(async () => {
    database = await openTestStore(anyEngine);
    await publish(database.store, "acme", createCourses("one"));
    key = await createKey(database.store, "acme");
    shared = await serve();
  });
  afterEach(async () => {
    for (const connection of opened.splice(0)) connection.close();
    await endServer(server);
    server = undefined;
  });
  afterAll(async () => {
    await endServer(shared);
    folder.remove();
    await database.drop();
  });

  /** Connections that reach every worker. */
  const openMany = async (running: RunningCommand, workers = listChildren(running.pid)): Promise<Connection[]> => {
    for (let attempt = 0; attempt < 20; attempt++) {
      const connections = await Promise.all(Array.from({ length: 10 }, async () => Connection.open(running.url)));
      opened.push(...connections);
      for (const connection of connections) await connection.ask("/api/v1/courses", { key });
      const ports = workers.map((pid) => listClientPorts(pid, portOf(running.url)));
      if (ports.every((held) => held.size > 0)) return opened;
    }
    throw new Error("some worker gets no connections");
  };
  const readAll = async (connections: Connection[], path: string): Promise<SentAnswer[]> =>
    Promise.all(connections.map(async (connection) => connection.ask(path, { key })));

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
    server = await serve(["--workers", "0"]);
    const count = availableParallelism();
    expect((await readMetrics(server.adminUrl)).sum("lectern_workers")).toBe(count);
    const workers = listChildren(server.pid);
    expect(workers).toHaveLength(count === 1 ? 0 : count);
    // All but one read on; that one stalls until the server has had enough.
    const [, ...reading] = await Promise.all((await openMany(server)).map((each) => startStalled(each, key)));
    server.kill("SIGTERM");
    await waitFor(async () => server === undefined || isRefused(server));
    await Promise.all(reading.map((readOn) => readOn()));
    expect(await server.exited).toBe(0);
    expect(workers.filter(isRunning)).toEqual([]);
    expect(server.stderr()).toContain('"msg":"stopped"');
  });

  test("whose supervisor was killed finish answers in progress and exit", async () => {
    const running = (server = await serve());
    const [first] = await openMany(running);
    const workers = listChildren(running.pid);
    const readOn = await startStalled(first as Connection, key);
    running.kill("SIGKILL");
    // Every worker has learned of it.
    await waitFor(() => isRefused(running));
    await readOn();
    await waitFor(() => !workers.some(isRunning));
  });

  const thief = createServer();
  const takePort = (port: number): Promise<boolean> =>
    new Promise((resolve) => {
      thief.once("error", () => resolve(false));
      thief.listen(port, "127.0.0.1", () => resolve(true));
    });
  test.each<[how: string, message: RegExp, harm: (path: string, port: number) => unknown]>([
    ["port is taken", /port/, (_path, port) => waitFor(() => takePort(port))],
    ["program is missing, as while an upgrade replaces it,", /ENOENT/, () => rmSync(program)],
    ["SQLite file is gone", /There is no database at /, (path) => renameSync(path, `${path}.away`)],
  ])("whose %s end the server with 1 and the reason", async (_, message, harm) => {
    copyFileSync(process.execPath, program);
    const running = (server = await serve([], [program, MAIN]));
    const path = database.url.slice("sqlite:".length);
    // While the supervisor is suspended, the port is free.
    process.kill(running.pid, "SIGSTOP");
    killChildren(running.pid);
    await harm(path, portOf(running.url));
    process.kill(running.pid, "SIGCONT");
    expect(await running.exited).toBe(1);
    thief.close();
    if (existsSync(`${path}.away`)) renameSync(`${path}.away`, path);
    const { stderr } = running;
    expect(stderr()).toMatch(/^lectern: Workers exit as soon as they start \(.*\); giving up after \d attempts\.$/m);
    expect(stderr()).toMatch(message);
  });
});

// The first worker serves all the time, so no number of failures ends the server.
test.each(engines)("two workers on $name both see new keys, releases, rollbacks and revoked keys", async (engine) => {
  const database = await openTestStore(engine);
  const { keys } = database.store;
  await publish(database.store, "acme", createCourses("one").slice(0, 2));
  const key = await createKey(database.store, "acme");
  const env = { LECTERN_DATABASE: database.url, LECTERN_WRONG_KEY_LIMIT: "off" };
  const server = await startServing(["serve", "--workers", "2"], { env });
  onTestFinished(() => server.kill("SIGTERM"));
  const connections = await Promise.all(Array.from({ length: 20 }, async () => Connection.open(server.url)));
  const everybody = async (secret: string, expected: (answer: SentAnswer) => boolean): Promise<void> =>
    waitFor(async () => {
      const asked = connections.map(async (connection) => connection.ask("/api/v1/courses/b", { key: secret }));
      return (await Promise.all(asked)).every(expected);
    });
  const { id, secret } = await issueKey(keys, { project: "acme", channel: "live", name: "", drafts: false });
  await everybody(secret, ({ status }) => status === 200);
  await publish(database.store, "acme", createCourses("three").slice(0, 2));
  await everybody(key, ({ body }) => body.includes("b three"));
  expect((await runCommand(["rollback", "--project", "acme"], { env })).exitCode).toBe(0);
  await everybody(key, ({ body }) => body.includes("b one"));
  await keys.revokeKey(id, new Date().toISOString());
  await everybody(secret, ({ status }) => status === 401);
  for (const connection of connections) connection.close();
  server.kill();
  await server.exited;
  await database.drop();
});

test("workers are started once the system can, after six failures", async () => {
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
