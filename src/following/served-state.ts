import type { Publication, Release } from "../catalog/store.ts";
import type { Key } from "../keys/key.ts";
import { Keyring } from "../keys/keyring.ts";

/** What became new in the store: plain data, so that it can be handed to another process. */
export interface StateUpdate {
  keys: Key[];
  publications: Publication[];
  /** True when keys that are not among these are no keys any more. */
  replacesKeys: boolean;
  /** The same of channels; and what was read of releases before is worth nothing, since their ids may be used again. */
  replacesPublications: boolean;
}

/** Everything that became known, as one update: what a process must hear that starts later. */
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
  /** Releases that were asked for by number. Forgotten with every update: they may be pruned. */
  readonly pinned: Map<number, Release>;
}

/** What a server holds in memory to answer from: its keys, and the release that each channel shows. */
export class ServedState {
  readonly keyring = new Keyring();
  /** Raised when what was held is replaced: what was begun before must not be taken for an answer from then on. */
  epoch = 0;
  /** By project, then by name. */
  readonly #channels = new Map<string, Map<string, ServedChannel>>();
  #versions = 0;

  apply({ keys, publications, replacesKeys, replacesPublications }: StateUpdate): void {
    if (replacesKeys || replacesPublications) this.epoch++;
    if (replacesKeys) this.keyring.replace(keys);
    else this.keyring.apply(keys);
    // New objects: requests that are under way note what they find in those that they have.
    if (replacesPublications) this.#channels.clear();
    for (const channels of this.#channels.values()) for (const channel of channels.values()) channel.pinned.clear();
    for (const { project, channel, release } of publications) {
      const served = this.channelOf(project, channel);
      served.current = release;
      served.version = ++this.#versions;
    }
  }

  /** A channel, which need not exist in the store: keys may come before the first import. */
  channelOf(project: string, name: string): ServedChannel {
    let channels = this.#channels.get(project);
    if (channels === undefined) {
      channels = new Map();
      this.#channels.set(project, channels);
    }
    let channel = channels.get(name);
    if (channel === undefined) {
      channel = { project, name, current: undefined, version: 0, pinned: new Map() };
      channels.set(name, channel);
    }
    return channel;
  }
}
