// A server in one process, or a supervisor of several.
import type { ChangeFeed } from "../catalog/store.ts";
import type { HookDeliverer } from "../hooks/deliver-hooks.ts";
import type { KeyStore } from "../keys/key.ts";
import { serveAdmin } from "./admin.ts";
import { applyUpdate, createRequestContext, type ApiOptions } from "../http/request-context.ts";
import { listen } from "./listen.ts";
import { followStores, type Following } from "../following/follow-stores.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { readProcessGauges, sumSnapshots, type MetricsSnapshot } from "../http/observe/metrics.ts";
import { countReplaced, superviseWorkers } from "./supervise-workers.ts";

export interface ServerOptions extends ApiOptions {
  /** Where keys change and releases are published. */
  changes: ChangeFeed;
  /** Where the catalog is read: the same object, or a replica's. */
  content: ChangeFeed;
  keys: KeyStore;
  /** Delivers hooks while the server runs; undefined where it is not to. */
  deliverer?: HookDeliverer | undefined;
  host: string;
  /** 0 takes a free port. */
  port: number;
  adminHost: string;
  adminPort: number;
  logsRequests: boolean;
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
  port: number;
  failed: Promise<Error>;
  isReady(): boolean;
  /** What an operator should know of it, a line per entry. */
  describe(): string[];
  readMetrics(): Promise<MetricsSnapshot>;
  stop(): Promise<void>;
}

/** Starts the API and the admin listener in this process. Throws when the store cannot be read or a port is taken. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const context = createRequestContext(options);
  const following = await followStores(options, {
    onUpdate(update) {
      applyUpdate(context, update);
      options.deliverer?.wake();
    },
    onContentAway: (isAway) => (context.store.isAway = isAway),
  });
  return run(options, following, async () => {
    const api = listen(context, { ...options, sharesPort: false });
    return {
      port: api.port,
      failed: new Promise<Error>(() => {}),
      isReady: () => true,
      describe: () => [],
      async readMetrics() {
        const gauges = { lectern_workers: 1, ...countReplaced({ ended: 0, hung: 0 }) };
        return sumSnapshots([api.snapshot(), { tallies: [], gauges }]);
      },
      stop: async () => api.stop(),
    };
  });
}

export interface WorkerOptions {
  count: number;
  /** The command line of a worker: it must call `runWorker`. */
  command: string[];
  /** Its settings. In a command line, other users of the machine could read them. */
  environment: Record<string, string>;
  /** How soon one that hangs is replaced. */
  heartbeat: Heartbeat;
}

/**
 * Starts workers that share the port, and the admin listener in this process. Only this process looks for changes in the
 * store; it sends them to the workers. Throws when the store cannot be read, a port is taken or a worker does not start.
 */
export async function startWorkers(options: ServerOptions, workers: WorkerOptions): Promise<RunningServer> {
  const supervisor = superviseWorkers({ ...workers, ...options });
  const following = await followStores(options, {
    onUpdate(update) {
      supervisor.handOn(update);
      options.deliverer?.wake();
    },
    onContentAway: (isAway) => supervisor.tellStore(isAway),
  });
  return run(options, following, async () => {
    const { port, failed } = await supervisor.start();
    return {
      port,
      failed,
      isReady: () => supervisor.isReady(),
      describe: () => supervisor.describe(),
      async readMetrics() {
        const gauges = { ...supervisor.readGauges(), ...readProcessGauges() };
        return sumSnapshots([...(await supervisor.readSnapshots()), { tallies: [], gauges }]);
      },
      stop: async () => supervisor.stop(),
    };
  });
}

async function run(
  { adminHost, adminPort, deliverer }: ServerOptions,
  following: Following,
  start: () => Promise<Backend>,
): Promise<RunningServer> {
  let backend: Backend | undefined;
  let isStopping = false;
  try {
    const running = await start();
    backend = running;
    const admin = serveAdmin({
      host: adminHost,
      port: adminPort,
      readiness: () => ({
        isReady: !isStopping && following.isCurrent && running.isReady(),
        remarks: [...following.describe(), ...running.describe()],
      }),
      async readMetrics() {
        const gauges = { ...following.readGauges(), ...deliverer?.readGauges() };
        return sumSnapshots([await running.readMetrics(), { tallies: [], gauges }]);
      },
    });
    deliverer?.start();
    return {
      port: running.port,
      adminPort: admin.port ?? adminPort,
      failed: running.failed,
      async stop() {
        isStopping = true;
        following.stop();
        await Promise.all([running.stop(), deliverer?.stop()]);
        await admin.stop(true);
      },
    };
  } catch (error) {
    following.stop();
    await backend?.stop();
    throw error;
  }
}
