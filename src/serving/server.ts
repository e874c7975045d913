// Runs a server in one process, or a supervisor with workers.
import type { ChangeFeed } from "../catalog/store.ts";
import { applyUpdate, createRequestContext, type ApiOptions } from "../http/request-context.ts";
import { serveAdmin, type AdminOptions, type Observed } from "./admin.ts";
import { listen, type ListenOptions } from "./listen.ts";
import { CurrentReleases } from "../following/served-state.ts";
import { followStores, type FollowingEvents } from "../following/follow-stores.ts";
import type { Samples } from "../http/observe/metrics.ts";
import type { SearchRequest } from "../search/searcher.ts";
import type { SearchProcess } from "../search/search-process.ts";
import { countReplaced, Supervisor, type WorkerOptions } from "./supervise-workers.ts";

export interface ServerOptions extends ApiOptions, AdminOptions, Omit<ListenOptions, "sharesPort" | "answerFirst"> {
  /** The store for keys, publications and hooks. */
  changes: ChangeFeed;
  /** The store for content: the same object as `changes`, or a replica's store. */
  content: ChangeFeed;
  searchProcess?: SearchProcess | undefined;
}

export interface RunningServer {
  port: number;
  adminPort: number;
  /** Resolves with the reason if the server ends by itself. */
  failed: Promise<Error>;
  /** Stops accepting connections, drains for up to 4 seconds, and closes. */
  stop(): Promise<void>;
}

/** What answers requests: this process or its workers. */
interface Backend extends Pick<Observed, "isReady" | "describe"> {
  readonly port: number;
  readonly failed: Promise<Error>;
  readMetrics(): Samples | Promise<Samples>;
  stop(): Promise<void>;
}

/** Starts the API and the admin listener in this process. Throws if the store cannot be read or a port is in use. */
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
      isReady: () => context.store.damage === undefined,
      describe: () => (context.store.damage === undefined ? [] : [context.store.damage]),
      readMetrics: () => ({ ...api.snapshot(), ...gauges }),
      stop: async () => api.stop(),
    };
  });
}

/**
 * Starts workers that share the port, and the admin listener in this process. Only this process polls the store, and it
 * sends changes to the workers. Throws if the store cannot be read, a port is in use, or a worker does not start.
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
  const releases = new CurrentReleases();
  const following = await followStores(options, {
    ...events,
    onUpdate(update) {
      events.onUpdate(update);
      releases.apply(update);
      deliverer?.wake();
      if (update.replacesPublications) searchProcess?.restart();
      else searchProcess?.follow(update.publications.map(({ project }) => project));
    },
  });
  let started: Backend | undefined;
  try {
    const backend = (started = await start());
    const { port, failed } = backend;
    const admin = serveAdmin(options, {
      isReady: () => following.isCurrent() && backend.isReady(),
      describe: () => [...following.describe(), ...backend.describe()],
      readSamples: async () => [
        await backend.readMetrics(),
        following.readGauges(),
        releases.readGauges(Date.now()),
        searchProcess?.readMetrics() ?? {},
      ],
    });
    deliverer?.start();
    return {
      port,
      failed,
      adminPort: admin.port,
      stop: async () => {
        admin.refuse();
        following.stop();
        await Promise.all([backend.stop(), deliverer?.stop()]);
        await searchProcess?.stop();
        await admin.stop();
      },
    };
  } catch (error) {
    following.stop();
    await started?.stop();
    throw error;
  }
}
