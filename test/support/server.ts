// A real server in this process on a free port. `get` uses fetch, `raw` a socket, for requests that
// fetch does not send.
import { connect } from "node:net";
import { Writable } from "node:stream";
import pino from "pino";
import type { ChangeFeed } from "../../src/catalog/store.ts";
import { issueKey } from "../../src/keys/issue-key.ts";
import { startServer, type ServerOptions } from "../../src/serving/server.ts";
import type { Store } from "../../src/store/open-store.ts";

/** Fails a wait: below the time-out of tests in `test/run.ts`, far above what anything takes. */
export const HANGS_AFTER_MS = 100_000;

export interface RequestOptions {
  key?: string | undefined;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** The body's bytes as text. */
  text: string;
}

export interface RawAnswer {
  status: number;
  /** Lower-case names, in order. */
  headers: Record<string, string>;
  body: string;
}

export interface TestServer {
  url: string;
  adminUrl: string;
  /** The log so far. */
  log: () => string;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  /** Sends bytes unchanged and reads until the server closes; request that with `connection: close`. */
  raw(request: string | Uint8Array): Promise<RawAnswer>;
  /** Waits for two more polls, so that the server has seen the store's current state. */
  pollsTwice(): Promise<void>;
  stop(): Promise<void>;
}

/** Serves a store. */
export async function startTestServer(store: Store, options: Partial<ServerOptions> = {}): Promise<TestServer> {
  let log = "";
  const sink = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk);
      done();
    },
  });
  let polls = 0;
  const changes: ChangeFeed = {
    ...store.changes,
    async readRevisions() {
      polls++;
      return store.changes.readRevisions();
    },
  };
  const server = await startServer({
    catalog: store.catalog,
    readsAtOnce: store.readsAtOnce,
    assets: store.assets,
    changes,
    content: changes,
    keys: store.keys,
    isUnavailable: store.isUnavailable,
    isDamage: store.isDamage,
    host: "127.0.0.1",
    port: 0,
    adminHost: "127.0.0.1",
    adminPort: 0,
    corsOrigins: "*",
    cacheBytes: 64 * 1024 * 1024,
    largeAnswerBytes: 128 * 1024 * 1024,
    pages: {},
    assetBytes: 32 * 1024 * 1024,
    logsRequests: false,
    version: "test",
    measureStore: store.measure,
    logger: pino({ level: "trace", base: null }, sink),
    ...options,
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    adminUrl: `http://127.0.0.1:${server.adminPort}`,
    log: () => log,
    get: (path, request) => send(url, path, request),
    raw: (request) => sendRaw(server.port, request),
    async pollsTwice() {
      // The second poll starts after the end of the first; a third, after the second.
      const before = polls;
      await waitFor(() => polls >= before + 3);
    },
    stop: () => server.stop(),
  };
}

/** Creates a key and returns its secret. A running server learns of it shortly after. */
export async function createKey(
  store: Store,
  project: string,
  { drafts = false, channel = "live" } = {},
): Promise<string> {
  return (await issueKey(store.keys, { project, channel, name: "test", drafts })).secret;
}

/** Sends one request with fetch. */
export async function send(url: string, path: string, options: RequestOptions = {}): Promise<Answer> {
  const { key, method = "GET", headers = {}, body } = options;
  const response = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: { "accept-encoding": "identity", ...(key === undefined ? {} : { "x-api-key": key }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Opens a connection, sends bytes, and reads until the other side closes. */
export async function sendRaw(port: number, request: string | Uint8Array): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port }, () => socket.write(request));
    socket.setTimeout(HANGS_AFTER_MS, () =>
      socket.destroy(new Error("the server neither answered in full nor closed")),
    );
    socket.on("data", (chunk) => chunks.push(Buffer.from(chunk)));
    socket.on("end", () => socket.end());
    socket.on("close", () => resolve());
    socket.on("error", (error) => (chunks.length > 0 ? resolve() : reject(error)));
  });
  const bytes = Buffer.concat(chunks);
  const end = bytes.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = bytes
    .subarray(0, end === -1 ? bytes.length : end)
    .toString("latin1")
    .split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const body = end === -1 ? "" : bytes.subarray(end + 4).toString("utf8");
  return { status: Number(statusLine.split(" ")[1]), headers, body };
}

/** A request for `sendRaw`, after which the server closes. Sends the target unchanged. */
export function formatRequest(
  target: string,
  { key, method = "GET", headers = {}, version = "1.1" }: RequestOptions & { version?: string } = {},
): string {
  const fields = {
    host: "127.0.0.1",
    connection: "close",
    ...(key === undefined ? {} : { "x-api-key": key }),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/${version}\r\n${lines.join("")}\r\n`;
}

/**
 * Waits for `condition`, however slow the machine. Throws only after a very long time, so that a failure names its line
 * instead of the test's time-out.
 */
export async function waitFor(condition: () => Promise<boolean> | boolean): Promise<void> {
  const startedAt = performance.now();
  while (!(await condition())) {
    if (performance.now() - startedAt > HANGS_AFTER_MS) throw new Error(`did not happen in ${HANGS_AFTER_MS} ms`);
    await Bun.sleep(10);
  }
}
