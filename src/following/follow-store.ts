import type { ChangeFeed, Revisions } from "../catalog/store.ts";
import type { KeyStore } from "../keys/key.ts";
import type { StateUpdate } from "./served-state.ts";

export class TookTooLong extends Error {}

export async function withinTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: Timer | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(`there was no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, timedOut]).finally(() => clearTimeout(timer));
}

/** New releases and changed keys take effect within a second. Four looks in that time leave room for a slow one. */
const POLL_INTERVAL_MS = 250;
const MAX_RETRY_MS = 500;
const LOOK_TIMEOUT_MS = 2000;

export interface FollowerEvents {
  onUpdate: (update: StateUpdate) => void;
  /** Called before the update that replaces everything, because the store is another one, or an earlier state of itself. */
  onReset: (before: Revisions, now: Revisions) => void;
  /** Called after every look that fails; `isFirst` is true for the first after one that succeeded. */
  onFailure: (error: unknown, isFirst: boolean) => void;
  onRecovery: () => void;
}

export interface Followed {
  changes: ChangeFeed;
  /** Undefined when another follower reads the keys. */
  keys: KeyStore | undefined;
  followsPublications: boolean;
}

export type StartTimer = (work: () => Promise<void>, delayMs: number) => () => void;

const startRealTimer: StartTimer = (work, delayMs) => {
  const timer = setTimeout(() => void work(), delayMs);
  return () => clearTimeout(timer);
};

/** Reads the counters of a store at intervals, which is called a look, and passes on what is new. */
export class StoreFollower {
  readonly #followed: Followed;
  readonly #events: FollowerEvents;
  readonly #startTimer: StartTimer;
  #known: Revisions | undefined;
  #stopTimer = (): void => {};
  #isStopped = false;
  #failures = 0;
  /** The number of the current look. What an earlier one finds that timed out is ignored. */
  #look = 0;

  /** A test gives its own `startTimer`, which decides when time has passed. */
  constructor(followed: Followed, events: FollowerEvents, startTimer: StartTimer = startRealTimer) {
    this.#followed = followed;
    this.#events = events;
    this.#startTimer = startTimer;
  }

  get publications(): number {
    return this.#known?.publications ?? 0;
  }

  /** False when this role may not read all of what shows that the store went back to an earlier state. */
  get seesWholeIdentity(): boolean {
    return this.#known?.isIdentityWhole ?? true;
  }

  get isCurrent(): boolean {
    return this.#failures === 0;
  }

  /** Passes on the whole state, then every change until `stop`. Throws when the first look fails. */
  async start(): Promise<void> {
    await this.#lookOnce();
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    // Random pauses keep many servers that lose a store at once from coming back at once.
    const retryMs = Math.min(MAX_RETRY_MS, 50 * 2 ** Math.min(this.#failures, 10)) * (0.5 + Math.random() / 2);
    const delayMs = this.#failures === 0 ? POLL_INTERVAL_MS : retryMs;
    this.#stopTimer = this.#startTimer(() => this.#lookAndSchedule(), delayMs);
  }

  async #lookAndSchedule(): Promise<void> {
    try {
      await withinTime(this.#lookOnce(), LOOK_TIMEOUT_MS);
      if (this.#failures > 0) {
        this.#failures = 0;
        this.#events.onRecovery();
      }
    } catch (error) {
      this.#failures++;
      this.#events.onFailure(error, this.#failures === 1);
    }
    this.#schedule();
  }

  async #lookOnce(): Promise<void> {
    const { changes, keys: keyStore, followsPublications } = this.#followed;
    const look = ++this.#look;
    const now = await changes.readRevisions();
    const known = this.#known;
    // The counters of a store only grow: lower ones are those of an earlier state of it.
    const isReset =
      known !== undefined &&
      (now.identity !== known.identity || now.keys < known.keys || now.publications < known.publications);
    const since = known === undefined || isReset ? { keys: 0, publications: 0 } : known;
    const hasNewKeys = keyStore !== undefined && now.keys !== since.keys;
    const hasNewPublications = followsPublications && now.publications !== since.publications;
    const update: StateUpdate = {
      keys: hasNewKeys ? await keyStore.keysSince(since.keys) : [],
      publications: hasNewPublications ? await changes.publicationsSince(since.publications) : [],
      replacesKeys: isReset && keyStore !== undefined,
      replacesPublications: isReset && followsPublications,
    };
    if (look !== this.#look) return;
    if (isReset) this.#events.onReset(known, now);
    if (isReset || hasNewKeys || hasNewPublications) this.#events.onUpdate(update);
    this.#known = now;
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
