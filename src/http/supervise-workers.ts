import type { Subprocess } from "bun";
import type { Logger } from "pino";
import type { ChangeFeed } from "../catalog/store.ts";
import type { KeyStore } from "../keys/key.ts";
import { readState } from "./follow-store.ts";
import type { MetricsSnapshot } from "./request-metrics.ts";
import type { StateUpdate } from "./served-state.ts";
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
  port: number;
  changes: ChangeFeed;
  keys: KeyStore;
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
  onMetrics: ((snapshot: MetricsSnapshot) => void) | undefined;
}

export interface Supervisor {
  readonly runningWorkers: number;
  /** Starts the workers. Throws when one cannot listen. `failed` settles when they only crash. */
  start(): Promise<{ port: number; failed: Promise<Error> }>;
  handOn(update: StateUpdate): void;
  readSnapshots(): Promise<MetricsSnapshot[]>;
  stop(): Promise<void>;
}

/** Keeps a number of worker processes running: one that ends is replaced at once. */
export function superviseWorkers(options: SupervisorOptions): Supervisor {
  const { count, command, changes, keys, logger } = options;
  const workers = new Set<Worker>();
  let port = options.port;
  let isStopping = false;
  let earlyEnds = 0;
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
        onMetrics: undefined,
        process: Bun.spawn(command, {
          stdio: ["ignore", "inherit", "inherit"],
          ipc: (message: FromWorker) => void receive(worker, message),
          onExit: (child) => replace(worker, worker.failure ?? String(child.signalCode ?? `code ${child.exitCode}`)),
        }),
      };
      workers.add(worker);
    });
  }

  async function receive(worker: Worker, message: FromWorker): Promise<void> {
    switch (message.type) {
      case "waiting":
        try {
          // Read anew: what was handed on before may be more than the state, and is no state.
          send(worker, { type: "start", state: await readState(changes, keys), port });
        } catch (error) {
          logger.error({ err: error }, "cannot read the store for a new worker");
          worker.process.kill("SIGKILL");
        }
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
        worker.onMetrics?.(message.snapshot);
        break;
    }
  }

  function replace(worker: Worker, reason: string): void {
    workers.delete(worker);
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
      for (const worker of workers) send(worker, { type: "update", update });
    },

    async readSnapshots() {
      const asked = [...workers].filter((worker) => worker.isListening);
      const answers = asked.map(async (worker) => {
        const answer = new Promise<MetricsSnapshot[]>((resolve) => (worker.onMetrics = (one) => resolve([one])));
        send(worker, { type: "metrics" });
        // One that is busy is left out rather than holding up the others.
        return Promise.race([answer, Bun.sleep(METRICS_TIMEOUT_MS).then(() => [])]);
      });
      return (await Promise.all(answers)).flat();
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

function send(worker: Worker, message: ToWorker): void {
  try {
    worker.process.send(message);
  } catch {
    // It has ended; onExit takes care of it.
  }
}
