import type { Server } from "bun";
import type { Logger } from "pino";
import type { CatalogReader, ChangeFeed } from "../catalog/store.ts";
import type { KeyStore } from "../keys/key.ts";
import { serveAdmin } from "./admin.ts";
import { createCorsPolicy } from "./cors.ts";
import { StoreFollower } from "./follow-store.ts";
import { handleRequest, type RequestContext } from "./handle-request.ts";
import { recordKeyUse } from "./record-key-use.ts";
import { RequestMetrics } from "./request-metrics.ts";

/** Bounds the time in which a request's head must arrive; Bun cuts it after about 2 seconds more. */
const HEAD_TIMEOUT_SECONDS = 10;
const KEEP_ALIVE_SECONDS = 65;
/** How long a stopping server waits for answers that are under way. */
const DRAIN_MS = 4000;

export interface ServerOptions {
  catalog: CatalogReader;
  changes: ChangeFeed;
  keys: KeyStore;
  isUnavailable: (error: unknown) => boolean;
  host: string;
  /** 0 takes a free one. */
  port: number;
  adminHost: string;
  adminPort: number;
  corsOrigins: "*" | string[];
  logger: Logger;
}

export interface RunningServer {
  port: number;
  adminPort: number;
  /** Stops accepting, lets answers that are under way finish for up to 4 seconds, closes. */
  stop(): Promise<void>;
}

/** Starts the API and the admin listener. Throws when the store cannot be read or a port is taken. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { logger } = options;
  const follower = new StoreFollower(options.changes, options.keys);
  await follower.start(
    (error) => logger.error({ err: error }, "cannot read the store; serving what is known"),
    () => logger.info("the store is back"),
  );
  const metrics = new RequestMetrics({
    keys: () => follower.keyring.size,
    storeReachable: () => follower.failure === undefined,
  });
  const context: RequestContext = {
    catalog: options.catalog,
    follower,
    cors: createCorsPolicy(options.corsOrigins),
    logger,
    metrics,
    isUnavailable: options.isUnavailable,
  };
  let api: Server<undefined> | undefined;
  let isStopping = false;
  try {
    api = Bun.serve({
      hostname: options.host,
      port: options.port,
      idleTimeout: HEAD_TIMEOUT_SECONDS,
      fetch(request, server) {
        server.timeout(request, KEEP_ALIVE_SECONDS);
        return handleRequest(request, context);
      },
    });
    const isReady = (): boolean => !isStopping && follower.failure === undefined;
    const admin = serveAdmin({ host: options.adminHost, port: options.adminPort, metrics, isReady });
    const running = api;
    const keyUse = recordKeyUse(follower.keyring, options.keys, logger);
    return {
      port: running.port ?? options.port,
      adminPort: admin.port ?? options.adminPort,
      async stop() {
        isStopping = true;
        follower.stop();
        await drain(running);
        await keyUse.stop();
        await admin.stop(true);
      },
    };
  } catch (error) {
    follower.stop();
    await api?.stop(true);
    throw error;
  }
}

async function drain(server: Server<undefined>): Promise<void> {
  // Resolves only when every idle keep-alive connection is gone too, which may take longer than there is time.
  void server.stop();
  const deadline = Date.now() + DRAIN_MS;
  while (server.pendingRequests > 0 && Date.now() < deadline) await Bun.sleep(20);
  await server.stop(true);
}
