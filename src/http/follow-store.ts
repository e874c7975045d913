import type { ChangeFeed } from "../catalog/store.ts";
import type { KeyStore } from "../keys/key.ts";
import type { StateUpdate } from "./served-state.ts";

/** New releases and changed keys take effect within a second; four looks in that time leave room for a slow one. */
const POLL_INTERVAL_MS = 250;

export interface FollowerEvents {
  onUpdate: (update: StateUpdate) => void;
  /** Called once when the store stops answering, and `onRecovery` once when it does again. */
  onFailure: (error: unknown) => void;
  onRecovery: () => void;
}

/** Looks at the store again and again, and hands on what is new. */
export class StoreFollower {
  readonly #changes: ChangeFeed;
  readonly #keys: KeyStore;
  readonly #events: FollowerEvents;
  #keyRevision = 0;
  #publicationRevision = 0;
  #timer: Timer | undefined;
  #isStopped = false;
  #isFailing = false;

  constructor(changes: ChangeFeed, keys: KeyStore, events: FollowerEvents) {
    this.#changes = changes;
    this.#keys = keys;
    this.#events = events;
  }

  /** True when the last look succeeded. */
  get isCurrent(): boolean {
    return !this.#isFailing;
  }

  /** Hands on everything, then what is new until `stop`. Throws when the first look fails. */
  async start(): Promise<void> {
    await this.#look();
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      void this.#lookSafely().finally(() => this.#schedule());
    }, POLL_INTERVAL_MS);
  }

  async #lookSafely(): Promise<void> {
    try {
      await this.#look();
      if (this.#isFailing) this.#events.onRecovery();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#events.onFailure(error);
      this.#isFailing = true;
    }
  }

  async #look(): Promise<void> {
    const { keys, publications } = await this.#changes.readRevisions();
    if (keys === this.#keyRevision && publications === this.#publicationRevision) return;
    this.#events.onUpdate({
      keys: keys === this.#keyRevision ? [] : await this.#keys.keysSince(this.#keyRevision),
      publications: await this.#changes.publicationsSince(this.#publicationRevision),
    });
    this.#keyRevision = keys;
    this.#publicationRevision = publications;
  }
}

/** Everything that a server must know to begin. */
export async function readState(changes: ChangeFeed, keys: KeyStore): Promise<StateUpdate> {
  return { keys: await keys.keysSince(0), publications: await changes.publicationsSince(0) };
}
