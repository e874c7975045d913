// The API's listener, in a single process or a worker.
import { closeSync, openSync } from "node:fs";
import http from "node:http";
import type { Server } from "bun";
import type { Logger } from "pino";
import { recordKeyUse } from "../following/record-key-use.ts";
import { handleRequest } from "../http/handle-request.ts";
import { AccessLog, type LoggedClients } from "../http/observe/access-log.ts";
import { createClientFinder, type Networks } from "./client-address.ts";
import { LoopDelay, readProcessGauges, type Samples } from "../http/observe/metrics.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { KeyStore } from "../keys/key.ts";
import { ExpectedError } from "../catalog/expected-error.ts";

/** The parser's limit. It exceeds the API's limits, so that overlong URLs and headers get an error in the envelope. */
const MAX_HEAD_BYTES = 65_536;
/** The time-out for a request's head; Bun closes the connection about 2 seconds later. */
const HEAD_TIMEOUT_SECONDS = 10;
const KEEP_ALIVE_SECONDS = 65;
/** The time-out set to close a stalled connection. One second is Bun's minimum. */
const STALLED_SECONDS = 1;
/**
 * The minimum number of requests answered at once in one turn of the event loop, a few milliseconds of work. Only pipelined
 * requests exceed it by far: thousands fit into one read of a connection. A request with many header fields counts as
 * several, because reading the fields takes most of its time.
 */
const REQUESTS_PER_TURN = 250;
const FIELDS_OF_REQUEST = 32;
/** Requests are counted over several turns up to this number, and from there in one. */
const REQUESTS_BEFORE_TURN = 50;
const DRAIN_MS = 4000;
/** A stopping server answers with `Connection: close` until this many polls in a row see no new request. */
const QUIET_POLLS = 5;
const MAX_POLLS = 25;
const DRAIN_POLL_MS = 20;
const SWEEP_INTERVAL_MS = 10_000;
const OPEN_FILES_INTERVAL_MS = 1000;
/** The minimum time between two log entries about the open file limit. */
const OPEN_FILES_QUIET_MS = 60_000;

export interface ListenOptions {
  keys: KeyStore;
  host: string;
  /** With 0, the system picks a free port. */
  port: number;
  /** Lets several processes share the port; the kernel balances connections. */
  sharesPort: boolean;
  logsRequests: boolean;
  /** Proxies whose X-Forwarded-For is trusted. */
  trustProxy?: Networks | undefined;
  loggedClients?: LoggedClients;
  /** Can answer a request before the API sees it. Requests answered here are neither measured nor logged. */
  answerFirst?: (request: Request) => Response | undefined;
}

export type RunningApi = ReturnType<typeof listen>;

/** Starts to answer requests. Throws ExpectedError if the server cannot listen. */
export function listen(context: RequestContext, options: ListenOptions) {
  const { metrics, state } = context;
  if (options.logsRequests) context.accessLog = new AccessLog(1, options.loggedClients);
  // Bun's parser reads this value, which the types declare constant. The command line is the only other way to set it.
  Object.assign(http, { maxHeaderSize: MAX_HEAD_BYTES });
  let requests = 0;
  let isStopping = false;
  const isCrowded = createTurnCounter();
  const finish = (response: Response): Response => {
    if (isStopping) response.headers.set("connection", "close");
    return response;
  };
  const server = startListening("", options.host, options.port, () =>
    Bun.serve({
      hostname: options.host,
      port: options.port,
      reusePort: options.sharesPort,
      idleTimeout: HEAD_TIMEOUT_SECONDS,
      // By default, Bun answers an error with a page of source code.
      development: false,
      fetch(request, bun) {
        requests++;
        bun.timeout(request, KEEP_ALIVE_SECONDS);
        const answer = () => options.answerFirst?.(request) ?? handleRequest(request, context);
        const response = isCrowded(request.headers) ? nextTurn().then(answer) : answer();
        return response instanceof Response ? finish(response) : response.then(finish);
      },
    }),
  );
  const findClient = createClientFinder(options.trustProxy ?? []);
  context.findClient = (request) =>
    findClient(server.requestIP(request)?.address ?? "", request.headers.get("x-forwarded-for"));
  // Bun forgets a client's address when the answer is sent or the client leaves; until then, the answer is under way.
  context.cache.large.isUnderWay = (request) => server.requestIP(request) !== null;
  // A time-out is Bun's only way to close the connection of one request.
  context.endStalled = (request) => server.timeout(request, STALLED_SECONDS);
  const keyUse = recordKeyUse(state.keyring, options.keys, context);
  const openFiles = watchOpenFiles(server, context.logger);
  const loopDelay = new LoopDelay();
  const sweep = setInterval(() => context.cache.large.sweep(Date.now()), SWEEP_INTERVAL_MS);
  return {
    port: server.port ?? options.port,
    snapshot(): Samples {
      return {
        ...metrics.snapshot(),
        lectern_cache_bytes: context.cache.bytes,
        lectern_cache_entries: context.cache.entries,
        lectern_cache_evictions_total: context.cache.evictions,
        lectern_large_answer_bytes: context.limits.bytes,
        lectern_asset_bytes: context.pieces.usedBytes,
        lectern_assets_cut_total: context.pieces.cuts,
        lectern_large_answers_waiting: context.limits.waiting,
        ...loopDelay.snapshot(),
        ...readProcessGauges(),
      };
    },
    /** Drains for up to 4 seconds and closes. */
    async stop() {
      clearInterval(sweep);
      clearInterval(openFiles);
      loopDelay.stop();
      isStopping = true;
      await drain(server, () => requests);
      await keyUse.stop();
      await context.accessLog?.close();
    },
  };
}

/**
 * Returns a function that counts a request, and returns true if the current turn of the event loop has answered enough. Bun
 * then closes a connection that pipelines further requests, and others get their answers in the next turn.
 */
function createTurnCounter(): (headers: Headers) => boolean {
  let counted = 0;
  return ({ count }) => {
    const before = counted;
    counted += 1 + Math.floor(count / FIELDS_OF_REQUEST);
    // Scheduling a reset for each turn would make every request slower.
    if (before < REQUESTS_BEFORE_TURN && counted >= REQUESTS_BEFORE_TURN) setImmediate(() => (counted = 0));
    return counted > REQUESTS_BEFORE_TURN + REQUESTS_PER_TURN;
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function drain(server: Server<undefined>, countRequests: () => number): Promise<void> {
  const deadlineMs = performance.now() + DRAIN_MS;
  // Closing an idle connection can reset a request in transit, so each active connection closes with its next answer.
  let quietPolls = 0;
  for (let polls = 0; polls < MAX_POLLS && quietPolls < QUIET_POLLS; polls++) {
    const before = countRequests();
    await Bun.sleep(DRAIN_POLL_MS);
    quietPolls = countRequests() === before ? quietPolls + 1 : 0;
  }
  // Closes the port and idle connections. This promise can resolve too late, so the next line polls instead.
  void server.stop();
  while (server.pendingRequests > 0 && performance.now() < deadlineMs) await Bun.sleep(DRAIN_POLL_MS);
  await server.stop(true);
}

/**
 * Checks every second whether the process can open a file. At the limit of open files, it cannot accept connections,
 * and Bun retries in a busy loop. Closing idle connections lets waiting clients in.
 */
function watchOpenFiles(server: Server<undefined>, logger: Logger): Timer {
  let toldAtMs = -Infinity;
  return setInterval(() => {
    try {
      closeSync(openSync("/dev/null", "r"));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EMFILE" && code !== "ENFILE") return;
      const closed = server.closeIdleConnections();
      const nowMs = performance.now();
      if (nowMs - toldAtMs < OPEN_FILES_QUIET_MS) return;
      toldAtMs = nowMs;
      logger.error({ closed }, "open file limit reached, closing idle connections; raise LimitNOFILE");
    }
  }, OPEN_FILES_INTERVAL_MS);
}

/** Starts a listener. Throws ExpectedError with a remedy if this fails. `prefix` begins the names of its flags. */
export function startListening<T>(prefix: "" | "admin-", host: string, port: number, start: () => T): T {
  try {
    return start();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    // Bun also reports an unusable host as a port in use.
    const isHostWrong = code === "EADDRINUSE" ? !canListenOn(host) : code !== "EACCES";
    if (isHostWrong) {
      const next = `Set --${prefix}host to an address of this machine, such as 127.0.0.1.`;
      throw new ExpectedError(`Cannot listen on ${host}: this machine has no such address. ${next}`);
    }
    const reason = code === "EADDRINUSE" ? `port ${port} is in use` : message;
    const command = process.env["npm_lifecycle_event"] === "start" ? "npm start -- " : "";
    throw new ExpectedError(
      `Cannot listen on ${host} port ${port}: ${reason}. Choose another port with \`${command}--${prefix}port N\`.`,
    );
  }
}

function canListenOn(host: string): boolean {
  try {
    Bun.listen({ hostname: host, port: 0, socket: { data() {} } }).stop();
    return true;
  } catch {
    return false;
  }
}
