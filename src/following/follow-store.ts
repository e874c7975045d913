import type { ChangeFeed, Revisions } from "../catalog/store.ts";
import type { KeyStore } from "../keys/key.ts";
import type { StateUpdate } from "./served-state.ts";
import { withinTime } from "./within-time.ts";

/** New releases and changed keys take effect within a second; four looks in that time leave room for a slow one. */
const POLL_INTERVAL_MS = 250;
/** A store that is away is asked again after so long at most: what was revoked meanwhile must be known at once. */
const MAX_RETRY_MS = 500;
/** A store that takes longer to say two numbers is taken to be away. */
const LOOK_TIMEOUT_MS = 2000;

export interface FollowerEvents {
  onUpdate: (update: StateUpdate) => void;
  /** Called before the update that replaces everything, because the store is another, or an earlier state of itself. */
  onReset: (before: Revisions, now: Revisions) => void;
  /** Called after every look that fails; `isFirst` for those that follow a good one. */
  onFailure: (error: unknown, isFirst: boolean) => void;
  /** Called once when looks succeed again. */
  onRecovery: () => void;
}

/** What is followed: keys, publications, or both. */
export interface Followed {
  changes: ChangeFeed;
  /** Undefined when the keys are followed elsewhere. */
  keys: KeyStore | undefined;
  followsPublications: boolean;
}

/** Does something once, so much later, unless the function that it returns is called before. */
export type StartTimer = (work: () => Promise<void>, delayMs: number) => () => void;

const startRealTimer: StartTimer = (work, delayMs) => {
  const timer = setTimeout(() => void work(), delayMs);
  return () => clearTimeout(timer);
};

/** Looks at the store again and again, and hands on what is new. */
export class StoreFollower {
  readonly #followed: Followed;
  readonly #events: FollowerEvents;
  readonly #startTimer: StartTimer;
  /** What the last good look found. */
  #known: Revisions | undefined;
  #stopTimer = (): void => {};
  #isLooking = false;
  #isHinted = false;
  #isStopped = false;
  #failures = 0;
  /** Of the look under way: what an earlier one brings that was given up does not count. */
  #look = 0;
  #unwatch: (() => Promise<void>) | undefined;

  /** `startTimer` is that of a test which says when time has passed. */
  constructor(followed: Followed, events: FollowerEvents, startTimer: StartTimer = startRealTimer) {
    this.#followed = followed;
    this.#events = events;
    this.#startTimer = startTimer;
  }

  /** How far the publications of this store were at the last look. */
  get publications(): number {
    return this.#known?.publications ?? 0;
  }

  /** False when the store does not tell all by which one can see that it went back. */
  get seesWholeIdentity(): boolean {
    return this.#known?.isIdentityWhole ?? true;
  }

  /** True when the last look succeeded. */
  get isCurrent(): boolean {
    return this.#failures === 0;
  }

  /** Hands on everything, then what is new until `stop`. Throws when the first look fails. */
  async start(): Promise<void> {
    await this.#lookOnce();
    await this.#watch();
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer();
    this.#stopWatching();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#stopTimer = this.#startTimer(() => this.#lookAndSchedule(), this.#isHinted ? 0 : this.#delayMs());
  }

  #delayMs(): number {
    if (this.#failures === 0) return POLL_INTERVAL_MS;
    // Many servers lose the store at the same moment; they must not all come back at the same moment.
    return Math.min(MAX_RETRY_MS, 50 * 2 ** Math.min(this.#failures, 10)) * (0.5 + Math.random() / 2);
  }

  async #lookAndSchedule(): Promise<void> {
    this.#isLooking = true;
    this.#isHinted = false;
    await this.#lookSafely();
    this.#isLooking = false;
    this.#schedule();
  }

  async #lookSafely(): Promise<void> {
    try {
      await withinTime(this.#lookOnce(), LOOK_TIMEOUT_MS);
      if (this.#failures === 0) return;
      this.#failures = 0;
      this.#events.onRecovery();
      await this.#watch();
    } catch (error) {
      this.#failures++;
      this.#followed.changes.reconnect();
      this.#stopWatching();
      this.#events.onFailure(error, this.#failures === 1);
    }
  }

  async #lookOnce(): Promise<void> {
    const { changes, keys: keyStore, followsPublications } = this.#followed;
    const look = ++this.#look;
    const now = await changes.readRevisions();
    const known = this.#known;
    const isReset = known !== undefined && wentBack(known, now);
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

  // A hint only saves waiting for the next look, so it may be lost, and so may all of them.
  async #watch(): Promise<void> {
    try {
      const unwatch = await this.#followed.changes.watch(() => this.#takeHint());
      if (this.#isStopped) await unwatch();
      else this.#unwatch = unwatch;
    } catch {
      // Looking on will tell when the store is away.
    }
  }

  #stopWatching(): void {
    void this.#unwatch?.().catch(() => undefined);
    this.#unwatch = undefined;
  }

  #takeHint(): void {
    this.#isHinted = true;
    if (this.#isLooking || this.#isStopped) return;
    this.#stopTimer();
    this.#schedule();
  }
}

/** Numbers of one store only grow. */
function wentBack(before: Revisions, now: Revisions): boolean {
  return now.identity !== before.identity || now.keys < before.keys || now.publications < before.publications;
}

/** Everything that a server must know to begin. */
export async function readState(changes: ChangeFeed, keys: KeyStore): Promise<StateUpdate> {
  return {
    keys: await keys.keysSince(0),
    publications: await changes.publicationsSince(0),
    replacesKeys: false,
    replacesPublications: false,
  };
}
