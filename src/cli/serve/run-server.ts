// Does the work of `lectern serve`. Only processes of a server load this module.
import { availableParallelism } from "node:os";
import packageJson from "../../../package.json" with { type: "json" };
import { HookDeliverer } from "../../hooks/deliver-hooks.ts";
import { findCommand } from "../../program-files.ts";
import { HEARTBEAT, type Heartbeat } from "../../serving/run-worker.ts";
import { MIB } from "../../content/limits.ts";
import { SearchProcess } from "../../search/search-process.ts";
import { openStore, type Store } from "../../store/open-store.ts";
import { startServer, startWorkers, type RunningServer, type ServerOptions } from "../../serving/server.ts";
import { CommandFailure } from "../failure.ts";
import { createLogger } from "../terminal/logger.ts";
import { nextSignal } from "../terminal/next-signal.ts";
import type { ServeOptions } from "./serve.ts";
import { readPages } from "../read-pages.ts";
import { toAssetFolder, toRateShare } from "../settings/setting-values.ts";
import { toPostgresOptions, WORKER_SETTINGS } from "./worker-settings.ts";

const NOT_BUILT = "the explorer is not built: run npm run prepare, or set --explorer off";

const NEEDS_ADDRESSES = "--asset-limit counts requests by connection address: behind a proxy, set --trust-proxy";

/** The primary, for keys and publications, and a replica, for content. Without a replica, both are the same store. */
export interface ServedStores {
  primary: Store;
  content: Store;
}

/**
 * Opens a server's databases, calls `use`, and closes the databases. One connection is enough for a supervisor, and for
 * a primary beside a replica. A worker trusts the schema, because its supervisor has checked it.
 */
export async function withServedStores<T>(
  options: ServeOptions,
  role: "server" | "supervisor" | "worker",
  use: (stores: ServedStores) => Promise<T>,
): Promise<T> {
  const { database, readDatabase } = options;
  const few = { ...toPostgresOptions(options), poolSize: 1 };
  const many = role === "supervisor" ? few : toPostgresOptions(options);
  const common = { create: false, assetFolder: toAssetFolder(options.assets), trustsSchema: role === "worker" };
  const primary = await openStore(database, { ...common, postgres: readDatabase === undefined ? many : few });
  let content = primary;
  try {
    if (readDatabase !== undefined) content = await openStore(readDatabase, { ...common, postgres: many });
    return await use({ primary, content });
  } finally {
    if (content !== primary) await content.close();
    await primary.close();
  }
}

/** Runs `lectern serve` until SIGTERM or SIGINT. Throws CommandFailure. */
export async function serve(options: ServeOptions): Promise<void> {
  const role = countWorkers(options) === 1 ? "server" : "supervisor";
  await withServedStores(options, role, async (stores) => serveUntilSignal(stores, options));
}

/**
 * Serves the stores, calls `onStart`, and returns after SIGTERM or SIGINT. `heartbeat` sets how workers are monitored.
 * Throws CommandFailure.
 */
export async function serveUntilSignal(
  stores: ServedStores,
  options: ServeOptions,
  onStart: (server: RunningServer) => void = () => {},
  heartbeat: Heartbeat = HEARTBEAT,
): Promise<void> {
  // Listen now, so that a signal during startup is not lost.
  const signalled = nextSignal(["SIGTERM", "SIGINT"]);
  const serverOptions = toServerOptions(stores, options);
  const { logger } = serverOptions;
  const { hooks: outbox, isUnavailable } = stores.primary;
  serverOptions.deliverer = new HookDeliverer({ outbox, logger, isUnavailable });
  const count = countWorkers(options);
  const environment = { [WORKER_SETTINGS]: JSON.stringify(options) };
  if (options.search) {
    serverOptions.searchProcess = new SearchProcess({
      command: findCommand("cli/serve/searcher"),
      environment,
      logger,
    });
  }
  const server = await (count === 1
    ? startServer(serverOptions)
    : startWorkers(serverOptions, { count, command: findCommand("cli/serve/worker"), environment, heartbeat }));
  const { port, adminPort } = server;
  const { host, adminHost } = options;
  logger.info({ host, port, adminHost, adminPort, workers: count }, "serving");
  if (serverOptions.pages?.explorer === "missing") logger.warn(NOT_BUILT);
  if (options.assetLimit !== "off" && options.trustProxy === undefined) logger.warn(NEEDS_ADDRESSES);
  onStart(server);
  const end = await Promise.race([server.failed, signalled]);
  if (typeof end === "string") logger.info({ signal: end }, "stopping");
  await server.stop();
  if (typeof end !== "string") throw new CommandFailure(end.message);
  logger.info("stopped");
}

function countWorkers({ workers }: ServeOptions): number {
  return workers === 0 ? availableParallelism() : workers;
}

function toRates(options: ServeOptions): NonNullable<ServerOptions["rates"]> {
  const processes = countWorkers(options);
  const limits = { key: options.keyLimit, "wrong-key": options.wrongKeyLimit, asset: options.assetLimit };
  const rates = Object.entries(limits).map(([name, text]) => [name, toRateShare(text, processes)] as const);
  return Object.fromEntries(rates.filter(([, rate]) => rate !== undefined));
}

/** A read connects and runs a few statements, each of which PostgreSQL ends after the statement time-out. */
function toReadTimeout({ connectTimeout, statementTimeout }: ServeOptions): number | undefined {
  return statementTimeout === 0 ? undefined : connectTimeout + 3 * statementTimeout;
}

/** Derives the options of a server or worker from the settings. */
export function toServerOptions({ primary, content }: ServedStores, options: ServeOptions): ServerOptions {
  return {
    ...options,
    catalog: content.catalog,
    readsAtOnce: content.readsAtOnce,
    readTimeoutMs: toReadTimeout(options),
    assets: content.assets,
    changes: primary.changes,
    content: content.changes,
    keys: primary.keys,
    isUnavailable: content.isUnavailable,
    isDamage: content.isDamage,
    cacheBytes: options.cacheSize * MIB,
    largeAnswerBytes: options.largeAnswers * MIB,
    assetBytes: options.assetMemory * MIB,
    pages: readPages(options),
    version: packageJson.version,
    measureStore: primary.measure,
    logsRequests: options.accessLog,
    loggedClients: options.accessLogClients,
    rates: toRates(options),
    logger: createLogger(options.logLevel),
  };
}
