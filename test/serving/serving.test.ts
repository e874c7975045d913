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
  expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
};
const createKey = async (): Promise<{ key: string; id: string }> => {
  const { stdout } = await run("keys", "create", "--project", "acme", "--json");
  return JSON.parse(stdout) as { key: string; id: string };
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
async function open(url: string, request: string) {
  const chunks: Buffer[] = [];
  const socket: Socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
  socket.on("error", () => {});
  socket.on("data", (chunk) => chunks.push(Buffer.from(chunk)));
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  socket.write(request);
  return { socket, text: () => Buffer.concat(chunks).toString("latin1") };
}

describe("lectern serve", () => {
  const COURSES = ["a", "b"].map((id) => ({ _id: id, name: id.toUpperCase() }));
  let first: RunningCommand;
  let key: string;

  // One server for all of them, from an empty database on; the last ends it.
  beforeAll(async () => {
    first = await serve(["--log-level", "trace", "--cors-origins", "https://www.example.org, https://app.example.org"]);
  });
  afterAll(endServer);

  test("serves an empty database without adding content; liveness, readiness and metrics have another port", async () => {
    const { url, adminUrl } = first;
    const asked = [`${adminUrl}/live`, `${adminUrl}/ready`, `${url}/metrics`, `${adminUrl}${LIST}`];
    const statuses = await Promise.all(asked.map(async (each) => (await fetch(each)).status));
    expect(statuses).toEqual([200, 200, 404, 404]);
    const origins = ["https://app.example.org", "https://other.example.org"];
    const answers = await Promise.all(origins.map((origin) => send(url, LIST, { headers: { origin } })));
    expect(answers.map(({ headers }) => headers.get("access-control-allow-origin"))).toEqual([origins[0] ?? "", null]);
    for (const command of [["releases"], ["keys", "list"]])
      expect((await run(...command, "--project", "demo", "--json")).stdout).toBe("[]\n");
    const metrics = await send(adminUrl, "/metrics");
    expect(metrics.headers.get("content-type")).toStartWith("text/plain");
    expect(metrics.text).toContain('lectern_http_requests_total{route="courses",status="401"} 2\n');
  });

  test("shows new keys, new releases and revoked keys without a restart", async () => {
    const created = await createKey();
    ({ key } = created);
    const read = () => send(first.url, LIST, { key });
    await waitFor(async () => (await read()).status === 200);
    expect((await read()).text).toBe('{"data":{"total":0,"results":[]},"success":true,"message":"","code":200}');
    await importCourses(...COURSES.slice(0, 1));
    await waitFor(async () => (await read()).text.includes('"total":1'));
    await importCourses(...COURSES);
    await waitFor(async () => (await read()).headers.get("catalog-release") === "2");
    await run("keys", "revoke", created.id);
    await waitFor(async () => (await read()).status === 401);
  });

  test("logs JSON lines, never keys, and requests only if configured; SIGTERM ends it with 0, despite open connections", async () => {
    const { url, stderr, stdout, kill, exited } = first;
    await send(url, `${LIST}/missing?x-api-key=${key}`, { key, headers: { authorization: `Bearer ${key}` } });
    await send(url, LIST, { key: `${key}x` });
    const idle = await open(url, "");
    const kept = await open(url, formatRequest(LIST, { headers: { connection: "keep-alive" } }));
    await waitFor(() => kept.text() !== "");
    kill();
    expect(await exited).toBe(0);
    for (const { socket } of [idle, kept]) socket.destroy();
    expect(stdout()).toBe("");
    for (const line of stderr().trimEnd().split("\n")) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(stderr()).not.toContain(key.slice(8));
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
  afterEach(endServer);

  test("lets answers finish, not forever for a stalled client, and accepts no connections; a second one ends at once", async () => {
    const lessons = [{ id: "l", name: "L", additionalText: LONG_TEXT }];
    await importCourses({ _id: "long", name: "Long", chapters: [{ name: "C", lessons }] });
    const request = formatRequest(`${LIST}/long/lessons/l`, { key: (await createKey()).key });
    /** Opens a connection whose client takes the first bytes of an answer only. */
    const openStalled = async (url: string) => {
      const opened = await open(url, request);
      opened.socket.once("data", () => opened.socket.pause());
      await waitFor(() => opened.text() !== "");
      return opened;
    };
    for (const isEnded of [false, true]) {
      const { url, pid, kill, exited } = await serve();
      const [slow, stalled] = [await openStalled(url), await openStalled(url)];
      kill("SIGINT");
      // A server that refuses connections has received the signal, and waits for the answers in progress.
      await waitFor(() => isRefused(url));
      expect(isRunning(pid)).toBe(true);
      const closed = new Promise<void>((resolve) => slow.socket.once("close", () => resolve()));
      if (isEnded) kill("SIGTERM");
      else slow.socket.resume();
      // Not 0, with which it ends when it has waited.
      expect((await exited) === 0).toBe(!isEnded);
      if (isEnded) slow.socket.resume();
      await closed;
      expect(slow.text().endsWith(',"success":true,"message":"","code":200}')).toBe(!isEnded);
      stalled.socket.destroy();
    }
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
});
