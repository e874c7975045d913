import type { Subprocess } from "bun";
import type { Logger } from "pino";
import { ExpectedError } from "../catalog/expected-error.ts";
import { addSamples, pickCounters, readProcessGauges, type Samples } from "../http/observe/metrics.ts";
import { addUpdate, type StateUpdate } from "../following/served-state.ts";
import type { SearchProcess } from "../search/search-process.ts";
import type { SearchOutcome } from "../search/searcher.ts";
import { withinTime } from "../following/follow-store.ts";
import type { FromWorker, Heartbeat, ToWorker } from "./run-worker.ts";

/** A crash loop is MAX_EARLY_ENDS consecutive workers that each exit within EARLY_END_MS of their start. */
const EARLY_END_MS = 5000;
const MAX_EARLY_ENDS = 5;
/** The delay before another attempt, if the system could not start a worker. It doubles while other workers serve. */
const RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;
/** Slightly longer than a worker takes to drain. */
const STOP_MS = 4700;
/** How long a stopping supervisor waits for the workers that it killed. */
const KILLED_MS = 200;
const METRICS_TIMEOUT_MS = 1000;

export interface WorkerOptions {
  count: number;
  /** The command that starts a worker. Its program must call `runWorker`. */
  command: string[];
  /** Settings, passed as environment variables, because other users of the machine can read a command line. */
  environment: Record<string, string>;
  heartbeat: Heartbeat;
}

interface SupervisorOptions extends WorkerOptions {
  port: number;
  logger: Logger;
  /** Defaults to RETRY_MS. An option, so that tests do not wait. */
  retryMs?: number;
  searchProcess?: SearchProcess | undefined;
}

interface Worker {
  process: Subprocess;
  startedAtMs: number;
  isListening: boolean;
  failure: string | undefined;
  /** True once the worker hung and was killed. The process can take a while to end, for example during disk I/O. */
  isKilled: boolean;
  damage: string | undefined;
  /** The number of beats since the worker's last message. */
  unansweredBeats: number;
  snapshot: Samples;
  onMetrics: (() => void)[];
}

/** Keeps `count` workers running by replacing those that end or hang. */
export class Supervisor {
  port: number;
  readonly #options: SupervisorOptions;
  readonly #workers = new Set<Worker>();
  readonly #replaced = { ended: 0, hung: 0 };
  #known: StateUpdate = { keys: [], publications: [], replacesKeys: true, replacesPublications: true };
  readonly #failed = Promise.withResolvers<Error>();
  /** The counters of ended workers: without them, the sums would shrink, which would look like a restart. */
  #endedCounts: Samples = {};
  #isStoreAway = false;
  /** True from the time when all workers listen until `stop` is called. */
  #replaces = false;
  #earlyEnds = 0;
  #retries = 0;
  #beats: Timer | undefined;
  #retry: Timer | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.port = options.port;
  }

  /** Resolves if workers crash repeatedly. */
  get failed(): Promise<Error> {
    return this.#failed.promise;
  }

  isReady(): boolean {
    return this.#countServing() > 0 && this.#listDamages().size === 0;
  }

  describe(): string[] {
    const quiet = [...this.#workers].filter((worker) => this.#isQuiet(worker));
    return [...this.#listDamages(), ...quiet.map(({ process: { pid } }) => `Worker ${pid} does not answer.`)];
  }

  async start(): Promise<void> {
    this.#beats = setInterval(() => this.#beat(), this.#options.heartbeat.intervalMs);
    // With port 0, the first worker picks a free port, which the others share.
    try {
      this.port = await this.#startWorker();
      await Promise.all(Array.from({ length: this.#options.count - 1 }, async () => this.#startWorker()));
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#replaces = true;
    // A worker might have ended while others started.
    this.#startReplacements();
  }

  handOn(update: StateUpdate): void {
    this.#known = addUpdate(this.#known, update);
    this.#sendAll({ type: "update", update });
  }

  tellStore(isAway: boolean): void {
    this.#isStoreAway = isAway;
    this.#sendAll({ type: "store", isAway });
  }

  async readMetrics(): Promise<Samples> {
    const asked = [...this.#workers].filter(({ isListening }) => isListening);
    await Promise.all(asked.map(askForMetrics));
    const running = asked.filter((worker) => this.#workers.has(worker)).map(({ snapshot }) => snapshot);
    const own = { lectern_workers: this.#countServing(), ...countReplaced(this.#replaced), ...readProcessGauges() };
    return addSamples([...running, this.#endedCounts, own]);
  }

  async stop(): Promise<void> {
    this.#replaces = false;
    clearInterval(this.#beats);
    clearTimeout(this.#retry);
    const ending = [...this.#workers].map(({ process }) => process);
    for (const worker of this.#workers) {
      // A worker that does not listen yet might miss the message.
      if (worker.isListening) send(worker, { type: "stop" });
      else worker.process.kill("SIGKILL");
    }
    const timer = setTimeout(() => ending.forEach((child) => child.kill("SIGKILL")), STOP_MS);
    const ended = Promise.all(ending.map(async (child) => child.exited));
    // An unkillable worker must not keep this process alive.
    await withinTime(ended, STOP_MS + KILLED_MS).catch(() => ending.forEach((child) => child.unref()));
    clearTimeout(timer);
  }

  /** Resolves with the port once the worker listens on it. */
  async #startWorker(): Promise<number> {
    const { command, environment } = this.#options;
    const listening = Promise.withResolvers<number>();
    try {
      const worker: Worker = {
        startedAtMs: Date.now(),
        isListening: false,
        failure: undefined,
        isKilled: false,
        damage: undefined,
        unansweredBeats: 0,
        snapshot: {},
        onMetrics: [],
        process: Bun.spawn(command, {
          env: { ...process.env, ...environment },
          stdio: ["ignore", "inherit", "inherit"],
          ipc: (message: FromWorker) => this.#receive(worker, message, listening),
          onExit: (child) => {
            const reason = worker.failure ?? String(child.signalCode ?? `code ${child.exitCode}`);
            const end = worker.isKilled ? "hung before it could serve" : `exited before it could serve (${reason})`;
            listening.reject(new Error(`A worker ${end}.`));
            this.#takeEnd(worker, reason);
          },
        }),
      };
      this.#workers.add(worker);
      this.#retries = 0;
    } catch (error) {
      // For example, the system lacks memory, or an upgrade is replacing the program.
      if (this.#replaces) this.#replaceLater((error as Error).message);
      throw error;
    }
    return listening.promise;
  }

  #receive(worker: Worker, message: FromWorker, listening: PromiseWithResolvers<number>): void {
    worker.unansweredBeats = 0;
    if (message.type === "waiting") {
      send(worker, { type: "start", state: this.#known, isStoreAway: this.#isStoreAway, port: this.port });
    } else if (message.type === "listening") {
      worker.isListening = true;
      listening.resolve(message.port);
    } else if (message.type === "failed") {
      worker.failure = message.message;
      listening.reject(new ExpectedError(message.message));
      worker.process.kill("SIGKILL");
    } else if (message.type === "damage") {
      worker.damage = message.damage;
    } else if (message.type === "search") {
      const { id, request } = message;
      const unavailable: SearchOutcome = { status: "unavailable" };
      void (this.#options.searchProcess?.search(request) ?? Promise.resolve(unavailable)).then((outcome) =>
        send(worker, { type: "found", id, outcome }),
      );
    } else if (message.type === "metrics") {
      worker.snapshot = message.snapshot;
      for (const resolve of worker.onMetrics.splice(0)) resolve();
    }
  }

  #takeEnd(worker: Worker, reason: string): void {
    const { logger } = this.#options;
    this.#workers.delete(worker);
    this.#endedCounts = addSamples([this.#endedCounts, pickCounters(worker.snapshot)]);
    if (!this.#replaces) return;
    this.#replaced[worker.isKilled ? "hung" : "ended"]++;
    if (!worker.isKilled) {
      this.#earlyEnds = Date.now() - worker.startedAtMs < EARLY_END_MS ? this.#earlyEnds + 1 : 0;
      logger.error({ pid: worker.process.pid, reason }, "a worker exited; replacing it");
    }
    this.#replaceUnlessLooping(reason);
  }

  /** Tries again after a delay. Unless a worker serves, those that could not be started count as one early end. */
  #replaceLater(reason: string): void {
    clearTimeout(this.#retry);
    const isServed = [...this.#workers].some(({ isListening, isKilled }) => isListening && !isKilled);
    const { retryMs = RETRY_MS } = this.#options;
    const delay = isServed ? Math.min(retryMs * 2 ** this.#retries, MAX_RETRY_MS) : retryMs;
    this.#retry = setTimeout(() => {
      if (isServed) this.#retries++;
      else this.#earlyEnds++;
      this.#replaceUnlessLooping(reason);
    }, delay);
  }

  #replaceUnlessLooping(reason: string): void {
    if (this.#earlyEnds < MAX_EARLY_ENDS) return this.#startReplacements();
    const times = `giving up after ${this.#earlyEnds} attempts`;
    this.#failed.resolve(new Error(`Workers exit as soon as they start (${reason}); ${times}.`));
  }

  #beat(): void {
    const { heartbeat, logger } = this.#options;
    for (const worker of this.#workers) {
      const { isKilled, unansweredBeats, process } = worker;
      if (isKilled) continue;
      worker.unansweredBeats++;
      if (unansweredBeats < heartbeat.hungBeats) {
        send(worker, { type: "beat" });
        continue;
      }
      // Only SIGKILL ends a hanging process. The kernel closes its connections and gives new ones to other workers.
      logger.error({ pid: process.pid, unansweredBeats }, "a worker hangs; killing and replacing it");
      worker.isKilled = true;
      process.kill("SIGKILL");
    }
  }

  #startReplacements(): void {
    const { count, logger } = this.#options;
    for (let missing = count - this.#workers.size; missing > 0; missing--) {
      this.#startWorker().then(
        () => logger.info({ workers: this.#workers.size }, "a new worker is serving"),
        (error) => logger.error({ err: error }, "a new worker failed to start"),
      );
    }
  }

  #isQuiet({ unansweredBeats }: Worker): boolean {
    return unansweredBeats >= this.#options.heartbeat.quietBeats;
  }

  #countServing(): number {
    return [...this.#workers].filter((worker) => worker.isListening && !this.#isQuiet(worker)).length;
  }

  #listDamages(): Set<string> {
    return new Set([...this.#workers].flatMap(({ damage }) => damage ?? []));
  }

  #sendAll(message: ToWorker): void {
    for (const worker of this.#workers) send(worker, message);
  }
}

export function countReplaced({ ended, hung }: { ended: number; hung: number }): Record<string, number> {
  const name = "lectern_workers_replaced_total";
  return { [`${name}{reason="ended"}`]: ended, [`${name}{reason="hung"}`]: hung };
}

/** Resolves when the worker sends its metrics, ends, or times out. After a time-out, its previous metrics are used. */
async function askForMetrics(worker: Worker): Promise<unknown> {
  const sent = new Promise<void>((resolve) => worker.onMetrics.push(resolve));
  send(worker, { type: "metrics" });
  return withinTime(Promise.race([sent, worker.process.exited]), METRICS_TIMEOUT_MS).catch(() => undefined);
}

function send(worker: Worker, message: ToWorker): void {
  try {
    worker.process.send(message);
  } catch {
    // The worker has ended; onExit handles it.
  }
}
