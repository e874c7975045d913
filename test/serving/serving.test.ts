// `lectern serve` as a process: its life from the first line of its log to its end.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/store/open-store.ts";
import { LAUNCHER, MAIN, runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { formatRequest, send, waitFor } from "../support/server.ts";
import { findFreePort } from "../support/free-port.ts";
import { createTestFolder } from "../support/store.ts";
import { isRunning } from "../read-path/processes.ts";

const LONG_TEXT = "0123456789abcdef".repeat(500_000);

const SOURCES = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const LONG_LESSON = "/api/v1/courses/long/lessons/l";

let folder: { path: string; remove: () => void };
let server: RunningCommand | undefined;

const createFolder = async (): Promise<void> => {
  folder = createTestFolder();
  await (await openStore(`sqlite:${join(folder.path, "data/lectern.db")}`, { create: true })).close();
};
const run = (args: string[]) => runCommand(args, { cwd: folder.path });
const importCourses = async (...courses: object[]): Promise<void> => {
  writeFileSync(join(folder.path, "courses.ndjson"), courses.map((course) => JSON.stringify(course)).join("\n"));
  const { exitCode, stderr } = await run(["import", "courses.ndjson", "--project", "acme"]);
  if (exitCode !== 0) throw new Error(stderr);
};
const createKey = async (): Promise<string> => {
  const { stdout } = await run(["keys", "create", "--project", "acme", "--json"]);
  return (JSON.parse(stdout) as { key: string }).key;
};
const serve = async (args: string[] = []): Promise<RunningCommand> => {
  server = await startServing(["serve", ...args], { cwd: folder.path });
  return server;
};
const endServer = async (): Promise<void> => {
  server?.kill("SIGKILL");
  await server?.exited;
  server = undefined;
};
const portOf = (url: string): number => Number(new URL(url).port);
const isRefused = (url: string): Promise<boolean> =>
  send(url, "/").then(
    () => false,
    () => true,
  );

/** Opens a connection and collects what comes; `read` lets it flow. */
async function open(
  url: string,
  request: string,
): Promise<{ socket: Socket; length: () => number; text: () => string }> {
  const chunks: Buffer[] = [];
  const socket = connect({ host: "127.0.0.1", port: portOf(url) });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", () => resolve());
    socket.once("error", reject);
  });
  socket.on("error", () => {});
  socket.on("data", (chunk) => chunks.push(Buffer.from(chunk)));
  socket.write(request);
  return {
    socket,
    length: () => chunks.reduce((sum, chunk) => sum + chunk.length, 0),
    text: () => Buffer.concat(chunks).toString("latin1"),
  };
}

/** Ends a server that has nothing to do, while clients keep connections open. */
async function endIdle({ url, kill, exited }: RunningCommand, signal: "SIGTERM" | "SIGINT"): Promise<void> {
  const idle = await open(url, "");
  const kept = await open(url, formatRequest("/api/v1/courses", { headers: { connection: "keep-alive" } }));
  await waitFor(() => kept.length() > 0);
  kill(signal);
  expect(await exited).toBe(0);
  idle.socket.destroy();
  kept.socket.destroy();
}

describe("lectern serve", () => {
  const COURSES = [
    { _id: "a", name: "A" },
    { _id: "b", name: "B" },
  ];
  let first: RunningCommand;
  const keys: string[] = [];

  // One server for all of them, from an empty database on; the last ends it.
  beforeAll(async () => {
    await createFolder();
    first = await serve(["--log-level", "trace", "--cors-origins", "https://www.example.org, https://app.example.org"]);
  });
  afterAll(async () => {
    await endServer();
    folder.remove();
  });

  test("serves an empty database without adding content", async () => {
    expect((await send(first.url, "/api/v1/courses")).status).toBe(401);
    const releases = await run(["releases", "--project", "demo", "--json"]);
    expect(releases.stdout).toBe("[]\n");
    expect((await run(["keys", "list", "--project", "demo", "--json"])).stdout).toBe("[]\n");
  });

  test("reports liveness, readiness and metrics on another port", async () => {
    const { url, adminUrl } = first;
    await send(url, "/nothing");
    expect([(await send(adminUrl, "/live")).status, (await send(adminUrl, "/ready")).status]).toEqual([200, 200]);
    const metrics = await send(adminUrl, "/metrics");
    expect(metrics.headers.get("content-type")).toStartWith("text/plain");
    expect(metrics.text).toContain('lectern_http_requests_total{route="courses",status="401"} 1\n');
    expect(metrics.text).toContain('lectern_http_requests_total{route="unknown",status="404"} 1\n');
    expect((await send(url, "/metrics")).status).toBe(404);
    expect((await send(adminUrl, "/api/v1/courses")).status).toBe(404);
  });

  test("shows new keys, new releases and revoked keys without a restart", async () => {
    const { url } = first;
    const key = await createKey();
    keys.push(key);
    const read = () => send(url, "/api/v1/courses", { key });
    await waitFor(async () => (await read()).status === 200);
    expect((await read()).text).toBe('{"data":{"total":0,"results":[]},"success":true,"message":"","code":200}');
    await importCourses(...COURSES.slice(0, 1));
    await waitFor(async () => (await read()).text.includes('"total":1'));
    await importCourses(...COURSES);
    await waitFor(async () => (await read()).headers.get("catalog-release") === "2");
    expect((await send(url, "/api/v1/courses/b", { key })).status).toBe(200);
    const listed = JSON.parse((await run(["keys", "list", "--project", "acme", "--json"])).stdout) as { id: string }[];
    await run(["keys", "revoke", listed[0]?.id ?? ""]);
    await waitFor(async () => (await read()).status === 401);
  });

  test("two servers on one database serve the same; SIGINT ends one with 0, despite open connections", async () => {
    await importCourses(...COURSES);
    const key = await createKey();
    keys.push(key);
    const second = await startServing(["serve"], { cwd: folder.path });
    await waitFor(async () => (await send(first.url, "/api/v1/courses/a", { key })).status === 200);
    const answers = [first, second].map(async ({ url }) => (await send(url, "/api/v1/courses/a", { key })).text);
    const [one, two] = await Promise.all(answers);
    expect(one).toStartWith('{"data":{"_id":"a"');
    expect(two).toBe(one ?? "");
    await endIdle(second, "SIGINT");
  });

  test("restricts CORS by its setting", async () => {
    const allowed = async (origin: string) =>
      (await send(first.url, "/api/v1/courses", { headers: { origin } })).headers.get("access-control-allow-origin");
    expect(await allowed("https://app.example.org")).toBe("https://app.example.org");
    expect(await allowed("https://other.example.org")).toBeNull();
  });

  test.each([
    ["built, in one process", MAIN, []],
    ["built, with workers", MAIN, ["--workers", "2"]],
    ["from its sources", SOURCES, []],
    ["from its sources, with workers", SOURCES, ["--workers", "2"]],
  ])("answers long URLs and header fields in the envelope when it runs %s", async (_how, main, args) => {
    const running = await startServing(["serve", ...args], { cwd: folder.path, main });
    const long = "a".repeat(20_000);
    const answers = [
      await send(running.url, `/api/v1/courses?x=${long}`),
      await send(running.url, "/api/v1/courses", { headers: { "x-long": long } }),
    ];
    expect(answers.map(({ text }) => (JSON.parse(text) as { code: number }).code)).toEqual([414, 431]);
    for (const { headers } of answers) expect(headers.get("access-control-allow-origin")).toBe("*");
    running.kill();
    expect(await running.exited).toBe(0);
  });

  test("logs JSON lines, never keys, and requests only if configured; SIGTERM ends it with 0, despite open connections", async () => {
    const { url, stderr, stdout } = first;
    for (const key of keys) {
      await send(url, "/api/v1/courses", { key });
      await send(url, `/api/v1/courses/missing?x-api-key=${key}`, { key, headers: { authorization: `Bearer ${key}` } });
      await send(url, "/api/v1/courses", { key: `${key}x` });
    }
    await endIdle(first, "SIGTERM");
    expect(stdout()).toBe("");
    const lines = stderr().trimEnd().split("\n");
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(stderr()).not.toContain(key);
      expect(stderr()).not.toContain(key.slice(8));
    }
  });
});

describe("a termination signal", () => {
  let key: string;

  beforeAll(async () => {
    await createFolder();
    const lessons = [{ id: "l", name: "L", additionalText: LONG_TEXT }];
    await importCourses({ _id: "long", name: "Long", chapters: [{ name: "C", lessons }] });
    key = await createKey();
  });
  afterEach(endServer);
  afterAll(() => folder.remove());

  test("reaches the server through the launcher, which exits with it", async () => {
    const args = ["serve", "--port", "0", "--admin-port", "0", "--host", "127.0.0.1"];
    const launcher = Bun.spawn(["node", LAUNCHER, ...args], { cwd: folder.path, stdout: "ignore", stderr: "pipe" });
    const decoder = new TextDecoder();
    let log = "";
    let isTold = false;
    for await (const chunk of launcher.stderr) {
      log += decoder.decode(chunk, { stream: true });
      if (isTold || !log.includes('"msg":"serving"')) continue;
      isTold = true;
      launcher.kill("SIGTERM");
    }
    expect(await launcher.exited).toBe(0);
    // The end of the stream says that no process is left that holds it.
    expect(log).toContain('"msg":"stopped"');
  });

  test.each([
    ["SIGTERM", "SIGTERM"],
    ["SIGINT", "SIGTERM"],
  ] as const)("%s lets answers finish, and %s after it ends the server at once", async (first, second) => {
    const { url, pid, kill, exited } = await serve();
    const slow = await open(url, formatRequest(LONG_LESSON, { key }));
    slow.socket.once("data", () => slow.socket.pause());
    await waitFor(() => slow.length() > 0);
    kill(first);
    // A server that refuses connections has received the signal, and waits for the answer in progress.
    await waitFor(() => isRefused(url));
    expect(isRunning(pid)).toBe(true);
    kill(second);
    // Not 0, with which it ends when it has waited.
    expect(await exited).not.toBe(0);
    slow.socket.destroy();
  });

  test.skipIf(!existsSync("/dev/full"))("ends a server whose log cannot be written", async () => {
    const port = findFreePort();
    const child = Bun.spawn([process.execPath, MAIN, "serve", "--port", String(port), "--admin-port", "0"], {
      cwd: folder.path,
      stdio: ["ignore", "ignore", Bun.file("/dev/full")],
    });
    await waitFor(async () => child.exitCode !== null || !(await isRefused(`http://127.0.0.1:${port}`)));
    child.kill("SIGTERM");
    expect([await child.exited, child.signalCode]).toEqual([0, null]);
  });

  test("lets answers finish, accepts no new connections, and does not wait forever for a stalled client", async () => {
    const { url, kill, exited } = await serve();
    const request = formatRequest(LONG_LESSON, { key });
    const [slow, stalled] = [await open(url, request), await open(url, request)];
    for (const { socket } of [slow, stalled]) socket.once("data", () => socket.pause());
    await waitFor(() => slow.length() > 0 && stalled.length() > 0);
    expect(slow.length()).toBeLessThan(LONG_TEXT.length);
    kill();
    await waitFor(() => isRefused(url));
    const closed = new Promise<void>((resolve) => slow.socket.once("close", () => resolve()));
    slow.socket.resume();
    await closed;
    expect(slow.text()).toEndWith(',"success":true,"message":"","code":200}');
    expect(slow.length()).toBeGreaterThan(LONG_TEXT.length);
    expect(await exited).toBe(0);
    stalled.socket.destroy();
  });
});
