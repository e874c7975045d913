import type { ChangeFeed, Revisions } from "../catalog/store.ts";
import type { KeyStore } from "../keys/key.ts";
import type { StateUpdate } from "./served-state.ts";

export class TookTooLong extends Error {}

const TIMEOUT_STEPS = 4;

/** Rejects with TookTooLong after `timeoutMs`. If this process is paused meanwhile, that counts as one of four steps. */
export async function withinTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: Timer | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    let steps = 0;
    timer = setInterval(() => {
      if (++steps === TIMEOUT_STEPS) reject(new TookTooLong(`no answer within ${timeoutMs} ms`));
    }, timeoutMs / TIMEOUT_STEPS);
  });
  return Promise.race([work, timedOut]).finally(() => clearInterval(timer));
}

/** New releases and key changes must take effect within a second; four polls per second leave time for a slow poll. */
const POLL_INTERVAL_MS = 250;
const MAX_RETRY_MS = 500;
const POLL_TIMEOUT_MS = 2000;
/** The known counter after a reset, until everything was read again. */
const RESET = -1;

export interface FollowerEvents {
  onUpdate: (update: StateUpdate) => void;
  /** Called once when the store was replaced or restored to an earlier state, before `onUpdate` gets the whole state. */
  onReset: (before: Revisions, now: Revisions) => void;
  onFailure: (error: unknown) => void;
  onRecovery: () => void;
}

export interface Followed {
  changes: ChangeFeed;
  /** Undefined if another follower reads the keys. */
  keys: KeyStore | undefined;
  followsPublications: boolean;
}

export type StartTimer = (work: () => Promise<void>, delayMs: number) => () => void;

const startRealTimer: StartTimer = (work, delayMs) => {
  const timer = setTimeout(() => void work(), delayMs);
  return () => clearTimeout(timer);
};

/** Polls a store's counters and reports changes. */
export class StoreFollower {
  readonly #followed: Followed;
  readonly #events: FollowerEvents;
  readonly #startTimer: StartTimer;
  #known: Revisions | undefined;
  /** The revisions before a reset that no update has followed yet. */
  #beforeReset: Revisions | undefined;
  #stopTimer = (): void => {};
  #isStopped = false;
  #failures = 0;
  /** The number of the current poll. Late results of earlier polls are ignored. */
  #poll = 0;

  /** Tests pass `startTimer` to control time. */
  constructor(followed: Followed, events: FollowerEvents, startTimer: StartTimer = startRealTimer) {
    this.#followed = followed;
    this.#events = events;
    this.#startTimer = startTimer;
  }

  get publications(): number {
    return Math.max(0, this.#known?.publications ?? 0);
  }

  /** Returns false if the database role lacks some of the grants needed to recognize a restored store. */
  get seesWholeIdentity(): boolean {
    return this.#known?.isIdentityWhole ?? true;
  }

  get isCurrent(): boolean {
    return this.#failures === 0;
  }

  /** Reports the whole state, then every change until `stop` is called. Throws if the first poll fails. */
  async start(): Promise<void> {
    await this.#pollOnce();
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    // The jitter keeps servers from reconnecting to a recovered store all at once.
    const retryMs = Math.min(MAX_RETRY_MS, 50 * 2 ** Math.min(this.#failures, 10)) * (0.5 + Math.random() / 2);
    const delayMs = this.#failures === 0 ? POLL_INTERVAL_MS : retryMs;
    this.#stopTimer = this.#startTimer(() => this.#pollAndSchedule(), delayMs);
  }

  async #pollAndSchedule(): Promise<void> {
    try {
      await withinTime(this.#pollOnce(), POLL_TIMEOUT_MS);
      if (this.#failures > 0) {
        this.#failures = 0;
        this.#events.onRecovery();
      }
    } catch (error) {
      this.#failures++;
      this.#events.onFailure(error);
    } finally {
      this.#schedule();
    }
  }

  async #pollOnce(): Promise<void> {
    const { changes, keys: keyStore, followsPublications } = this.#followed;
    const { onReset, onUpdate } = this.#events;
    const poll = ++this.#poll;
    const now = await changes.readRevisions();
    if (poll !== this.#poll) return;
    const known = this.#known;
    // A store's counters only grow, so a lower value reveals an earlier state.
    const isReset =
      known !== undefined &&
      (now.identity !== known.identity || now.keys < known.keys || now.publications < known.publications);
    if (isReset) {
      this.#beforeReset = known;
      this.#known = { ...now, keys: RESET, publications: RESET };
    }
    const since = this.#known ?? { keys: 0, publications: 0 };
    const keys = keyStore !== undefined && now.keys !== since.keys ? await keyStore.keysSince(since.keys) : undefined;
    const hasPublications = followsPublications && now.publications !== since.publications;
    const [read] = await Promise.allSettled([
      hasPublications ? changes.publicationsSince(Math.max(0, since.publications)) : undefined,
    ]);
    if (poll !== this.#poll) return;
    if (this.#beforeReset !== undefined) onReset(this.#beforeReset, now);
    this.#beforeReset = undefined;
    const publications = read.status === "fulfilled" ? read.value : undefined;
    if (keys !== undefined || publications !== undefined) {
      onUpdate({
        keys: keys ?? [],
        publications: publications ?? [],
        replacesKeys: keys !== undefined && since.keys === RESET,
        replacesPublications: publications !== undefined && since.publications === RESET,
      });
    }
    // A fault in reading publications must not hide revoked keys.
    this.#known = read.status === "fulfilled" ? now : { ...now, publications: since.publications };
    if (read.status === "rejected") throw read.reason;
  }
}

export async function readState(changes: ChangeFeed, keys: KeyStore): Promise<StateUpdate> {
  return {
    keys: await keys.keysSince(0),
    publications: await changes.publicationsSince(0),
    replacesKeys: false,
    replacesPublications: false,
  };
}
