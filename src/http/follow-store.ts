import type { ChangeFeed, Publication, Release } from "../catalog/store.ts";
import type { KeyStore } from "../keys/key.ts";
import { Keyring } from "../keys/keyring.ts";

/** New releases and changed keys take effect within a second; four looks in that time leave room for a slow one. */
const POLL_INTERVAL_MS = 250;

/** What a server holds in memory and keeps current: its keys, and the release that each channel shows. */
export class StoreFollower {
  readonly keyring = new Keyring();
  readonly #releases = new Map<string, Release | undefined>();
  readonly #changes: ChangeFeed;
  readonly #keys: KeyStore;
  #keyRevision = 0;
  #publicationId = 0;
  #timer: Timer | undefined;
  #stopped = false;
  /** The error of the last look at the store, if it failed. */
  failure: unknown;

  constructor(changes: ChangeFeed, keys: KeyStore) {
    this.#changes = changes;
    this.#keys = keys;
  }

  /** The current release of a channel; undefined when it has none. */
  findRelease(project: string, channel: string): Release | undefined {
    return this.#releases.get(`${project}/${channel}`);
  }

  /** Loads everything, then follows the store until `stop`. Throws when the first load fails. */
  async start(onFailure: (error: unknown) => void, onRecovery: () => void): Promise<void> {
    await this.refresh();
    const look = async (): Promise<void> => {
      try {
        await this.refresh();
        if (this.failure !== undefined) onRecovery();
        this.failure = undefined;
      } catch (error) {
        if (this.failure === undefined) onFailure(error);
        this.failure = error;
      }
      if (!this.#stopped) this.#timer = setTimeout(() => void look(), POLL_INTERVAL_MS);
    };
    this.#timer = setTimeout(() => void look(), POLL_INTERVAL_MS);
  }

  /** Takes over what is new in the store. */
  async refresh(): Promise<void> {
    const revisions = await this.#changes.readRevisions();
    if (revisions.keys !== this.#keyRevision) {
      this.keyring.apply(await this.#keys.keysSince(this.#keyRevision));
      this.#keyRevision = revisions.keys;
    }
    if (revisions.publications !== this.#publicationId) {
      for (const publication of await this.#changes.publicationsSince(this.#publicationId)) this.#apply(publication);
      this.#publicationId = revisions.publications;
    }
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #apply({ project, channel, release }: Publication): void {
    this.#releases.set(`${project}/${channel}`, release);
  }
}
