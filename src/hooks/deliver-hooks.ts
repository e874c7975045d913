// The deliverer of a server. Of all servers on a database one delivers at a time: the one that has the lease. It tells each hook
// one event after the other, and many hooks at once.
import type { Logger } from "pino";
import { attemptDelivery } from "./attempt-delivery.ts";
import { describeEvent, renderEvent, toEventId } from "./event-message.ts";
import { systemClock, wait, type HookClock } from "./hook-clock.ts";
import type { Hook, HookAttempt, HookProgress, Outbox } from "./hook.ts";
import { LeaseHolder } from "./lease-holder.ts";
import { LONGEST_DELAY_MS, toProgress } from "./next-attempt.ts";
import type { Resolve } from "./post-message.ts";

/** Hooks that are told at once. */
const MAX_AT_ONCE = 32;
/** Of these, hooks that have failed: receivers that hang must not hold up the others. */
const MAX_FAILING_AT_ONCE = 16;
/** So many events in a row one hook may be told before others get its place. */
const MAX_IN_A_ROW = 50;
/** When there is nothing to do. New events are told of by `wake`. */
const IDLE_MS = 300_000;
/** While another server delivers, or the database is away. */
const RETRY_MS = 10_000;
/**
 * While the database is busy, as SQLite is while an import writes: each try holds this process up for a twentieth of it. So long
 * it is tried to write down what has happened.
 */
const BUSY_MS = 1000;
const RECORD_MS = 10_000;
/** How long a stopping server waits for answers of receivers, and for the database. */
const STOP_MS = 3000;
const RELEASE_MS = 500;

export interface DelivererOptions {
  outbox: Outbox;
  logger: Logger;
  /** True for an error that says that the database cannot be used just now. */
  isUnavailable: (error: unknown) => boolean;
  /** Tests give their own clock, chance and names. */
  clock?: HookClock;
  random?: () => number;
  resolve?: Resolve | undefined;
}

/** Delivers, from its start on, what the outbox has, whenever this server gets the lease. Faults are logged, never thrown. */
export class HookDeliverer {
  readonly #outbox: Outbox;
  readonly #logger: Logger;
  readonly #isUnavailable: (error: unknown) => boolean;
  readonly #clock: HookClock;
  readonly #random: () => number;
  readonly #resolve: Resolve | undefined;
  readonly #lease: LeaseHolder;
  readonly #stop = Promise.withResolvers<void>();
  /** Ends attempts that are under way. */
  readonly #abort = new AbortController();
  /** By the id of the hook; true for one that has failed before. */
  readonly #underWay = new Map<string, boolean>();
  #delivered = 0;
  #failed = 0;
  #troubled = { paused: 0, failing: 0 };
  #countedAtMs = -Infinity;
  #isRunning = false;
  /** Since the last look that succeeded, while the database is away or busy. */
  #looksInVain = 0;
  /** True once a fault was logged that keeps this server from delivering. */
  #isAway = false;
  #isLooking = false;
  #isHinted = false;
  #stopTimer = (): void => {};
  #onIdle = (): void => {};

  constructor({ outbox, logger, isUnavailable, clock = systemClock, random = Math.random, resolve }: DelivererOptions) {
    this.#outbox = outbox;
    this.#logger = logger;
    this.#isUnavailable = isUnavailable;
    this.#clock = clock;
    this.#random = random;
    this.#resolve = resolve;
    this.#lease = new LeaseHolder(outbox, crypto.randomUUID(), clock);
  }

  start(): void {
    this.#isRunning = true;
    this.wake();
  }

  /** Says that there may be something new to tell. */
  wake(): void {
    this.#isHinted = true;
    if (!this.#isLooking) this.#schedule(0);
  }

  readGauges(): Record<string, number> {
    return {
      lectern_hooks_paused: this.#troubled.paused,
      lectern_hooks_failing: this.#troubled.failing,
      'lectern_hook_attempts_total{result="delivered"}': this.#delivered,
      'lectern_hook_attempts_total{result="failed"}': this.#failed,
    };
  }

  /** Waits for attempts that are under way, for up to 3 seconds, and leaves the rest to other servers. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#stopTimer();
    this.#stop.resolve();
    if (this.#underWay.size > 0) {
      await wait(this.#clock, STOP_MS, new Promise<void>((done) => (this.#onIdle = done)));
    }
    this.#abort.abort(new Error("the server stops"));
    // A database that does not answer must not delay the end of the server: the lease runs out by itself.
    await wait(this.#clock, RELEASE_MS, this.#lease.giveBack()).catch(() => undefined);
  }

  #schedule(delayMs: number): void {
    this.#stopTimer();
    if (this.#isRunning) this.#stopTimer = this.#clock.startTimer(() => void this.#look(), delayMs);
  }

  async #look(): Promise<void> {
    if (this.#isLooking || !this.#isRunning) return;
    this.#isLooking = true;
    this.#isHinted = false;
    let delayMs = RETRY_MS;
    try {
      delayMs = await this.#startDue();
      this.#looksInVain = 0;
    } catch (error) {
      delayMs = this.#takeFault(error);
    }
    this.#isLooking = false;
    // Not all servers at the same moment.
    this.#schedule(this.#isHinted ? 0 : delayMs * (1 + this.#random() / 4));
  }

  /** Logs what is worth it, and gives the time until the next try. That the database is away is logged by who follows it. */
  #takeFault(error: unknown): number {
    if (this.#isUnavailable(error)) return Math.min(RETRY_MS, BUSY_MS * 2 ** this.#looksInVain++);
    if (!this.#isAway) this.#logger.warn({ err: error }, "this server cannot deliver hooks; it goes on trying");
    this.#isAway = true;
    return RETRY_MS;
  }

  /** Starts what is due, and gives the time until something else may be. */
  async #startDue(): Promise<number> {
    const nowMs = this.#clock.now();
    if (nowMs - this.#countedAtMs >= IDLE_MS) {
      this.#troubled = await this.#outbox.countTroubled();
      this.#countedAtMs = nowMs;
    }
    const listed = await this.#outbox.listWaiting(2 * MAX_AT_ONCE);
    const waiting = listed.filter(({ id }) => !this.#underWay.has(id));
    const now = new Date(nowMs).toISOString();
    const latest = new Date(nowMs + LONGEST_DELAY_MS).toISOString();
    const due = waiting.filter(({ nextAttemptAt }) => nextAttemptAt <= now || nextAttemptAt > latest);
    if (due.length === 0) {
      if (this.#underWay.size === 0) await this.#lease.giveBack();
      const [next] = waiting;
      return next === undefined ? IDLE_MS : Math.min(IDLE_MS, Date.parse(next.nextAttemptAt) - nowMs);
    }
    if (!(await this.#lease.hold())) return RETRY_MS;
    if (this.#isAway) this.#logger.info("this server delivers hooks again");
    this.#isAway = false;
    for (const { id, failures } of due) if (this.#hasRoom(failures > 0)) this.#tell(id, failures > 0);
    return RETRY_MS;
  }

  #hasRoom(hasFailed: boolean): boolean {
    if (!this.#isRunning || this.#underWay.size >= MAX_AT_ONCE) return false;
    return !hasFailed || [...this.#underWay.values()].filter(Boolean).length < MAX_FAILING_AT_ONCE;
  }

  #tell(id: string, hasFailed: boolean): void {
    this.#underWay.set(id, hasFailed);
    void this.#tellInOrder(id).then(() => {
      this.#underWay.delete(id);
      if (this.#underWay.size === 0) this.#onIdle();
      this.wake();
    });
  }

  /** Tells a hook one event after the other, until one fails. */
  async #tellInOrder(id: string): Promise<void> {
    try {
      for (let told = 0; told < MAX_IN_A_ROW; told++) if (!(await this.#tellNext(id))) return;
    } catch (error) {
      // Whatever it is, not at once.
      await wait(this.#clock, this.#takeFault(error), this.#stop.promise);
    }
  }

  /** False when there is no more to do for now. */
  async #tellNext(id: string): Promise<boolean> {
    const hook = await this.#outbox.findHook(id);
    if (hook === undefined || hook.paused !== undefined || hook.isCopy) return false;
    if (hook.lastPublication >= hook.newestPublication) return false;
    const event = await this.#outbox.findNextEvent(hook);
    if (event === undefined) {
      await this.#outbox.skipEvents(hook);
      return false;
    }
    if (!this.#isRunning || !(await this.#lease.hold())) return false;
    const message = { eventId: toEventId(id, event), event: describeEvent(event), body: renderEvent(event) };
    const { signal } = this.#abort;
    const attempt = await attemptDelivery(hook, message, { clock: this.#clock, resolve: this.#resolve, signal });
    if (signal.aborted) return false;
    const progress = toProgress(hook, event, attempt, this.#clock.now(), this.#random());
    if (!(await this.#record(hook, attempt, progress))) {
      this.#lease.forget();
      return false;
    }
    this.#report(hook, attempt, progress);
    return attempt.fault === undefined;
  }

  /** Again and again for a while: an import on SQLite may write just now. */
  async #record(hook: Hook, attempt: HookAttempt, progress: HookProgress): Promise<boolean> {
    const deadlineMs = this.#clock.now() + RECORD_MS;
    for (;;) {
      try {
        return await this.#outbox.recordAttempt(this.#lease.holder, hook, attempt, progress);
      } catch (error) {
        if (!this.#isUnavailable(error) || this.#clock.now() > deadlineMs) throw error;
        await wait(this.#clock, BUSY_MS);
      }
    }
  }

  #report({ id, project, url, failures }: Hook, attempt: HookAttempt, { paused }: HookProgress): void {
    const { status, fault } = attempt;
    if (fault === undefined) this.#delivered++;
    else this.#failed++;
    // Path and query of a URL may hold a secret.
    const fields = { hook: id, project, host: new URL(url).host, status, fault };
    if (paused !== undefined) {
      this.#logger.error({ ...fields, reason: paused.reason }, `a hook is paused: see lectern hooks resume`);
    } else if (fault !== undefined && failures === 0) {
      this.#logger.warn(fields, "a hook fails; it is tried again for a day");
    } else if (fault === undefined && failures > 0) {
      this.#logger.info({ hook: id, project, failures }, "a hook is told again");
    } else {
      return;
    }
    // How many are in trouble is asked for at the next look.
    this.#countedAtMs = -Infinity;
  }
}
