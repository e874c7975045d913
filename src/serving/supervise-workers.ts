import type { Subprocess } from "bun";
import type { Logger } from "pino";
import { startBeating, type Heartbeat } from "./heartbeat.ts";
import { sumSnapshots, type MetricsSnapshot } from "../http/observe/metrics.ts";
import { KnownState, type StateUpdate } from "../following/served-state.ts";
import { withinTime } from "../following/within-time.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/** This many workers in a row that end sooner than this after their start are a crash loop. */
const EARLY_END_MS = 5000;
const MAX_EARLY_ENDS = 5;
/** A little more than a worker takes to finish its answers. */
const STOP_MS = 4700;
/** How long a stop then waits for workers that were killed. */
const KILLED_MS = 200;
const METRICS_TIMEOUT_MS = 1000;

export interface SupervisorOptions {
  count: number;
  command: string[];
  /** Variables of the workers' environment, beside those of this process. */
  environment: Record<string, string>;
  port: number;
  logger: Logger;
  heartbeat: Heartbeat;
}

interface Worker {
  process: Subprocess;
  startedAtMs: number;
  isListening: boolean;
  /** Why it could not listen, as it said. */
  failure: string | undefined;
  /** Beats since its last answer. */
  unansweredBeats: number;
  onListening: (port: number) => void;
  onFailure: (error: Error) => void;
  /** Its metrics as it last sent them. */
  snapshot: MetricsSnapshot;
  /** All are called when it next sends its metrics. */
  onMetrics: (() => void)[];
}

export interface Supervisor {
  /** True while some worker serves and answers its heartbeat. */
  isReady(): boolean;
  /** What an operator should know of the workers, a line per entry. */
  describe(): string[];
  readGauges(): Record<string, number>;
  /** Starts the workers. Throws when one cannot listen. `failed` settles when workers crash again and again. */
  start(): Promise<{ port: number; failed: Promise<Error> }>;
  /** Sends an update to every worker, also to those that start later. */
  handOn(update: StateUpdate): void;
  tellStore(isAway: boolean): void;
  readSnapshots(): Promise<MetricsSnapshot[]>;
  stop(): Promise<void>;
}

/** Keeps a number of worker processes running: one that ends, or hangs, is replaced at once. */
export function superviseWorkers(options: SupervisorOptions): Supervisor {
  const { count, command, environment, logger, heartbeat } = options;
  const workers = new Set<Worker>();
  /** Workers that hung and were killed, until they end. One that waits for a disk or a network file system may not end. */
  const killed = new Set<Worker>();
  const replaced = { ended: 0, hung: 0 };
  const known = new KnownState();
  let isStoreAway = false;
  let port = options.port;
  let hasStarted = false;
  let isStopping = false;
  let stopBeating = (): void => {};
  let earlyEnds = 0;
  /**
   * The counters of workers that have ended. Without them the sums would shrink, which looks like a restart of the server.
   */
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
        unansweredBeats: 0,
        onListening: resolve,
        onFailure: reject,
        snapshot: { tallies: [], gauges: {} },
        onMetrics: [],
        process: Bun.spawn(command, {
          env: { ...process.env, ...environment },
          stdio: ["ignore", "inherit", "inherit"],
          ipc: (message: FromWorker) => receive(worker, message),
          onExit: (child) => takeEnd(worker, worker.failure ?? String(child.signalCode ?? `code ${child.exitCode}`)),
        }),
      };
      workers.add(worker);
    });
  }

  function receive(worker: Worker, message: FromWorker): void {
    worker.unansweredBeats = 0;
    switch (message.type) {
      case "waiting":
        // The stop was sent to all workers before this one listened.
        send(worker, isStopping ? { type: "stop" } : { type: "start", state: known.toUpdate(), isStoreAway, port });
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

  function takeEnd(worker: Worker, reason: string): void {
    if (killed.delete(worker)) {
      startReplacements();
      return;
    }
    drop(worker, `A worker ended before it could serve (${reason}).`);
    if (!hasStarted || isStopping) return;
    replaced.ended++;
    earlyEnds = Date.now() - worker.startedAtMs < EARLY_END_MS ? earlyEnds + 1 : 0;
    logger.error({ pid: worker.process.pid, reason }, "a worker ended; another takes its place");
    if (earlyEnds >= MAX_EARLY_ENDS) {
      fail(new Error(`Workers end as soon as they start (${reason}); giving up after ${earlyEnds} times.`));
      return;
    }
    startReplacements();
  }

  function beat(): void {
    for (const worker of workers) {
      if (worker.unansweredBeats >= heartbeat.hungBeats) {
        kill(worker);
        continue;
      }
      worker.unansweredBeats++;
      send(worker, { type: "beat" });
    }
    for (const worker of killed) {
      worker.unansweredBeats++;
      if (worker.unansweredBeats === 2 * heartbeat.hungBeats) {
        logger.error({ pid: worker.process.pid }, "a worker that was killed does not end; its connections wait");
      }
    }
  }

  /**
   * Nothing else ends a process that hangs. The system then closes its connections, so that its clients notice, and gives
   * it no new ones.
   */
  function kill(worker: Worker): void {
    const { pid } = worker.process;
    logger.error({ pid, unansweredBeats: worker.unansweredBeats }, "a worker hangs: it is killed, and replaced");
    killed.add(worker);
    worker.process.kill("SIGKILL");
    drop(worker, "A worker hung before it could serve.");
    if (!hasStarted) return;
    replaced.hung++;
    startReplacements();
  }

  function drop(worker: Worker, reason: string): void {
    workers.delete(worker);
    endedCounts = sumSnapshots([endedCounts, countsOf(worker.snapshot)]);
    for (const resolve of worker.onMetrics.splice(0)) resolve();
    worker.onFailure(new Error(reason));
  }

  /** Does not wait for the end of killed workers. Where none of them ends, the number of processes stays bounded. */
  function startReplacements(): void {
    if (!hasStarted || isStopping) return;
    while (workers.size < count && workers.size + killed.size < 2 * count) {
      startWorker().then(
        () => logger.info({ workers: workers.size }, "a new worker serves"),
        (error) => logger.error({ err: error }, "a new worker does not serve"),
      );
    }
  }

  const isQuiet = (worker: Worker): boolean => worker.unansweredBeats >= heartbeat.quietBeats;
  const listServing = (): Worker[] => [...workers].filter((worker) => worker.isListening && !isQuiet(worker));

  return {
    isReady: () => listServing().length > 0,

    describe: () => [
      ...[...workers].filter(isQuiet).map(({ process: { pid } }) => `Worker ${pid} does not answer.`),
      ...[...killed].map(({ process: { pid } }) => `Worker ${pid} hung and was killed; it has not ended yet.`),
    ],

    readGauges: () => ({ lectern_workers: listServing().length, ...countReplaced(replaced) }),

    async start() {
      stopBeating = startBeating(heartbeat.intervalMs, beat);
      // With port 0 the first worker gets a free port, which the others share.
      try {
        port = await startWorker();
        await Promise.all(Array.from({ length: count - 1 }, async () => startWorker()));
      } catch (error) {
        await stop();
        throw error;
      }
      hasStarted = true;
      // One that served may have ended while others started.
      startReplacements();
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
    stopBeating();
    const ending = [...workers, ...killed];
    for (const worker of workers) send(worker, { type: "stop" });
    const timer = setTimeout(() => {
      for (const worker of workers) worker.process.kill("SIGKILL");
    }, STOP_MS);
    const ended = Promise.all(ending.map(async (worker) => worker.process.exited));
    const isEnded = await withinTime(ended, STOP_MS + KILLED_MS).then(
      () => true,
      () => false,
    );
    clearTimeout(timer);
    // A worker that no signal ends must not keep this process alive.
    if (!isEnded) for (const worker of ending) worker.process.unref();
  }
}

/** The counters of replaced workers, as gauges of a snapshot. */
export function countReplaced({ ended, hung }: { ended: number; hung: number }): Record<string, number> {
  const name = "lectern_workers_replaced_total";
  return { [`${name}{reason="ended"}`]: ended, [`${name}{reason="hung"}`]: hung };
}

/** Resolves when the worker has sent its metrics, or after a time-out: then its last ones are used. */
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
