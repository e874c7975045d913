// A real server in this process on a free port, and the ways to ask it: `get` through fetch, `raw` through a socket for
// what fetch does not send.
import { connect } from "node:net";
import { Writable } from "node:stream";
import pino from "pino";
import type { ChangeFeed } from "../../src/catalog/store.ts";
import { issueKey } from "../../src/keys/issue-key.ts";
import { startServer, type ServerOptions } from "../../src/serving/server.ts";
import type { Store } from "../../src/store/open-store.ts";

/** What has not come then will not come. Below the time-out of tests in `test/run.ts`, far above what anything takes. */
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
  /** Lower-case names, in the order of the answer. */
  headers: Record<string, string>;
  body: string;
}

export interface TestServer {
  url: string;
  adminUrl: string;
  /** Everything that was logged so far. */
  log: () => string;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  /** Sends bytes as they are and reads until the server closes; ask it to with `connection: close`. */
  raw(request: string | Uint8Array): Promise<RawAnswer>;
  /** Waits until the server has looked at its store twice from now on: whatever was there before, it has seen. */
  looksTwice(): Promise<void>;
  stop(): Promise<void>;
}

/** Serves a store. */
export async function startTestServer(
  store: Store,
  options: Partial<
    Pick<
      ServerOptions,
      | "catalog"
      | "pages"
      | "corsOrigins"
      | "cacheBytes"
      | "assetBytes"
      | "largeAnswerBytes"
      | "largeAnswerWaitMs"
      | "now"
      | "searchProcess"
    >
  > = {},
): Promise<TestServer> {
  let log = "";
  const sink = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk);
      done();
    },
  });
  let looks = 0;
  const changes: ChangeFeed = {
    ...store.changes,
    async readRevisions() {
      looks++;
      return store.changes.readRevisions();
    },
  };
  const server = await startServer({
    catalog: options.catalog ?? store.catalog,
    assets: store.assets,
    changes,
    content: changes,
    keys: store.keys,
    isUnavailable: store.isUnavailable,
    host: "127.0.0.1",
    port: 0,
    adminHost: "127.0.0.1",
    adminPort: 0,
    corsOrigins: options.corsOrigins ?? "*",
    cacheBytes: options.cacheBytes ?? 64 * 1024 * 1024,
    largeAnswerBytes: options.largeAnswerBytes ?? 128 * 1024 * 1024,
    pages: options.pages ?? {},
    assetBytes: options.assetBytes ?? 32 * 1024 * 1024,
    ...(options.largeAnswerWaitMs === undefined ? {} : { largeAnswerWaitMs: options.largeAnswerWaitMs }),
    ...(options.now === undefined ? {} : { now: options.now }),
    searchProcess: options.searchProcess,
    logsRequests: false,
    version: "test",
    measureStore: store.measure,
    logger: pino({ level: "trace", base: null }, sink),
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    adminUrl: `http://127.0.0.1:${server.adminPort}`,
    log: () => log,
    get: (path, request) => send(url, path, request),
    raw: (request) => sendRaw(server.port, request),
    async looksTwice() {
      // The second one has begun only after the first one has ended; a third, after the second.
      const before = looks;
      await waitFor(() => looks >= before + 3);
    },
    stop: () => server.stop(),
  };
}

/** Makes a key in a store and gives its secret. A running server learns of it by and by. */
export async function createKey(
  store: Store,
  project: string,
  { drafts = false, channel = "live" } = {},
): Promise<string> {
  return (await issueKey(store.keys, { project, channel, name: "test", drafts })).secret;
}

/** Makes one request with fetch. */
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

/** The text of a request for `sendRaw`, after whose answer the server closes. The target is sent as it is. */
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
 * Waits until `condition` holds, however long a busy machine takes. Throws only where nothing will come any more, so that a
 * failure names its line and not the test's time-out.
 */
export async function waitFor(condition: () => Promise<boolean> | boolean): Promise<void> {
  const startedAt = performance.now();
  while (!(await condition())) {
    if (performance.now() - startedAt > HANGS_AFTER_MS) throw new Error(`did not happen in ${HANGS_AFTER_MS} ms`);
    await Bun.sleep(10);
  }
}
