// Delivers events to several webhooks at once, and to each webhook in order.
import type { Logger } from "pino";
import { attemptDelivery, createMessage } from "./attempt-delivery.ts";
import {
  systemClock,
  wait,
  type HookClock,
  type Hook,
  type HookProgress,
  type Outbox,
  type HookEvent,
} from "./hook.ts";
import type { PostResult } from "./post-message.ts";

const MAX_AT_ONCE = 32;
/** Limits simultaneous deliveries to failing webhooks, so that slow ones do not block the others. */
const MAX_FAILING_AT_ONCE = 16;
/** The delay while no events are pending; `wake` announces new ones. */
const IDLE_MS = 300_000;
/** The delay while another server holds a claim, and after an error. */
const RETRY_MS = 10_000;
/** The delay while SQLite is busy. Each attempt to write blocks the process for up to a twentieth of this delay. */
const BUSY_MS = 1000;
const RECORD_MS = 10_000;
/** The longest wait for the database: a query on a connection that was replaced can stay pending forever. */
const ANSWER_MS = 10_000;
const STOP_MS = 3000;

export interface DelivererOptions {
  outbox: Outbox;
  logger: Logger;
  isUnavailable: (error: unknown) => boolean;
  clock?: HookClock;
  random?: () => number;
}

/** Delivers the outbox's pending events once started. Logs errors and never throws. */
export class HookDeliverer {
  readonly #options: Required<DelivererOptions>;
  readonly #holder = crypto.randomUUID();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #abort = new AbortController();
  readonly #underWay = new Map<string, { hasFailed: boolean; done: Promise<void> }>();
  #hint = Promise.withResolvers<void>();
  #isRunning = false;
  #isFaulty = false;
  #delivered = 0;
  #failed = 0;
  #troubled = { paused: 0, failing: 0, follows: 0 };
  #countedAtMs = -Infinity;

  constructor(options: DelivererOptions) {
    this.#options = { clock: systemClock, random: Math.random, ...options };
  }

  start(): void {
    this.#isRunning = true;
    void this.#run();
  }

  wake(): void {
    this.#hint.resolve();
  }

  readGauges(): Record<string, number> {
    return {
      lectern_hooks_paused: this.#troubled.paused,
      lectern_hooks_failing: this.#troubled.failing,
      lectern_follow_failing: this.#troubled.follows,
      'lectern_hook_attempts_total{result="delivered"}': this.#delivered,
      'lectern_hook_attempts_total{result="failed"}': this.#failed,
    };
  }

  /** Stops, and waits up to 3 seconds for attempts in progress. Other servers deliver the remaining events. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#stopped.resolve();
    this.wake();
    const done = [...this.#underWay.values()].map((each) => each.done);
    if (done.length > 0) await wait(this.#options.clock, STOP_MS, Promise.all(done));
    this.#abort.abort(new Error("the server is stopping"));
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#options;
    while (this.#isRunning) {
      this.#hint = Promise.withResolvers<void>();
      const delayMs = await this.#startDue().catch((error: unknown) => this.#handleError(error));
      // The jitter keeps servers from acting at the same moment.
      if (this.#isRunning) await wait(clock, delayMs * (1 + random() / 4), this.#hint.promise);
    }
  }

  /**
   * Logs an error, unless the database is unavailable, which the store's follower logs. Returns the delay before the
   * next attempt.
   */
  #handleError(error: unknown): number {
    if (this.#options.isUnavailable(error)) return BUSY_MS;
    if (!this.#isFaulty) this.#options.logger.warn({ err: error }, "cannot deliver webhooks; retrying");
    this.#isFaulty = true;
    return RETRY_MS;
  }

  async #startDue(): Promise<number> {
    const { outbox, clock } = this.#options;
    const nowMs = clock.now();
    if (Math.abs(nowMs - this.#countedAtMs) >= IDLE_MS) {
      this.#troubled = await this.#inTime(outbox.countTroubled());
      this.#countedAtMs = nowMs;
    }
    const latest = new Date(nowMs + LONGEST_DELAY_MS).toISOString();
    const listed = await this.#inTime(outbox.listWaiting(2 * MAX_AT_ONCE, latest));
    const waiting = listed.filter(({ id }) => !this.#underWay.has(id));
    const now = new Date(nowMs).toISOString();
    const due = waiting.filter(({ nextAttemptAt }) => nextAttemptAt <= now || nextAttemptAt > latest);
    for (const { id, failures, isClaimed } of due) {
      if (!isClaimed && this.#hasPlace(failures > 0)) this.#deliver(id, failures > 0);
    }
    if (due.length > 0) return RETRY_MS;
    const [next] = waiting;
    return next === undefined ? IDLE_MS : Math.min(IDLE_MS, Date.parse(next.nextAttemptAt) - nowMs);
  }

  /** Rejects if the database does not answer within ANSWER_MS. */
  async #inTime<T>(answer: Promise<T>): Promise<T> {
    const late = wait(this.#options.clock, ANSWER_MS, answer).then(() => {
      throw new Error(`the database did not answer within ${ANSWER_MS} ms`);
    });
    return Promise.race([answer, late]);
  }

  #hasPlace(hasFailed: boolean): boolean {
    if (!this.#isRunning || this.#underWay.size >= MAX_AT_ONCE) return false;
    return !hasFailed || [...this.#underWay.values()].filter((each) => each.hasFailed).length < MAX_FAILING_AT_ONCE;
  }

  #deliver(id: string, hasFailed: boolean): void {
    const { clock } = this.#options;
    const done = this.#deliverNext(id)
      .catch(async (error: unknown) => wait(clock, this.#handleError(error), this.#stopped.promise))
      .finally(() => {
        this.#underWay.delete(id);
        this.wake();
      });
    this.#underWay.set(id, { hasFailed, done });
  }

  async #deliverNext(id: string): Promise<void> {
    const { outbox, logger, clock, random } = this.#options;
    const claimed = await this.#inTime(outbox.claimEvent(this.#holder, id));
    if (this.#isFaulty) logger.info("webhook delivery resumed");
    this.#isFaulty = false;
    if (claimed === undefined) return;
    const { hook, event } = claimed;
    const { signal } = this.#abort;
    const result = await attemptDelivery(hook, createMessage(hook, event), clock, signal);
    if (signal.aborted) return;
    const progress = toProgress(hook, event, result, clock.now(), random());
    if (await this.#record(hook, progress)) this.#report(hook, result, progress);
  }

  /** Records an attempt. Retries for a while, because an import might be writing to SQLite. */
  async #record(hook: Hook, progress: HookProgress): Promise<boolean> {
    const { outbox, clock, isUnavailable } = this.#options;
    const deadlineMs = clock.now() + RECORD_MS;
    for (;;) {
      try {
        return await this.#inTime(outbox.recordAttempt(this.#holder, hook, progress));
      } catch (error) {
        if (!isUnavailable(error) || clock.now() > deadlineMs) throw error;
        await wait(clock, BUSY_MS);
      }
    }
  }

  #report({ id, project, url, failures }: Hook, { status, fault }: PostResult, { pauseReason }: HookProgress): void {
    const { logger } = this.#options;
    if (fault === undefined) this.#delivered++;
    else this.#failed++;
    // The path and query of a URL can contain a secret.
    const fields = { hook: id, project, host: new URL(url).host, status, fault };
    if (pauseReason !== undefined) {
      logger.error({ ...fields, reason: pauseReason }, "a webhook is paused; resume it with `lectern webhooks resume`");
    } else if (fault !== undefined && failures === 0) {
      logger.warn(fields, "a webhook failed; retrying for up to a day");
    } else if (fault === undefined && failures > 0) {
      logger.info({ hook: id, project, failures }, "a webhook works again");
    } else {
      return;
    }
    this.#countedAtMs = -Infinity;
  }
}

const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 3_600_000;
const GIVE_UP_MS = 86_400_000;
/** Delays vary at random by up to this fraction. */
const JITTER = 0.25;
/** The longest possible delay: a stored time further ahead comes from a clock that was fast. */
const LONGEST_DELAY_MS = MAX_DELAY_MS * (1 + JITTER);
/** The longest time between two attempts of a running server, whose polling adds up to a quarter. */
const LONGEST_PAUSE_MS = LONGEST_DELAY_MS * 1.25;
/** The receiver is gone for good (RFC 9110 §15.5.11). */
const GONE = 410;
/** Statuses with a meaningful `Retry-After` (RFC 6585 §4, RFC 9110 §15.6.4). */
const BUSY: (number | undefined)[] = [429, 503];

const HEALTHY = {
  failures: 0,
  failingSince: undefined,
  lastFault: undefined,
  nextAttemptAt: "",
  pausedAt: undefined,
  pauseReason: undefined,
};

/**
 * Returns the state after an attempt. The delay before a retry starts at 1 second and doubles up to an hour, ± 25 %;
 * `Retry-After` can lengthen it to at most an hour. A webhook that fails for a day or answers 410 is paused. `random`
 * ranges from 0 to 1.
 */
function toProgress(
  { lastPublication, failures, failingSince }: Hook,
  { publicationId }: HookEvent,
  { fault, status, retryAfter = "" }: PostResult,
  nowMs: number,
  random: number,
): HookProgress {
  const now = new Date(nowMs).toISOString();
  if (fault === undefined) return { ...HEALTHY, lastPublication: publicationId };
  // A time in the future comes from a clock that was fast, one longer ago than the attempts took from one that was slow.
  const earliest = new Date(nowMs - failures * LONGEST_PAUSE_MS).toISOString();
  const since = failingSince !== undefined && failingSince >= earliest && failingSince <= now ? failingSince : now;
  const hasFailedLong = nowMs - Date.parse(since) >= GIVE_UP_MS;
  const pauseReason = status === GONE ? "answered 410" : hasFailedLong ? "failed for a day" : undefined;
  const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures) * (1 - JITTER + 2 * JITTER * random);
  const wantedDelayMs = BUSY.includes(status) ? Math.min(MAX_DELAY_MS, parseRetryAfter(retryAfter, nowMs)) : 0;
  return {
    lastPublication,
    failures: failures + 1,
    failingSince: since,
    lastFault: status === undefined ? fault : `${status}, ${fault}`,
    nextAttemptAt: new Date(nowMs + Math.max(delayMs, wantedDelayMs)).toISOString(),
    pausedAt: pauseReason && now,
    pauseReason,
  };
}

/** Returns a delay in milliseconds; 0 for text that is neither seconds nor a date (RFC 9110 §10.2.3). */
function parseRetryAfter(text: string, nowMs: number): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? 0 : atMs - nowMs;
}
