// The listener of the API: the same in a process of its own and in a worker.
import { closeSync, openSync } from "node:fs";
import http from "node:http";
import type { Server } from "bun";
import type { Logger } from "pino";
import { recordKeyUse } from "../following/record-key-use.ts";
import { handleRequest } from "../http/handle-request.ts";
import { AccessLog, type LoggedClients } from "../http/observe/access-log.ts";
import { LoopDelay } from "../http/observe/loop-delay.ts";
import { createClientFinder, type Networks } from "../http/request/client-address.ts";
import { readProcessGauges, type Samples } from "../http/observe/metrics.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { KeyStore } from "../keys/key.ts";
import { ExpectedError } from "../catalog/expected-error.ts";

/** What the parser reads, so that a request with a longer URL or header section than is answered gets its error in the envelope. */
const MAX_HEAD_BYTES = 65_536;
/** Bounds the time in which a request's head must arrive; Bun cuts it after about 2 seconds more. */
const HEAD_TIMEOUT_SECONDS = 10;
const KEEP_ALIVE_SECONDS = 65;
/** For a client that takes nothing and has to make room: the least that Bun knows. */
const STALLED_SECONDS = 1;
/** How long a stopping server waits for answers that are under way. */
const DRAIN_MS = 4000;
/** How long it first waits for the next request of every connection that is in use, to answer it with `Connection: close`. */
const QUIET_LOOKS = 5;
const MAX_LOOKS = 25;
const LOOK_INTERVAL_MS = 20;
const SWEEP_INTERVAL_MS = 10_000;
const OPEN_FILES_INTERVAL_MS = 1000;
/** The log mentions the limit of open files at most once in this time. */
const OPEN_FILES_QUIET_MS = 60_000;

export interface ListenOptions {
  keys: KeyStore;
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** Lets several processes listen on the port; the system spreads connections over them. */
  sharesPort: boolean;
  logsRequests: boolean;
  /** Proxies that tell for whom they ask. */
  trustProxy?: Networks | undefined;
  loggedClients?: LoggedClients;
  /** Answers requests that must not, or need not, reach the interface; such answers are neither counted nor logged. */
  answerFirst?: (request: Request) => Response | undefined;
}

export interface RunningApi {
  port: number;
  snapshot(): Samples;
  /** Takes leave of clients, lets answers that are under way finish, and closes: within 4 seconds. */
  stop(): Promise<void>;
}

/** Begins to answer requests. Throws ExpectedError when it cannot listen. */
export function listen(context: RequestContext, options: ListenOptions): RunningApi {
  const { metrics, state } = context;
  if (options.logsRequests) context.accessLog = new AccessLog(1, options.loggedClients);
  // Bun's parser goes by this, and has no other setting than one in the command line; the types take it for a constant.
  Object.assign(http, { maxHeaderSize: MAX_HEAD_BYTES });
  let requests = 0;
  let isStopping = false;
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
      // By default Bun answers a fault with a page of source code.
      development: false,
      fetch(request, bun) {
        requests++;
        bun.timeout(request, KEEP_ALIVE_SECONDS);
        const response = options.answerFirst?.(request) ?? handleRequest(request, context);
        return response instanceof Response ? finish(response) : response.then(finish);
      },
    }),
  );
  const findClient = createClientFinder(options.trustProxy ?? []);
  context.findClient = (request) =>
    findClient(server.requestIP(request)?.address ?? "", request.headers.get("x-forwarded-for"));
  // Bun forgets the address of a client when it has sent the answer, or when the client has disconnected.
  context.cache.large.isUnderWay = (request) => server.requestIP(request) !== null;
  // Bun has no other way to close the connection of one request.
  context.endStalled = (request) => server.timeout(request, STALLED_SECONDS);
  const keyUse = recordKeyUse(state.keyring, options.keys, context);
  const openFiles = watchOpenFiles(server, context.logger);
  const loopDelay = new LoopDelay();
  const sweep = setInterval(() => context.cache.large.sweep(Date.now()), SWEEP_INTERVAL_MS);
  return {
    port: server.port ?? options.port,
    snapshot() {
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

async function drain(server: Server<undefined>, countRequests: () => number): Promise<void> {
  const deadlineMs = performance.now() + DRAIN_MS;
  // A request on an idle connection that is being closed gets a reset, so the next answer ends each connection in use.
  let quietLooks = 0;
  for (let looks = 0; looks < MAX_LOOKS && quietLooks < QUIET_LOOKS; looks++) {
    const before = countRequests();
    await Bun.sleep(LOOK_INTERVAL_MS);
    quietLooks = countRequests() === before ? quietLooks + 1 : 0;
  }
  // Closes the port and the idle connections. Its promise resolves only when all are closed, which may take longer than there is time.
  void server.stop();
  while (server.pendingRequests > 0 && performance.now() < deadlineMs) await Bun.sleep(LOOK_INTERVAL_MS);
  await server.stop(true);
}

/**
 * Checks once a second whether this process can still open a file. At the limit it can accept no connection, and Bun tries
 * again without a pause: then idle connections are closed, so that waiting clients get their turn.
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
      logger.error({ closed }, "the limit of open files is reached, idle connections are closed; raise LimitNOFILE");
    }
  }, OPEN_FILES_INTERVAL_MS);
}

/** Starts what listens; `prefix` is that of its flags. Throws ExpectedError when it cannot, with what to do. */
export function startListening<T>(prefix: "" | "admin-", host: string, port: number, start: () => T): T {
  try {
    return start();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    // Bun reports a host without an address as a port in use, too.
    const isHostWrong = code === "EADDRINUSE" ? !canListenOn(host) : code !== "EACCES";
    if (isHostWrong) {
      const next = `Give --${prefix}host one that it has, such as 127.0.0.1.`;
      throw new ExpectedError(`Cannot listen on ${host}: this machine has no such address. ${next}`);
    }
    const reason = code === "EADDRINUSE" ? `port ${port} is in use` : message;
    const command = process.env["npm_lifecycle_event"] === "start" ? "npm start -- " : "";
    throw new ExpectedError(
      `Cannot listen on ${host} port ${port}: ${reason}. Choose another with \`${command}--${prefix}port N\`.`,
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
