// `lectern serve` as a process: its life from the first line of its log to its end.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/store/open-store.ts";
import { MAIN, runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { formatRequest, send, waitFor } from "../support/server.ts";
import { findFreePort } from "../support/free-port.ts";
import { createTestFolder } from "../support/store.ts";
import { isRunning } from "../read-path/processes.ts";

const LONG_TEXT = "0123456789abcdef".repeat(500_000);
const SOURCES = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const LIST = "/api/v1/courses";

let folder: { path: string; remove: () => void };
let server: RunningCommand | undefined;

beforeAll(async () => {
  folder = createTestFolder();
  await (await openStore(`sqlite:${join(folder.path, "data/lectern.db")}`, { create: true })).close();
});
const endServer = async (): Promise<void> => {
  server?.kill("SIGKILL");
  await server?.exited;
  server = undefined;
};
afterAll(() => folder.remove());

const run = (...args: string[]) => runCommand(args, { cwd: folder.path });
const importCourses = async (...courses: object[]): Promise<void> => {
  writeFileSync(join(folder.path, "courses.ndjson"), courses.map((course) => JSON.stringify(course)).join("\n"));
  const { exitCode, stderr } = await run("import", "courses.ndjson", "--project", "acme", "--allow-removals");
  if (exitCode !== 0) throw new Error(stderr);
};
const createKey = async (): Promise<string> => {
  const { stdout } = await run("keys", "create", "--project", "acme", "--json");
  return (JSON.parse(stdout) as { key: string }).key;
};
const serve = async (args: string[] = [], options: { main?: string } = {}): Promise<RunningCommand> => {
  server = await startServing(["serve", ...args], { cwd: folder.path, ...options });
  return server;
};
const isRefused = (url: string): Promise<boolean> =>
  send(url, "/").then(
    () => false,
    () => true,
  );

/** Opens a connection and collects what comes. */
async function open(
  url: string,
  request: string,
): Promise<{ socket: Socket; length: () => number; text: () => string }> {
  const chunks: Buffer[] = [];
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
  socket.on("error", () => {});
  socket.on("data", (chunk) => chunks.push(Buffer.from(chunk)));
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
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
  const kept = await open(url, formatRequest(LIST, { headers: { connection: "keep-alive" } }));
  await waitFor(() => kept.length() > 0);
  kill(signal);
  expect(await exited).toBe(0);
  for (const { socket } of [idle, kept]) socket.destroy();
}

describe("lectern serve", () => {
  const COURSES = ["a", "b"].map((id) => ({ _id: id, name: id.toUpperCase() }));
  let first: RunningCommand;
  const keys: string[] = [];

  // One server for all of them, from an empty database on; the last ends it.
  beforeAll(async () => {
    first = await serve(["--log-level", "trace", "--cors-origins", "https://www.example.org, https://app.example.org"]);
  });
  afterAll(endServer);

  test("serves an empty database without adding content; CORS is as configured", async () => {
    const allowed = async (origin: string) => {
      const { status, headers } = await send(first.url, LIST, { headers: { origin } });
      return [status, headers.get("access-control-allow-origin")];
    };
    expect(await allowed("https://app.example.org")).toEqual([401, "https://app.example.org"]);
    expect(await allowed("https://other.example.org")).toEqual([401, null]);
    expect((await run("releases", "--project", "demo", "--json")).stdout).toBe("[]\n");
    expect((await run("keys", "list", "--project", "demo", "--json")).stdout).toBe("[]\n");
  });

  test("reports liveness, readiness and metrics on another port", async () => {
    const { url, adminUrl } = first;
    const asked = [`${adminUrl}/live`, `${adminUrl}/ready`, `${url}/metrics`, `${adminUrl}${LIST}`];
    const statuses = await Promise.all(asked.map(async (each) => (await fetch(each)).status));
    expect(statuses).toEqual([200, 200, 404, 404]);
    const metrics = await send(adminUrl, "/metrics");
    expect(metrics.headers.get("content-type")).toStartWith("text/plain");
    expect(metrics.text).toContain('lectern_http_requests_total{route="courses",status="401"} 2\n');
    expect(metrics.text).toContain('lectern_http_requests_total{route="unknown",status="404"} 1\n');
  });

  test("shows new keys, new releases and revoked keys without a restart", async () => {
    const key = await createKey();
    keys.push(key);
    const read = () => send(first.url, LIST, { key });
    await waitFor(async () => (await read()).status === 200);
    expect((await read()).text).toBe('{"data":{"total":0,"results":[]},"success":true,"message":"","code":200}');
    await importCourses(...COURSES.slice(0, 1));
    await waitFor(async () => (await read()).text.includes('"total":1'));
    await importCourses(...COURSES);
    await waitFor(async () => (await read()).headers.get("catalog-release") === "2");
    const listed = JSON.parse((await run("keys", "list", "--project", "acme", "--json")).stdout) as { id: string }[];
    await run("keys", "revoke", listed[0]?.id ?? "");
    await waitFor(async () => (await read()).status === 401);
  });

  test("two servers on one database serve the same; SIGINT ends one with 0, despite open connections", async () => {
    const key = await createKey();
    keys.push(key);
    const second = await startServing(["serve"], { cwd: folder.path });
    await waitFor(async () => (await send(first.url, `${LIST}/a`, { key })).status === 200);
    const texts = [first, second].map(async ({ url }) => (await send(url, `${LIST}/a`, { key })).text);
    const [one = "", two] = await Promise.all(texts);
    expect(one).toStartWith('{"data":{"_id":"a"');
    expect(two).toBe(one);
    await endIdle(second, "SIGINT");
  });

  test("logs JSON lines, never keys, and requests only if configured; SIGTERM ends it with 0, despite open connections", async () => {
    const { url, stderr, stdout } = first;
    for (const key of keys) {
      await send(url, `${LIST}/missing?x-api-key=${key}`, { key, headers: { authorization: `Bearer ${key}` } });
      await send(url, LIST, { key: `${key}x` });
    }
    await endIdle(first, "SIGTERM");
    expect(stdout()).toBe("");
    for (const line of stderr().trimEnd().split("\n")) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(stderr()).not.toContain(key.slice(8));
  });
});

test.each([
  ["built", MAIN, []],
  ["from its sources, with workers", SOURCES, ["--workers", "2"]],
])("answers long URLs and header fields in the envelope when it runs %s", async (_how, main, args) => {
  const { url, kill, exited } = await serve(args, { main });
  const long = "a".repeat(20_000);
  const answers = [await send(url, `${LIST}?x=${long}`), await send(url, LIST, { headers: { "x-long": long } })];
  expect(answers.map(({ text }) => (JSON.parse(text) as { code: number }).code)).toEqual([414, 431]);
  for (const { headers } of answers) expect(headers.get("access-control-allow-origin")).toBe("*");
  kill();
  expect(await exited).toBe(0);
});

describe("a termination signal", () => {
  let request: string;

  beforeAll(async () => {
    const lessons = [{ id: "l", name: "L", additionalText: LONG_TEXT }];
    await importCourses({ _id: "long", name: "Long", chapters: [{ name: "C", lessons }] });
    request = formatRequest(`${LIST}/long/lessons/l`, { key: await createKey() });
  });
  afterEach(endServer);

  /** Opens a connection whose client takes the first bytes of an answer only. */
  const openStalled = async (url: string) => {
    const opened = await open(url, request);
    opened.socket.once("data", () => opened.socket.pause());
    await waitFor(() => opened.length() > 0);
    return opened;
  };

  test("lets answers finish, and a second one ends the server at once", async () => {
    const { url, pid, kill, exited } = await serve();
    const slow = await openStalled(url);
    kill("SIGINT");
    // A server that refuses connections has received the signal, and waits for the answer in progress.
    await waitFor(() => isRefused(url));
    expect(isRunning(pid)).toBe(true);
    kill("SIGTERM");
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
    const [slow, stalled] = [await openStalled(url), await openStalled(url)];
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
