// The listener of the API: the same in a process of its own and in a worker.
import type { Server } from "bun";
import { recordKeyUse } from "../following/record-key-use.ts";
import { handleRequest } from "../http/handle-request.ts";
import { AccessLog } from "../http/observe/access-log.ts";
import { readProcessGauges, type MetricsSnapshot } from "../http/observe/request-metrics.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { KeyStore } from "../keys/key.ts";
import { watchOpenFiles } from "./open-files.ts";

/** Bounds the time in which a request's head must arrive; Bun cuts it after about 2 seconds more. */
const HEAD_TIMEOUT_SECONDS = 10;
const KEEP_ALIVE_SECONDS = 65;
/** How long a stopping server waits for answers that are under way. */
const DRAIN_MS = 4000;
const SWEEP_INTERVAL_MS = 10_000;

export interface ListenOptions {
  keys: KeyStore;
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** Lets several processes listen on the port; the system spreads connections over them. */
  sharesPort: boolean;
  logsRequests: boolean;
  /** Answers requests that must not, or need not, reach the interface; such answers are neither counted nor logged. */
  answerFirst?: (request: Request) => Response | undefined;
}

export interface RunningApi {
  port: number;
  snapshot(): MetricsSnapshot;
  /** Stops accepting, lets answers that are under way finish for up to 4 seconds, closes. */
  stop(): Promise<void>;
}

/** Begins to answer requests. Throws when the port is taken. */
export function listen(context: RequestContext, options: ListenOptions): RunningApi {
  const { metrics, state } = context;
  if (options.logsRequests) context.accessLog = new AccessLog();
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    reusePort: options.sharesPort,
    idleTimeout: HEAD_TIMEOUT_SECONDS,
    // Unless it is told, Bun answers a fault with a page of source code.
    development: false,
    fetch(request, bun) {
      bun.timeout(request, KEEP_ALIVE_SECONDS);
      return options.answerFirst?.(request) ?? handleRequest(request, context);
    },
  });
  // Bun forgets the address of a client when it has sent the answer, or when the client has disconnected.
  context.cache.large.isUnderWay = (request) => server.requestIP(request) !== null;
  const keyUse = recordKeyUse(state.keyring, options.keys, context);
  const openFiles = watchOpenFiles(server, context.logger);
  const sweep = setInterval(() => context.cache.large.sweep(Date.now()), SWEEP_INTERVAL_MS);
  return {
    port: server.port ?? options.port,
    snapshot() {
      return metrics.snapshot({
        lectern_cache_bytes: context.cache.bytes,
        lectern_cache_entries: context.cache.entries,
        lectern_large_answer_bytes: context.limits.bytes,
        lectern_asset_bytes: context.pieces.usedBytes,
        lectern_large_answers_waiting: context.limits.waiting,
        ...readProcessGauges(),
      });
    },
    async stop() {
      clearInterval(sweep);
      openFiles.stop();
      await drain(server);
      await keyUse.stop();
      await context.accessLog?.close();
    },
  };
}

async function drain(server: Server<undefined>): Promise<void> {
  // Its promise resolves only when every idle keep-alive connection is closed, which may take longer than there is time.
  void server.stop();
  const deadline = Date.now() + DRAIN_MS;
  while (server.pendingRequests > 0 && Date.now() < deadline) await Bun.sleep(20);
  await server.stop(true);
}
