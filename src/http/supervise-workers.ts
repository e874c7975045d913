import type { Subprocess } from "bun";
import type { Logger } from "pino";
import { sumSnapshots } from "./metrics-text.ts";
import type { MetricsSnapshot } from "./request-metrics.ts";
import { KnownState, type StateUpdate } from "./served-state.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/** Workers that end sooner than this after their start, so many in a row, are a crash loop. */
const EARLY_END_MS = 5000;
const MAX_EARLY_ENDS = 5;
/** A little more than a worker takes to finish what is under way. */
const STOP_MS = 4700;
const METRICS_TIMEOUT_MS = 1000;

export interface SupervisorOptions {
  count: number;
  command: string[];
  /** Variables of the workers' environment, beside those of this process. */
  environment: Record<string, string>;
  port: number;
  logger: Logger;
}

interface Worker {
  process: Subprocess;
  startedAtMs: number;
  isListening: boolean;
  /** Why it could not listen. */
  failure: string | undefined;
  onListening: (port: number) => void;
  onFailure: (error: Error) => void;
  /** Its numbers when it last told them. */
  snapshot: MetricsSnapshot;
  /** Called, all of them, when it next tells its numbers. */
  onMetrics: (() => void)[];
}

export interface Supervisor {
  readonly runningWorkers: number;
  /** Starts the workers. Throws when one cannot listen. `failed` settles when they only crash. */
  start(): Promise<{ port: number; failed: Promise<Error> }>;
  /** Tells every worker, those too that start later. */
  handOn(update: StateUpdate): void;
  tellStore(isAway: boolean): void;
  readSnapshots(): Promise<MetricsSnapshot[]>;
  stop(): Promise<void>;
}

/** Keeps a number of worker processes running: one that ends is replaced at once. */
export function superviseWorkers(options: SupervisorOptions): Supervisor {
  const { count, command, environment, logger } = options;
  const workers = new Set<Worker>();
  const known = new KnownState();
  let isStoreAway = false;
  let port = options.port;
  let isStopping = false;
  let earlyEnds = 0;
  /** What workers counted that have ended: a sum that shrank would look like a restart of the server. */
  let endedCounts: MetricsSnapshot = { tallies: [], gauges: {} };
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<Error>((resolve) => (fail = resolve));

  /** Resolves with the worker's port once it listens. */
  function startWorker(): Promise<number> {
    return new Promise((resolve, reject) => {
      const worker: Worker = {
        startedAtMs: Date.now(),
        isListening: false,
        failure: undefined,
        onListening: resolve,
        onFailure: reject,
        snapshot: { tallies: [], gauges: {} },
        onMetrics: [],
        process: Bun.spawn(command, {
          env: { ...process.env, ...environment },
          stdio: ["ignore", "inherit", "inherit"],
          ipc: (message: FromWorker) => receive(worker, message),
          onExit: (child) => replace(worker, worker.failure ?? String(child.signalCode ?? `code ${child.exitCode}`)),
        }),
      };
      workers.add(worker);
    });
  }

  function receive(worker: Worker, message: FromWorker): void {
    switch (message.type) {
      case "waiting":
        send(worker, { type: "start", state: known.toUpdate(), isStoreAway, port });
        break;
      case "listening":
        worker.isListening = true;
        worker.onListening(message.port);
        break;
      case "failed":
        worker.failure = message.message;
        worker.onFailure(Object.assign(new Error(message.message), { code: message.code }));
        worker.process.kill("SIGKILL");
        break;
      case "metrics":
        worker.snapshot = message.snapshot;
        for (const resolve of worker.onMetrics.splice(0)) resolve();
        break;
    }
  }

  function replace(worker: Worker, reason: string): void {
    workers.delete(worker);
    endedCounts = sumSnapshots([endedCounts, countsOf(worker.snapshot)]);
    for (const resolve of worker.onMetrics.splice(0)) resolve();
    worker.onFailure(new Error(`A worker ended before it could serve (${reason}).`));
    if (isStopping) return;
    earlyEnds = Date.now() - worker.startedAtMs < EARLY_END_MS ? earlyEnds + 1 : 0;
    logger.error({ pid: worker.process.pid, reason }, "a worker ended; another takes its place");
    if (earlyEnds >= MAX_EARLY_ENDS) {
      fail(new Error(`Workers end as soon as they start (${reason}); giving up after ${earlyEnds} times.`));
      return;
    }
    startWorker().then(
      () => logger.info({ workers: workers.size }, "a new worker serves"),
      (error) => logger.error({ err: error }, "a new worker does not serve"),
    );
  }

  return {
    get runningWorkers() {
      return [...workers].filter((worker) => worker.isListening).length;
    },

    async start() {
      // The first finds the port where any will do; the others share it.
      try {
        port = await startWorker();
        await Promise.all(Array.from({ length: count - 1 }, async () => startWorker()));
      } catch (error) {
        await stop();
        throw error;
      }
      return { port, failed };
    },

    handOn(update) {
      known.apply(update);
      for (const worker of workers) send(worker, { type: "update", update });
    },

    tellStore(isAway) {
      isStoreAway = isAway;
      for (const worker of workers) send(worker, { type: "store", isAway });
    },

    async readSnapshots() {
      const asked = [...workers].filter((worker) => worker.isListening);
      await Promise.all(asked.map(askForMetrics));
      const running = asked.filter((worker) => workers.has(worker)).map((worker) => worker.snapshot);
      return [...running, endedCounts];
    },

    stop,
  };

  async function stop(): Promise<void> {
    isStopping = true;
    const ended = Promise.all([...workers].map(async (worker) => worker.process.exited));
    for (const worker of workers) send(worker, { type: "stop" });
    // Not Bun.sleep: what is left of it would keep this process alive after its workers have ended.
    const timer = setTimeout(() => {
      for (const worker of workers) worker.process.kill("SIGKILL");
    }, STOP_MS);
    await ended;
    clearTimeout(timer);
  }
}

/** Resolves when the worker has told its numbers; one that is busy is not waited for, its last ones will do. */
async function askForMetrics(worker: Worker): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, METRICS_TIMEOUT_MS);
    worker.onMetrics.push(() => {
      clearTimeout(timer);
      resolve();
    });
    send(worker, { type: "metrics" });
  });
}

function countsOf({ tallies, gauges }: MetricsSnapshot): MetricsSnapshot {
  return { tallies, gauges: Object.fromEntries(Object.entries(gauges).filter(([name]) => name.endsWith("_total"))) };
}

function send(worker: Worker, message: ToWorker): void {
  try {
    worker.process.send(message);
  } catch {
    // It has ended; onExit takes care of it.
  }
}
