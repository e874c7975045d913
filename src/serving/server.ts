// A server in one process, or a supervisor of several.
import type { ChangeFeed } from "../catalog/store.ts";
import type { HookDeliverer } from "../hooks/deliver-hooks.ts";
import type { KeyStore } from "../keys/key.ts";
import { applyUpdate, createRequestContext, type ApiOptions } from "../http/request-context.ts";
import { listen, startListening } from "./listen.ts";
import type { Networks } from "../http/request/client-address.ts";
import { followStores, type Following, type FollowingEvents } from "../following/follow-stores.ts";
import { addSamples, formatMetrics, type Samples } from "../http/observe/metrics.ts";
import type { SearchRequest } from "../search/searcher.ts";
import type { SearchProcess } from "../search/search-process.ts";
import { countReplaced, Supervisor, type WorkerOptions } from "./supervise-workers.ts";

export interface ServerOptions extends ApiOptions {
  /** Where keys change and releases are published. */
  changes: ChangeFeed;
  /** Where the catalog is read: the same object, or a replica's. */
  content: ChangeFeed;
  keys: KeyStore;
  /** Delivers hooks while the server runs; undefined where it is not to. */
  deliverer?: HookDeliverer | undefined;
  /** Searches the texts of lessons; undefined where that is switched off. */
  searchProcess?: SearchProcess | undefined;
  host: string;
  /** 0 takes a free port. */
  port: number;
  adminHost: string;
  adminPort: number;
  logsRequests: boolean;
  trustProxy?: Networks | undefined;
}

export interface RunningServer {
  port: number;
  adminPort: number;
  /** Settles when the server ends by itself, with the reason; never while it runs. */
  failed: Promise<Error>;
  /** Stops accepting, lets answers that are under way finish for up to 4 seconds, closes. */
  stop(): Promise<void>;
}

/** The part that answers requests: this process, or workers. */
interface Backend {
  readonly port: number;
  readonly failed: Promise<Error>;
  isReady(): boolean;
  /** What an operator should know of it, a line per entry. */
  describe(): string[];
  readMetrics(): Samples | Promise<Samples>;
  stop(): Promise<void>;
}

/** Starts the API and the admin listener in this process. Throws when the store cannot be read or a port is taken. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { searchProcess } = options;
  const searchTexts = searchProcess && (async (request: SearchRequest) => searchProcess.search(request));
  const context = createRequestContext({ ...options, searchTexts });
  const events: FollowingEvents = {
    onUpdate: (update) => applyUpdate(context, update),
    onContentAway: (isAway) => (context.store.isAway = isAway),
  };
  const gauges = { lectern_workers: 1, ...countReplaced({ ended: 0, hung: 0 }) };
  return run(options, events, async () => {
    const api = listen(context, { ...options, sharesPort: false });
    return {
      port: api.port,
      failed: new Promise<Error>(() => {}),
      isReady: () => true,
      describe: () => [],
      readMetrics: () => ({ ...api.snapshot(), ...gauges }),
      stop: async () => api.stop(),
    };
  });
}

/**
 * Starts workers that share the port, and the admin listener in this process. Only this process looks for changes in the
 * store; it sends them to the workers. Throws when the store cannot be read, a port is taken or a worker does not start.
 */
export async function startWorkers(options: ServerOptions, workers: WorkerOptions): Promise<RunningServer> {
  const supervisor = new Supervisor({ ...workers, ...options });
  const events: FollowingEvents = {
    onUpdate: (update) => supervisor.handOn(update),
    onContentAway: (isAway) => supervisor.tellStore(isAway),
  };
  return run(options, events, async () => {
    await supervisor.start();
    return supervisor;
  });
}

async function run(
  options: ServerOptions,
  events: FollowingEvents,
  start: () => Promise<Backend>,
): Promise<RunningServer> {
  const { deliverer, searchProcess } = options;
  const following = await followStores(options, {
    ...events,
    onUpdate(update) {
      events.onUpdate(update);
      deliverer?.wake();
      if (update.replacesPublications) searchProcess?.restart();
      else searchProcess?.follow(update.publications.map(({ project }) => project));
    },
  });
  let backend: Backend | undefined;
  try {
    backend = await start();
    const { port, failed } = backend;
    const admin = serveAdmin(options, following, backend);
    deliverer?.start();
    return {
      port,
      failed,
      adminPort: admin.port,
      stop: async () => {
        admin.refuse();
        following.stop();
        await Promise.all([backend?.stop(), deliverer?.stop()]);
        await searchProcess?.stop();
        await admin.stop();
      },
    };
  } catch (error) {
    following.stop();
    await backend?.stop();
    throw error;
  }
}

/** Serves `/live`, `/ready` and `/metrics` for operators, on a port of its own that need not be public. */
function serveAdmin(
  { adminHost, adminPort, deliverer, searchProcess }: ServerOptions,
  following: Following,
  backend: Backend,
) {
  let isStopping = false;
  const routes = {
    "/live": () => new Response("live\n"),
    "/ready": () => {
      const isReady = !isStopping && following.isCurrent() && backend.isReady();
      const lines = [isReady ? "ready" : "not ready", ...following.describe(), ...backend.describe()];
      return new Response(`${lines.join("\n")}\n`, { status: isReady ? 200 : 503 });
    },
    "/metrics": async () => {
      const parts = [await backend.readMetrics(), following.readGauges()];
      const samples = addSamples([...parts, deliverer?.readGauges() ?? {}, searchProcess?.readMetrics() ?? {}]);
      const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
      return new Response(formatMetrics(samples), { headers });
    },
  };
  const fetch = (): Response => new Response("Not found: /live, /ready and /metrics are here.\n", { status: 404 });
  const server = startListening("admin-", adminHost, adminPort, () =>
    Bun.serve({ hostname: adminHost, port: adminPort, routes, fetch }),
  );
  return {
    port: server.port ?? adminPort,
    refuse: () => (isStopping = true),
    stop: async () => server.stop(true),
  };
}
