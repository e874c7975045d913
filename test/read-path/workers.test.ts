// Several processes on one port: what clients see when one of them, or the one that watches them, ends.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { createServer } from "node:net";
import { availableParallelism } from "node:os";
import { issueKey } from "../../src/keys/issue-key.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { createKey, formatRequest, send, waitFor } from "../support/server.ts";
import { anyEngine, engines, openTestStore, sqlite, type TestStore } from "../support/store.ts";
import { Connection, startAsker, type SentAnswer } from "./connection.ts";
import { readMetrics } from "./metrics.ts";
import { isRunning, killChildren, listChildren, listClientPorts, readCommandLine, signal } from "./processes.ts";

const LONG_TEXT = "0123456789abcdef".repeat(500_000);

const createCourse = (id: string, edition: string, text: string): AuthoredCourse => {
  const lessons = [{ id: "l", name: `l ${edition}`, additionalText: text }];
  return { _id: id, slug: id, name: `${id} ${edition}`, chapters: [{ id: "c", name: "C", lessons }] };
};
const createCourses = (edition: string): AuthoredCourse[] =>
  ["a", "b"].map((id) => createCourse(id, edition, edition.repeat(500)));
const createLongCourse = (): AuthoredCourse => createCourse("long", "long", LONG_TEXT);
const LONG_LESSON = "/api/v1/courses/long/lessons/l";

const portOf = (url: string): number => Number(new URL(url).port);

/**
 * Kills so many workers that are started from now on, as soon as they run, or fewer where the server gives up before: to let each
 * of them fail takes longer.
 */
async function killNext(running: RunningCommand, before: number[], count: number): Promise<void> {
  const seen = new Set(before);
  let left = count;
  void running.exited.then(() => (left = 0));
  await waitFor(() => {
    for (const pid of listChildren(running.pid)) {
      // Until a child runs its own program, its parent waits for it.
      if (left === 0 || seen.has(pid) || !readCommandLine(pid).some((word) => /\/worker\.[jt]s$/.test(word))) continue;
      seen.add(pid);
      left--;
      signal(pid, "SIGKILL");
    }
    return left === 0;
  });
}

describe.each(engines)("two workers on $name", (engine) => {
  let database: TestStore;
  let key: string;
  let longKey: string;
  let server: RunningCommand | undefined;
  /** For tests that build on one another. */
  let shared: RunningCommand | undefined;
  const opened: Connection[] = [];

  beforeAll(async () => {
    database = await openTestStore(engine);
    await publish(database.store, "acme", createCourses("one"));
    key = await createKey(database.store, "acme");
    if (engine !== anyEngine) return;
    await publish(database.store, "long", [createLongCourse()]);
    longKey = await createKey(database.store, "long");
  });
  const endServer = async (running: RunningCommand | undefined): Promise<void> => {
    if (running !== undefined) killChildren(running.pid);
    running?.kill("SIGKILL");
    await running?.exited;
  };
  afterEach(async () => {
    for (const connection of opened.splice(0)) connection.close();
    await endServer(server);
    server = undefined;
  });
  afterAll(async () => {
    await endServer(shared);
    await database.drop();
  });

  const serve = async (...args: string[]): Promise<RunningCommand> => {
    const env = { LECTERN_DATABASE: database.url };
    server = await startServing(["serve", "--workers", "2", ...args], { env });
    return server;
  };
  const serveShared = async (): Promise<RunningCommand> => {
    // Keys that are not valid yet, or no longer, are tried until they are.
    const env = { LECTERN_DATABASE: database.url, LECTERN_WRONG_KEY_LIMIT: "off" };
    shared ??= await startServing(["serve", "--workers", "2"], { env });
    return shared;
  };
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
  const isRefused = async (running: RunningCommand): Promise<boolean> =>
    send(running.url, "/api/v1/courses", { key }).then(
      () => false,
      () => true,
    );
  const readAll = async (connections: Connection[], path: string, secret = key): Promise<SentAnswer[]> =>
    Promise.all(connections.map(async (connection) => connection.ask(path, { key: secret })));

  const describeLearning = (): void => {
    const startedAt = new Date().toISOString();

    test("both see new keys, releases, rollbacks and revoked keys", async () => {
      const connections = await openMany(await serveShared());
      const everybody = async (path: string, secret: string, expected: (answer: SentAnswer) => boolean) =>
        waitFor(async () => (await readAll(connections, path, secret)).every(expected));
      const [before] = await readAll(connections, "/api/v1/courses/b");
      const fresh = await issueKey(database.store.keys, { project: "acme", channel: "live", name: "", drafts: false });
      await everybody("/api/v1/courses/a", fresh.secret, ({ status }) => status === 200);
      await publish(database.store, "acme", createCourses("three"));
      await everybody("/api/v1/courses/b", key, ({ body }) => body.includes("b three"));
      const env = { LECTERN_DATABASE: database.url };
      expect((await runCommand(["rollback", "--project", "acme"], { env })).exitCode).toBe(0);
      await everybody("/api/v1/courses/b", key, ({ body }) => body.equals(before?.body ?? Buffer.of()));
      await database.store.keys.revokeKey(fresh.id, new Date().toISOString());
      await everybody("/api/v1/courses/a", fresh.secret, ({ status }) => status === 401);
    });

    const [sent, sender] =
      engine === anyEngine ? (["SIGINT", "a terminal"] as const) : (["SIGTERM", "systemd"] as const);
    test(`${sent} to all processes at once, as from ${sender}, ends them with 0, and each stores when keys were last used`, async () => {
      const running = await serveShared();
      const workers = listChildren(running.pid);
      await openMany(running);
      const told = running.stderr().length;
      for (const pid of [...workers, running.pid]) process.kill(pid, sent);
      expect(await running.exited).toBe(0);
      expect(workers.filter(isRunning)).toEqual([]);
      expect(running.stderr().slice(told)).not.toContain("a worker exited");
      const listed = (await database.store.keys.listKeys("acme")).find(({ revokedAt }) => revokedAt === undefined);
      expect((listed?.lastUsedAt ?? "") >= startedAt).toBe(true);
    });
  };

  // What processes do with ports and signals does not depend on the database; `test/serving/restored.test.ts` has a worker replaced on each.
  if (engine !== anyEngine) {
    describeLearning();
    return;
  }

  /** A start on a port that is taken fails, says so, and leaves no process behind. */
  const expectTaken = async (running: RunningCommand): Promise<void> => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    const { port } = blocker.address() as { port: number };
    for (const ports of [
      ["--port", String(port), "--admin-port", "0"],
      // A port that is shared between workers would let a second server in; its admin port does not.
      ["--port", String(portOf(running.url)), "--admin-port", String(portOf(running.adminUrl))],
    ]) {
      const args = ["serve", "--workers", "2", "--host", "127.0.0.1", ...ports];
      const { exitCode, stderr } = await runCommand(args, { env: { LECTERN_DATABASE: database.url } });
      expect(exitCode).toBe(1);
      expect(stderr).toContain("lectern: Cannot listen on 127.0.0.1 port ");
    }
    blocker.close();
    expect(listChildren(running.pid)).toHaveLength(2);
    expect((await send(running.url, "/api/v1/courses/a", { key })).status).toBe(200);
  };

  test("both serve the same bytes on one port; a signal to only one or a second server on the port changes nothing", async () => {
    const running = await serveShared();
    const workers = listChildren(running.pid);
    expect(workers).toHaveLength(2);
    const connections = await openMany(running);
    const held = workers.map((pid) => listClientPorts(pid, portOf(running.url)).size);
    expect(held[0] ?? 0).toBeGreaterThan(0);
    expect((held[0] ?? 0) + (held[1] ?? 0)).toBe(connections.length);
    const answers = await readAll(connections, "/api/v1/courses/a/lessons/l");
    const seen = new Set(answers.map(({ status, headers, body }) => `${status} ${headers["etag"]} ${body.toString()}`));
    expect(seen.size).toBe(1);
    const { sum } = await readMetrics(running.adminUrl);
    expect(sum("lectern_http_requests_total", { route: "lesson", status: "200" })).toBe(connections.length);
    expect(sum("lectern_workers")).toBe(2);

    process.kill(workers[0] ?? 0, "SIGTERM");
    process.kill(workers[0] ?? 0, "SIGINT");
    // A signal comes before whatever a process does next: who answers has had it, and an end would close these.
    for (let time = 0; time < 20; time++) await readAll(connections, "/api/v1/courses");
    expect(workers.filter(isRunning)).toEqual(workers);
    expect(listChildren(running.pid)).toEqual(workers);
    await expectTaken(running);
  });

  test("when one is killed under load, only its connections fail and it is replaced; when both are killed at once, both are replaced", async () => {
    const running = await serveShared();
    // What a worker that starts later must learn from the one who watches.
    await publish(database.store, "acme", createCourses("two"));
    await waitFor(async () => (await send(running.url, "/api/v1/courses/a", { key })).text.includes("two"));
    const [victim = 0, survivor = 0] = listChildren(running.pid);
    const connections = await openMany(running);
    const lost = listClientPorts(victim, portOf(running.url));
    const state = { isDone: false };
    const answered = connections.map(() => 0);
    const ports = connections.map(({ socket }) => socket.localPort ?? 0);
    const results = connections.map(async (connection, index) => {
      const port = ports[index] ?? 0;
      try {
        while (!state.isDone) {
          const { status, body } = await connection.ask("/api/v1/courses/a/lessons/l", { key });
          if (status !== 200 || !body.includes("l two")) return { port, problem: `${status} ${body.toString()}` };
          answered[index] = (answered[index] ?? 0) + 1;
          await Bun.sleep(1);
        }
        return { port, problem: undefined };
      } catch {
        return { port, problem: "lost" };
      }
    });
    /** Waits for ten more answers on each of the connections that `isMeant` picks. */
    const waitForTen = async (isMeant: (port: number) => boolean): Promise<void> => {
      const before = [...answered];
      const meant = ports.flatMap((port, index) => (isMeant(port) ? [index] : []));
      await waitFor(() => meant.every((index) => (answered[index] ?? 0) >= (before[index] ?? 0) + 10));
    };
    await waitForTen(() => true);
    process.kill(victim, "SIGKILL");
    const others = startAsker(
      running.url,
      () => ["/api/v1/courses/b", { key, headers: { connection: "close" } }],
      ({ status }) => (status === 200 ? undefined : `${status}`),
    );
    await waitFor(() => listChildren(running.pid).some((pid) => pid !== victim && pid !== survivor));
    await waitFor(async () => (await readMetrics(running.adminUrl)).sum("lectern_workers") === 2);
    await waitForTen((port) => !lost.has(port));
    state.isDone = true;
    for (const { port, problem } of await Promise.all(results)) {
      expect({ port, problem }).toEqual({ port, problem: lost.has(port) ? "lost" : undefined });
    }
    await others.stop();
    const [joined = 0] = listChildren(running.pid).filter((pid) => pid !== survivor);
    opened.splice(0).forEach((connection) => connection.close());
    const answers = await readAll(await openMany(running, [joined, survivor]), "/api/v1/courses/a");
    for (const { status, body } of answers) expect([status, body.includes("a two")]).toEqual([200, true]);
    const lines = running.stderr().split("\n");
    expect(lines.filter((line) => line.includes("a worker exited"))).toHaveLength(1);
    expect(lines.find((line) => line.includes("a worker exited"))).toContain(`"pid":${victim},"reason":"SIGKILL"`);
    expect(lines.filter((line) => line.includes("a new worker is serving"))).toHaveLength(1);

    const before = listChildren(running.pid);
    for (const pid of before) process.kill(pid, "SIGKILL");
    await waitFor(async () => {
      const isNew = listChildren(running.pid).every((pid) => !before.includes(pid));
      return isNew && (await readMetrics(running.adminUrl)).sum("lectern_workers") === 2;
    });
    expect((await send(running.url, "/api/v1/courses/a", { key })).status).toBe(200);
    expect((await send(running.adminUrl, "/ready")).status).toBe(200);
  });

  describeLearning();

  test("number one per processor with --workers 0; on SIGTERM, each finishes answers in progress but drops a stalled client", async () => {
    const running = await serve("--workers", "0");
    const count = availableParallelism();
    expect((await readMetrics(running.adminUrl)).sum("lectern_workers")).toBe(count);
    const connections = await openMany(running);
    const workers = listChildren(running.pid);
    expect(workers).toHaveLength(count === 1 ? 0 : count);
    const received = connections.map(() => 0);
    for (const [index, { socket }] of connections.entries()) {
      socket.removeAllListeners("data");
      socket.on("data", (chunk) => (received[index] = (received[index] ?? 0) + chunk.length));
      socket.write(formatRequest(LONG_LESSON, { key: longKey }));
      socket.once("data", () => socket.pause());
    }
    await waitFor(() => received.every((bytes) => bytes > 0));
    running.kill("SIGTERM");
    await waitFor(() => isRefused(running));
    // All but one read on; that one stalls until the server has had enough.
    const closed = connections.slice(1).map(async ({ socket }) => {
      const end = new Promise<void>((resolve) => socket.once("close", () => resolve()));
      socket.resume();
      return end;
    });
    await Promise.all(closed);
    for (const bytes of received.slice(1)) expect(bytes).toBeGreaterThan(LONG_TEXT.length);
    expect(await running.exited).toBe(0);
    expect(workers.filter(isRunning)).toEqual([]);
    expect(running.stderr()).toContain('"msg":"stopped"');
  });

  test("workers whose supervisor was killed finish answers in progress and exit", async () => {
    const running = await serve();
    const connections = await openMany(running);
    const workers = listChildren(running.pid);
    const [first, ...idle] = connections;
    let bytes = 0;
    first?.socket.removeAllListeners("data");
    first?.socket.on("data", (chunk) => (bytes += chunk.length));
    first?.socket.write(formatRequest(LONG_LESSON, { key: longKey }));
    first?.socket.once("data", () => first.socket.pause());
    await waitFor(() => bytes > 0);
    running.kill("SIGKILL");
    // Every worker has learned of it.
    await waitFor(() => isRefused(running));
    const end = new Promise<void>((resolve) => first?.socket.once("close", () => resolve()));
    first?.socket.resume();
    await end;
    expect(bytes).toBeGreaterThan(LONG_TEXT.length);
    await waitFor(() => !workers.some(isRunning));
    expect(idle.length).toBeGreaterThan(0);
  });

  test("that can no longer listen end the server with 1 and the reason", async () => {
    const running = await serve();
    // While the supervisor is suspended, the port is free, and another process takes it.
    process.kill(running.pid, "SIGSTOP");
    for (const pid of listChildren(running.pid)) process.kill(pid, "SIGKILL");
    const thief = createServer();
    await waitFor(async () => {
      return new Promise<boolean>((resolve) => {
        thief.once("error", () => resolve(false));
        thief.listen(portOf(running.url), "127.0.0.1", () => resolve(true));
      });
    });
    process.kill(running.pid, "SIGCONT");
    expect(await running.exited).toBe(1);
    thief.close();
    expect(running.stderr()).toMatch(/^lectern: Workers exit as soon as they start \(.*port.*\); giving up/m);
  });
});

describe("workers on a SQLite file", () => {
  test("that is gone finish answers in progress and end the server with 1 and a clear message", async () => {
    const database = await openTestStore(sqlite);
    await publish(database.store, "acme", [...createCourses("one"), createLongCourse()]);
    const key = await createKey(database.store, "acme");
    const running = await startServing(["serve", "--workers", "2"], { env: { LECTERN_DATABASE: database.url } });
    const [victim = 0, survivor = 0] = listChildren(running.pid);
    // An answer of the one that stays, of which its client takes the first bytes only.
    let reader = await Connection.open(running.url);
    for (;;) {
      await reader.ask("/api/v1/courses", { key });
      if (listClientPorts(survivor, portOf(running.url)).has(reader.socket.localPort ?? 0)) break;
      reader.close();
      reader = await Connection.open(running.url);
    }
    let bytes = 0;
    reader.socket.removeAllListeners("data");
    reader.socket.on("data", (chunk) => (bytes += chunk.length));
    reader.socket.once("data", () => reader.socket.pause());
    reader.socket.write(formatRequest(LONG_LESSON, { key }));
    await waitFor(() => bytes > 0);
    const path = database.url.slice("sqlite:".length);
    renameSync(path, `${path}.away`);
    process.kill(victim, "SIGKILL");
    await killNext(running, [victim, survivor], 3);
    const closed = new Promise<void>((resolve) => reader.socket.once("close", () => resolve()));
    reader.socket.resume();
    await closed;
    expect(bytes).toBeGreaterThan(LONG_TEXT.length);
    expect(await running.exited).toBe(1);
    expect(running.stderr()).toMatch(
      /^lectern: Workers exit as soon as they start \(.*\); giving up after 5 attempts\.$/m,
    );
    // The log also has the reason.
    expect(running.stderr()).toContain("There is no database at ");
    expect([victim, survivor].filter(isRunning)).toEqual([]);
    renameSync(`${path}.away`, path);
    await database.drop();
  });
});
