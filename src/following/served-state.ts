import type { Publication, Release } from "../catalog/store.ts";
import type { Key } from "../keys/key.ts";
import { Keyring } from "../keys/keyring.ts";

/** Changes in the store, as plain data that can be sent to another process. */
export interface StateUpdate {
  keys: Key[];
  publications: Publication[];
  /** True when `keys` are all keys there are: others are not valid any more. */
  replacesKeys: boolean;
  /**
   * True when `publications` are those of all channels. What was made of releases must then be dropped, since their ids may
   * be used again for other content.
   */
  replacesPublications: boolean;
}

/** All updates so far, merged into one, for a process that starts later. */
export class KnownState {
  readonly #keys = new Map<string, Key>();
  readonly #publications = new Map<string, Publication>();

  apply({ keys, publications, replacesKeys, replacesPublications }: StateUpdate): void {
    if (replacesKeys) this.#keys.clear();
    if (replacesPublications) this.#publications.clear();
    for (const key of keys) this.#keys.set(key.id, key);
    for (const publication of publications) {
      this.#publications.set(`${publication.project}/${publication.channel}`, publication);
    }
  }

  toUpdate(): StateUpdate {
    return {
      keys: [...this.#keys.values()],
      publications: [...this.#publications.values()],
      replacesKeys: true,
      replacesPublications: true,
    };
  }
}

/** The releases of one channel, as far as a server knows them. */
export interface ServedChannel {
  readonly project: string;
  readonly name: string;
  /** Undefined while there is none. */
  current: Release | undefined;
  /** Another number after each publication, in whichever channel. */
  version: number;
  /** Another number after each update: what the store has of the channel may be another, also where it shows the same. */
  update: number;
  /** Releases that were asked for by number. Forgotten with every update: they may be pruned. */
  readonly pinned: Map<number, Release>;
}

/** What a server holds in memory to answer from: its keys, and the release that each channel shows. */
export class ServedState {
  readonly keyring = new Keyring();
  /** Raised when the store is replaced. What a request that began before has found must not be sent. */
  epoch = 0;
  readonly #channels = new Map<string, ServedChannel>();
  #versions = 0;
  #updates = 0;

  apply({ keys, publications, replacesKeys, replacesPublications }: StateUpdate): void {
    if (replacesKeys || replacesPublications) this.epoch++;
    if (replacesKeys) this.keyring.replace(keys);
    else this.keyring.apply(keys);
    // New objects, because requests under way still write to the old ones.
    if (replacesPublications) this.#channels.clear();
    this.#updates++;
    for (const channel of this.#channels.values()) {
      channel.update = this.#updates;
      channel.pinned.clear();
    }
    for (const { project, channel, release } of publications) {
      const served = this.channelOf(project, channel);
      served.current = release;
      served.version = ++this.#versions;
    }
  }

  /** A channel. It need not exist in the store: keys may be made before the first import. */
  channelOf(project: string, name: string): ServedChannel {
    // Neither name holds a slash.
    const path = `${project}/${name}`;
    let channel = this.#channels.get(path);
    if (channel === undefined) {
      channel = { project, name, current: undefined, version: 0, update: this.#updates, pinned: new Map() };
      this.#channels.set(path, channel);
    }
    return channel;
  }
}
