// The access log, as the reader of standard output gets it.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { publish } from "../support/catalog.ts";
import { startServing, type RunningCommand } from "../support/command.ts";
import { createKey, formatRequest, send, waitFor, type RequestOptions } from "../support/server.ts";
import { createTestFolder, useTestStore } from "../support/store.ts";
import { Connection } from "./connection.ts";
import { isRunning, killChildren, listChildren, readCommandLine } from "./processes.ts";

/** How many requests a connection takes before it answers. */
const AT_ONCE = 25;
const MEMBERS = ["time", "client", "method", "path", "status", "durationMs", "bytes"];

type Line = Record<"time" | "client" | "method" | "path", string> &
  Record<"status" | "durationMs", number> & { droppedLines?: number };

function parseLines(text: string): Line[] {
  if (!text.endsWith("\n")) throw new Error("the last line is cut off");
  const lines = text.slice(0, -1).split("\n");
  const parsed = lines.map((line) => JSON.parse(line) as Line);
  // The same bytes that JSON.stringify gives: numbers and escapes in their one usual form, no blanks.
  expect(lines.filter((line, index) => JSON.stringify(parsed[index]) !== line)).toEqual([]);
  return parsed;
}

const folder = createTestFolder();
let key: string;
let env: Record<string, string>;
const piped: RunningCommand[] = [];
const database = useTestStore(undefined, async () => {
  const chapters = [{ name: "C", lessons: [{ id: "l", name: "L" }] }];
  await publish(database.store, "acme", [{ _id: "a", name: "A", chapters }]);
  key = await createKey(database.store, "acme");
  env = { LECTERN_DATABASE: database.url };
  return folder.remove;
});
afterEach(async () => {
  for (const shell of piped.splice(0)) {
    killChildren(shell.pid);
    await shell.exited;
  }
});

describe("the access log of one server", () => {
  let server: RunningCommand;
  let countLines = 0;

  // What one of them asks is written before the next one begins; the last ends the server.
  beforeAll(async () => {
    const trusted = ["--trust-proxy", "127.0.0.1, 10.0.0.0/8,2001:db8::/32"];
    server = await startServing(["serve", "--access-log", "on", "--log-level", "trace", ...trusted], { env });
  });
  afterAll(async () => {
    server.kill("SIGKILL");
    await server.exited;
  });

  /** Returns a function that waits for a number of further lines. */
  const startLines = () => {
    const { length } = server.stdout();
    return async (count: number): Promise<Line[]> => {
      const text = (): string => server.stdout().slice(length);
      await waitFor(() => text().split("\n").length > count);
      countLines += count;
      return parseLines(text());
    };
  };

  test("has one JSON line per request that describes the request and its answer", async () => {
    const lines = startLines();
    const [from, startedAt] = [new Date().toISOString(), performance.now()];
    // It comes while the server runs on, however little there is.
    await send(server.url, "/first");
    await waitFor(() => server.stdout().endsWith("\n"));
    for (const [path, options] of [
      ["/api/v1/courses/a/lessons/l/?x=1", { key }],
      ["/api/v1/courses?limit=0", { key }],
      ["/api/v1/courses", { method: "PURGE" }],
      ["/%22quotes%22%0A%00/%zz"],
    ] as [path: string, options?: RequestOptions][]) {
      await send(server.url, path, options);
    }
    const elapsedMs = performance.now() - startedAt;
    const written = await lines(5);
    expect(written.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
      "GET /first 404",
      "GET /api/v1/courses/a/lessons/l/ 200",
      "GET /api/v1/courses 400",
      "PURGE /api/v1/courses 405",
      "GET /%22quotes%22%0A%00/%zz 404",
    ]);
    for (const line of written) {
      const { time, client, durationMs } = line;
      expect(Object.keys(line).slice(0, MEMBERS.length)).toEqual(MEMBERS);
      expect([client, new Date(time).toISOString()]).toEqual(["127.0.0.1", time]);
      expect(time >= from && time <= new Date().toISOString()).toBe(true);
      expect(durationMs >= 0 && durationMs < elapsedMs).toBe(true);
    }
  });

  test("has key id, project, release, bytes, cache outcome, request id and traceparent if known", async () => {
    const lines = startLines();
    const list = "/api/v1/courses/a/lessons?limit=1";
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const made = await send(server.url, list, { key });
    const bytes = Buffer.byteLength(made.text);
    await send(server.url, list, { key, headers: { "if-none-match": "*" } });
    await send(server.url, list, { key, method: "HEAD", headers: { "x-request-id": "a-1", traceparent } });
    await send(server.url, list, { key, headers: { "x-request-id": "hu sh", traceparent: "00-hush" } });
    const missing = await send(server.url, "/api/v1/courses/missing", { key });
    const wrong = await send(server.url, list, { key: "wrong" });
    const [held] = await database.store.keys.listKeys("acme");
    const of = { key: held?.id ?? "", project: "acme", release: 1 };
    const idOf = ({ headers }: { headers: Headers }): string => headers.get("x-request-id") ?? "";
    expect(idOf(wrong)).toMatch(/^[0-9a-f-]{36}$/);
    const written = await lines(6);
    expect(
      written.map(({ time: _t, client: _c, method: _m, path: _p, durationMs: _d, ...rest }): object => rest),
    ).toEqual([
      { status: 200, bytes, ...of, cache: "miss" },
      { status: 304, bytes: 0, ...of, cache: "hit" },
      { status: 200, bytes: 0, ...of, cache: "hit", requestId: "a-1", traceparent },
      { status: 200, bytes, ...of, cache: "hit" },
      { status: 404, bytes: Buffer.byteLength(missing.text), ...of, requestId: idOf(missing) },
      { status: 401, bytes: Buffer.byteLength(wrong.text), requestId: idOf(wrong) },
    ]);
  });

  test("has the rightmost address that is not a trusted proxy's as the client", async () => {
    const clients = {
      "198.51.100.9,192.0.2.7,10.1.2.3, 127.0.0.1": "192.0.2.7",
      "10.1.2.3, 2001:db9::1": "2001:db9::1",
      "::ffff:192.0.2.7, ::ffff:10.1.2.3, 2001:db8::5": "192.0.2.7",
      // What somebody else has written left of it does not count, whatever it is.
      "nonsense, 192.0.2.7": "192.0.2.7",
      "10.0.0.1, 10.0.0.2": "127.0.0.1",
      "192.0.2.7, nonsense, 10.0.0.1": "127.0.0.1",
      "192.0.2.7, ": "127.0.0.1",
      'fe80::1%"': "127.0.0.1",
    };
    const lines = startLines();
    const headers = Object.keys(clients);
    for (const header of headers) await send(server.url, "/", { headers: { "x-forwarded-for": header } });
    expect((await lines(headers.length)).map(({ client }) => client)).toEqual(Object.values(clients));
  });

  test("has no key and no query, wherever a client puts them, whatever the answer", async () => {
    const lines = startLines();
    const headers = { authorization: `Bearer ${key}`, cookie: key, referer: key, "if-none-match": `"${key}"` };
    for (const path of ["/api/v1/courses", "/nothing", "/api/v1/courses/%zz"]) {
      await send(server.url, `${path}?x-api-key=${key}`, { key });
      await send(server.url, `${path}?a=?${key}&hush=hush`, { headers });
    }
    await lines(6);
    server.kill();
    await server.exited;
    expect(parseLines(server.stdout())).toHaveLength(countLines);
    for (const output of [server.stdout(), server.stderr()]) {
      expect(output).not.toContain(key.slice(8));
      expect(output).not.toContain("hush");
    }
  });
});

describe("the access log in a pipe", () => {
  /** A server whose standard output is a real pipe to a shell command, whose output `stdout` has; `pid` is the server's. */
  const servePiped = async (reader: string, ...args: string[]): Promise<RunningCommand> => {
    const prefix = ["sh", "-c", `"$@" | ${reader}`, "sh"];
    const shell = await startServing(["serve", "--access-log", "on", ...args], { env, prefix });
    piped.push(shell);
    const pid = listChildren(shell.pid).find((child) => readCommandLine(child).includes("serve")) ?? 0;
    return { ...shell, pid };
  };

  /** Makes requests over several connections at once, all of which must be answered. */
  const load = async ({ url }: RunningCommand, requests: number, pathLength = 7000): Promise<void> => {
    // Nobody whose word counts says for whom this is.
    const headers = { connection: "keep-alive", "x-forwarded-for": "192.0.2.7" };
    const request = formatRequest(`/api/v1/courses/${"x".repeat(pathLength)}`, { headers });
    const askInTurn = async (): Promise<void> => {
      const { socket } = await Connection.open(url);
      for (let left = requests / 8; left > 0; left -= AT_ONCE)
        await askAtOnce(socket, request, Math.min(left, AT_ONCE));
      socket.destroy();
    };
    await Promise.all(Array.from({ length: 8 }, askInTurn));
  };

  test("has one complete line per request when two workers write under load and their reader pauses", async () => {
    // It takes a little at a time, so that the pipe is full, and has room for a part of what waits, over and over.
    const script = `
      const { existsSync, readSync, writeSync } = require("node:fs");
      const buffer = Buffer.alloc(9973);
      while (!existsSync(process.env.GO)) Bun.sleepSync(5);
      for (let length; (length = readSync(0, buffer)) > 0; Bun.sleepSync(0.3)) writeSync(1, buffer, 0, length);`;
    const go = join(folder.path, "go");
    const options = ["--workers", "2", "--access-log-clients", "none"];
    const server = await servePiped(`GO='${go}' '${process.execPath}' -e '${script}'`, ...options);
    // Lines of many lengths, so that no border of a buffer is one between lines: more than twice what a pipe holds.
    const lengths = Array.from({ length: 8 }, (_, index) => 1 + index * 117);
    const each = 40;
    for (const [index, length] of lengths.entries()) {
      // The pipe is full by then: the reader begins beside the rest.
      if (index === 6) writeFileSync(go, "");
      await load(server, each, length);
    }
    // The reader takes what has waited: a server that ends does not wait for it.
    await waitFor(() => server.stdout().split("\n").length > lengths.length * each);
    process.kill(server.pid, "SIGTERM");
    await server.exited;
    const lines = parseLines(server.stdout());
    expect(new Set(lines.map(({ status, client }) => `${status} ${client}`))).toEqual(new Set(["401 undefined"]));
    const logged = lines.map(({ path }) => path.length - "/api/v1/courses/".length).toSorted((a, b) => a - b);
    expect(logged).toEqual(lengths.flatMap((length) => Array<number>(each).fill(length)));
  });

  test.each([
    ["that nobody reads delays", "sleep 1000", "2"],
    ["that is closed delays", "true", "1"],
  ])("%s neither answers nor the exit of any process", async (_, reader, workers) => {
    const server = await servePiped(reader, "--workers", workers);
    // Each round is more than waits for its turn, so each is a write of its own.
    for (let round = 0; round < 4; round++) await load(server, 80);
    process.kill(server.pid, "SIGTERM");
    await waitFor(() => !isRunning(server.pid));
  });

  test("buffers a limited number of lines for a reader that pauses, drops the rest, and counts them", async () => {
    const go = join(folder.path, "drop");
    const reader = `{ while [ ! -e '${go}' ]; do sleep 0.05; done; exec cat; }`;
    const server = await servePiped(reader, "--access-log-clients", "network");
    // A line has a little more than a kilobyte, and 8 MiB wait for a reader.
    const requests = 8200;
    await load(server, requests, 1100);
    writeFileSync(go, "");
    // The last that comes when the reader has caught up.
    await waitFor(() => server.stdout().endsWith("}\n") && server.stdout().includes('"droppedLines":'));
    process.kill(server.pid, "SIGTERM");
    await server.exited;
    const lines = parseLines(server.stdout());
    const dropped = lines.reduce((sum, { droppedLines = 0 }) => sum + droppedLines, 0);
    const written = lines.filter(({ droppedLines }) => droppedLines === undefined);
    expect(dropped).toBeGreaterThan(0);
    expect(written.length + dropped).toBe(requests);
    // A long path is cut, so that a line fits into what a pipe takes in one piece.
    expect(written.filter(({ path, client }) => !path.endsWith("x…") || client !== "127.0.0.0")).toEqual([]);
  });
});

async function askAtOnce(socket: Socket, request: string, times: number): Promise<void> {
  let text = "";
  const answered = new Promise<void>((resolve, reject) => {
    socket.on("close", () => reject(new Error("the connection was closed")));
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.split('"code":401}').length > times) resolve();
    });
  });
  socket.write(request.repeat(times));
  await answered;
  socket.removeAllListeners("data").removeAllListeners("close");
  expect(text.split("HTTP/1.1 401 ")).toHaveLength(times + 1);
}
