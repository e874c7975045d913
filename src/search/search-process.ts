// A server's side of its search process. Starts the process on the first search, sends it one search at a time, and
// kills it if a search takes too long. Queued searches then go to the next process.
import type { Subprocess } from "bun";
import type { Logger } from "pino";
import type { FromSearch, ToSearch } from "./search-child.ts";
import type { SearchOutcome, SearchRequest } from "./searcher.ts";

const MAX_WAITING = 128;
const MAX_WAITING_OF_PROJECT = 16;
/** The time-out for a search after the process has begun it. */
const MAX_SEARCH_MS = 2000;
/** The time-out for the process to begin a search, which a hanging process never does. */
const MAX_SILENCE_MS = 10_000;
const MAX_WAIT_MS = 5000;
/** How long a search waits for its release to be indexed, and the pause between its attempts. */
const MAX_BUILD_WAIT_MS = 1500;
const BUILD_INTERVAL_MS = 50;
/** The delay before another start, if a process did not start or ended before it was ready. */
const RESTART_MS = 1000;
/** How long a stopping server waits for the process that it killed. */
const KILLED_MS = 1000;

export type Samples = Record<string, number>;

export interface SearchProcessOptions {
  /** The command line of a program that calls `runSearchChild`. */
  command: string[];
  /** Settings, passed as environment variables because other users of the machine can read command lines. */
  environment: Record<string, string>;
  logger: Logger;
  /** The time-out for a search, 2 seconds by default. Tests change it. */
  maxSearchMs?: number;
  /** The clock that measures searches. Tests change it. */
  now?: (() => number) | undefined;
}

interface Waiting {
  request: SearchRequest;
  askedAtMs: number;
  /** How many processes ended during this search. */
  ends: number;
  resolve: (outcome: SearchOutcome) => void;
}

const projectOf = ({ request }: Waiting): string => request.release.project;

export class SearchProcess {
  readonly #options: SearchProcessOptions;
  readonly #now: () => number;
  #queue: Waiting[] = [];
  /** How long each project has searched. A project that begins later counts from `#leastMs`. */
  readonly #usedMs = new Map<string, number>();
  #leastMs = 0;
  #child: Subprocess | undefined;
  #isReady = false;
  /** True while a killed process has not ended yet. */
  #isEnding = false;
  #current: { id: number; waiting: Waiting; sentAtMs: number } | undefined;
  #timer: Timer | undefined;
  #searches = 0;
  #restarts = 0;
  #slow = 0;
  #samples: Samples = {};
  #startsAfterMs = 0;
  #isStopped = false;

  constructor(options: SearchProcessOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Searches a release. Waits briefly if the release is still being indexed. Never rejects. */
  async search(request: SearchRequest): Promise<SearchOutcome> {
    let untilMs: number | undefined;
    for (;;) {
      const outcome = await this.#enqueue(request);
      // Counts from here: a search can have waited for one that was cut, and the next process opens its indexes anew.
      untilMs ??= performance.now() + MAX_BUILD_WAIT_MS;
      if (outcome.status !== "building" || performance.now() > untilMs) return outcome;
      await Bun.sleep(BUILD_INTERVAL_MS);
    }
  }

  /** Announces a publication to the process, if there is one. */
  follow(projects: readonly string[]): void {
    if (projects.length > 0) this.#send({ type: "published", projects: [...new Set(projects)] });
  }

  /** Kills the process when a search is too slow or the store was replaced. The next search starts another process. */
  restart(): void {
    this.#isEnding = this.#child !== undefined;
    this.#isReady = false;
    this.#child?.kill("SIGKILL");
  }

  /** Returns the samples that the process sent in reply to earlier calls, so that callers never wait. */
  readMetrics(): Samples {
    this.#send({ type: "metrics" });
    return {
      ...this.#samples,
      lectern_searches_waiting: this.#queue.length,
      lectern_searches_cut_total: this.#slow,
      lectern_search_restarts_total: this.#restarts,
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#refuseAll();
    const child = this.#child;
    child?.kill("SIGKILL");
    // An unkillable process must not keep this one alive.
    const timedOut = new Promise<void>((resolve) => setTimeout(resolve, KILLED_MS).unref());
    await Promise.race([child?.exited, timedOut]);
    child?.unref();
  }

  #enqueue(request: SearchRequest): Promise<SearchOutcome> {
    const { project } = request.release;
    if (this.#isStopped) return Promise.resolve({ status: "unavailable" });
    // Others' searches must not keep a project's only one out.
    const most = this.#queue.length < MAX_WAITING ? MAX_WAITING_OF_PROJECT : 1;
    if (this.#queue.filter((other) => projectOf(other) === project).length >= most) {
      return Promise.resolve({ status: "busy" });
    }
    return new Promise((resolve) => {
      const waiting = { request, askedAtMs: performance.now(), ends: 0, resolve };
      this.#usedMs.set(project, Math.max(this.#usedMs.get(project) ?? 0, this.#leastMs));
      this.#queue.push(waiting);
      // For a search that no process has taken, for example because the process hangs before it is ready.
      setTimeout(() => {
        if (this.#dequeue(waiting)) resolve({ status: "busy" });
      }, MAX_WAIT_MS).unref();
      this.#sendNext();
    });
  }

  /** Returns false if the search is no longer in the queue. */
  #dequeue(waiting: Waiting): boolean {
    const length = this.#queue.length;
    this.#queue = this.#queue.filter((other) => other !== waiting);
    return this.#queue.length < length;
  }

  /** Takes the project that has searched the shortest, so that one with many or slow searches does not delay others. */
  #takeNext(): Waiting | undefined {
    const usedMs = (waiting: Waiting): number => this.#usedMs.get(projectOf(waiting)) ?? 0;
    const [next] = this.#queue.toSorted((a, b) => usedMs(a) - usedMs(b));
    if (next === undefined) return undefined;
    this.#dequeue(next);
    this.#leastMs = usedMs(next);
    return next;
  }

  #refuseAll(): void {
    for (const { resolve } of this.#queue.splice(0)) resolve({ status: "unavailable" });
  }

  #sendNext(): void {
    if (this.#current !== undefined || this.#queue.length === 0) return;
    if (this.#child === undefined && !this.#start()) this.#refuseAll();
    if (!this.#isReady) return;
    const next = this.#takeNext();
    if (next === undefined) return;
    const id = ++this.#searches;
    this.#current = { id, waiting: next, sentAtMs: this.#now() };
    this.#endAfter(MAX_SILENCE_MS);
    this.#send({ type: "search", id, request: next.request });
  }

  #start(): boolean {
    if (this.#isStopped || performance.now() < this.#startsAfterMs) return false;
    const { command, environment, logger } = this.#options;
    this.#isReady = false;
    try {
      const child = Bun.spawn(command, {
        env: { ...process.env, ...environment },
        stdio: ["ignore", "inherit", "inherit"],
        ipc: (message: FromSearch) => {
          if (child === this.#child) this.#receive(message);
        },
        onExit: ({ exitCode, signalCode }) => this.#takeEnd(String(signalCode ?? `code ${exitCode}`)),
      });
      this.#child = child;
      return true;
    } catch (error) {
      logger.error({ err: error }, "cannot start the search process");
      this.#startsAfterMs = performance.now() + RESTART_MS;
      return false;
    }
  }

  #receive(message: FromSearch): void {
    if (message.type === "ready") {
      this.#isReady = true;
      this.#sendNext();
    } else if (message.type === "begun") {
      if (message.id === this.#current?.id) this.#endAfter(this.#options.maxSearchMs ?? MAX_SEARCH_MS);
    } else if (message.type === "done") {
      if (message.id === this.#current?.id) this.#finish(message.outcome);
      this.#sendNext();
    } else if (message.type === "metrics") {
      this.#samples = message.samples;
    } else {
      const { project, message: reason } = message;
      this.#options.logger.error({ project, reason }, "cannot read or build the search index; retrying");
    }
  }

  #finish(outcome: SearchOutcome): void {
    clearTimeout(this.#timer);
    if (this.#current !== undefined) {
      const { waiting, sentAtMs } = this.#current;
      const project = projectOf(waiting);
      this.#usedMs.set(project, (this.#usedMs.get(project) ?? 0) + this.#now() - sentAtMs);
      waiting.resolve(outcome);
    }
    this.#current = undefined;
    if (this.#queue.length === 0) this.#usedMs.clear();
  }

  #endAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#slow++;
      this.#finish({ status: "slow" });
      this.restart();
    }, ms);
  }

  #takeEnd(reason: string): void {
    const [wasReady, isExpected] = [this.#isReady, this.#isEnding];
    this.#child = undefined;
    this.#isReady = this.#isEnding = false;
    clearTimeout(this.#timer);
    if (this.#isStopped) return this.#finish({ status: "unavailable" });
    this.#restarts++;
    const interrupted = this.#current?.waiting;
    this.#current = undefined;
    if (!isExpected) {
      this.#options.logger.error({ reason }, "the search process ended; the next search starts another");
      if (!wasReady) this.#startsAfterMs = performance.now() + RESTART_MS;
    }
    const isLate = interrupted !== undefined && performance.now() - interrupted.askedAtMs > MAX_WAIT_MS;
    if (interrupted !== undefined && !isLate && interrupted.ends++ === 0) this.#queue.unshift(interrupted);
    else interrupted?.resolve({ status: "unavailable" });
    this.#sendNext();
  }

  #send(message: ToSearch): void {
    try {
      this.#child?.send(message);
    } catch {
      // The process has ended, and `onExit` handles its end.
    }
  }
}
