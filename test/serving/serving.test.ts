// `lectern serve` as a process: its life from the first line of its log to its end.
import { afterEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Connection, isRefused } from "../read-path/connection.ts";
import { isRunning } from "../read-path/processes.ts";
import { startSlowReader } from "../read-path/slow-reader.ts";
import { publish } from "../support/catalog.ts";
import { MAIN, startServing, type RunningCommand } from "../support/command.ts";
import { findFreePort } from "../support/free-port.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const SOURCES = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const LIST = "/api/v1/courses";
const ORIGINS = ["https://www.example.org", "https://app.example.org"];

let server: RunningCommand | undefined;
const database = useTestStore();
afterEach(async () => {
  server?.kill("SIGKILL");
  await server?.exited;
});
const serve = async (args: string[], main = MAIN): Promise<RunningCommand> => {
  server = await startServing(["serve", ...args], { env: { LECTERN_DATABASE: database.url }, main });
  return server;
};

test("serves an empty database without adding content, with liveness, readiness and metrics on another port; ends with 0 on SIGTERM despite open connections, and logs JSON lines without keys", async () => {
  const running = await serve(["--log-level", "trace", "--cors-origins", ORIGINS.join(", ")]);
  const { url, adminUrl } = running;
  const asked = [`${adminUrl}/live`, `${adminUrl}/ready`, `${url}/metrics`, `${adminUrl}${LIST}`];
  const statuses = await Promise.all(asked.map(async (each) => (await fetch(each)).status));
  expect(statuses).toEqual([200, 200, 404, 404]);
  for (const origin of [...ORIGINS, "https://other.example.org"]) {
    const { headers } = await send(url, LIST, { headers: { origin } });
    expect(headers.get("access-control-allow-origin")).toBe(ORIGINS.includes(origin) ? origin : null);
  }
  const rows = "select (select count(*) from releases) + (select count(*) from keys) as rows";
  expect(await database.execute(rows)).toEqual([{ rows: 0 }]);
  const metrics = await send(adminUrl, "/metrics");
  expect(metrics.headers.get("content-type")).toStartWith("text/plain");
  expect(metrics.text).toContain('lectern_http_requests_total{route="courses",status="401"} 3\n');

  const key = await createKey(database.store, "acme");
  await waitFor(async () => (await send(url, LIST, { key })).status === 200);
  await send(url, `${LIST}/missing?x-api-key=${key}`, { key, headers: { authorization: `Bearer ${key}` } });
  await send(url, LIST, { key: `${key}x` });
  const [idle, kept] = [await Connection.open(url), await Connection.open(url)];
  await kept.ask(LIST);
  running.kill();
  expect(await running.exited).toBe(0);
  for (const connection of [idle, kept]) connection.close();
  expect(running.stdout()).toBe("");
  for (const line of running.stderr().trimEnd().split("\n")) expect(() => JSON.parse(line) as unknown).not.toThrow();
  expect(running.stderr()).not.toContain(key.slice(8));
});

test.each([
  ["built", MAIN, []],
  ["from its sources, with workers", SOURCES, ["--workers", "2"]],
])("answers long URLs and header fields in the envelope when it runs %s", async (_how, main, args) => {
  const { url } = await serve(args, main);
  const long = "a".repeat(20_000);
  const answers = [await send(url, `${LIST}?x=${long}`), await send(url, LIST, { headers: { "x-long": long } })];
  expect(answers.map(({ text }) => (JSON.parse(text) as { code: number }).code)).toEqual([414, 431]);
  for (const { headers } of answers) expect(headers.get("access-control-allow-origin")).toBe("*");
});

test("a termination signal lets answers finish, and accepts no connections; a second one ends at once", async () => {
  const lessons = [{ id: "l", name: "L", additionalText: "0123456789abcdef".repeat(500_000) }];
  await publish(database.store, "acme", [{ _id: "long", name: "Long", chapters: [{ name: "C", lessons }] }]);
  const key = await createKey(database.store, "acme");
  const { url, pid, kill, exited } = await serve([]);
  const path = `${LIST}/long/lessons/l`;
  const [slow, stalled] = [await startSlowReader(url, path, key), await startSlowReader(url, path, key)];
  kill("SIGINT");
  // A server that refuses connections has received the signal, and waits for the answers in progress.
  await waitFor(() => isRefused(url));
  expect(await slow.text()).toEndWith(',"success":true,"message":"","code":200}');
  expect(isRunning(pid)).toBe(true);
  kill("SIGTERM");
  // Not 0, with which it ends when it has waited.
  expect(await exited).not.toBe(0);
  expect(await stalled.text()).not.toEndWith("}");
});

test.skipIf(!existsSync("/dev/full"))("a termination signal ends a server whose log cannot be written", async () => {
  const port = findFreePort();
  const child = Bun.spawn([process.execPath, MAIN, "serve", "--port", String(port), "--admin-port", "0"], {
    env: { ...process.env, LECTERN_DATABASE: database.url },
    stdio: ["ignore", "ignore", Bun.file("/dev/full")],
  });
  await waitFor(async () => child.exitCode !== null || !(await isRefused(`http://127.0.0.1:${port}`)));
  child.kill("SIGTERM");
  expect([await child.exited, child.signalCode]).toEqual([0, null]);
});
