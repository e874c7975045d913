// A real server in this process on a free port. `get` uses fetch, `raw` a socket, for requests that
// fetch does not send.
import { connect } from "node:net";
import pino, { type Logger } from "pino";
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

export type Answer = Awaited<ReturnType<typeof send>>;
export type TestServer = Awaited<ReturnType<typeof startTestServer>>;

/** A logger, and its lines so far. */
export function createLog(level = "info"): { logger: Logger; log: () => string } {
  let text = "";
  const logger = pino({ level, base: null }, { write: (line) => void (text += line) });
  return { logger, log: () => text };
}

/** Serves a store. */
export async function startTestServer(store: Store, options: Partial<ServerOptions> = {}) {
  const { logger, log } = createLog("trace");
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
    logger,
    ...options,
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    adminUrl: `http://127.0.0.1:${server.adminPort}`,
    log,
    get: (path: string, request?: RequestOptions) => send(url, path, request),
    /** Sends bytes unchanged and reads until the server closes; request that with `connection: close`. */
    raw: (request: string | Uint8Array) => sendRaw(server.port, request),
    /** Waits for two more polls, so that the server has seen the store's current state. */
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
export async function send(url: string, path: string, options: RequestOptions = {}) {
  const { key, method = "GET", headers = {}, body } = options;
  const response = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: { "accept-encoding": "identity", ...(key === undefined ? {} : { "x-api-key": key }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Opens a connection, sends bytes, and reads until the other side closes. The names of headers are in lower case, in order. */
export async function sendRaw(port: number, request: string | Uint8Array) {
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
  const head = bytes.toString("latin1", 0, end === -1 ? bytes.length : end);
  const [statusLine = "", ...lines] = head.split("\r\n");
  const fields = lines.map((line) => /^([^:]*):(.*)$/.exec(line) ?? []);
  const headers = Object.fromEntries(fields.map(([, name = "", value = ""]) => [name.toLowerCase(), value.trim()]));
  const body = end === -1 ? "" : bytes.subarray(end + 4).toString("utf8");
  return { status: Number(statusLine.split(" ")[1]), headers, body };
}

/** A request for `sendRaw`, after which the server closes. Sends the target unchanged. */
export function formatRequest(
  target: string,
  { key, method = "GET", headers = {}, version = "1.1" }: RequestOptions & { version?: string } = {},
): string {
  const keyHeader = key === undefined ? {} : { "x-api-key": key };
  const fields = { host: "127.0.0.1", connection: "close", ...keyHeader, ...headers };
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
