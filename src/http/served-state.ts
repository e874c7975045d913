import type { Publication, Release } from "../catalog/store.ts";
import type { Key } from "../keys/key.ts";
import { Keyring } from "../keys/keyring.ts";

/** What became new in the store: plain data, so that it can be handed to another process. */
export interface StateUpdate {
  keys: Key[];
  publications: Publication[];
}

/** Everything that became known, as one update: what a process must hear that starts later. */
export class KnownState {
  readonly #keys = new Map<string, Key>();
  readonly #publications = new Map<string, Publication>();

  apply({ keys, publications }: StateUpdate): void {
    for (const key of keys) this.#keys.set(key.id, key);
    for (const publication of publications) {
      this.#publications.set(`${publication.project}/${publication.channel}`, publication);
    }
  }

  toUpdate(): StateUpdate {
    return { keys: [...this.#keys.values()], publications: [...this.#publications.values()] };
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
  /** By project, then by name. */
  readonly #channels = new Map<string, Map<string, ServedChannel>>();
  #versions = 0;

  apply({ keys, publications }: StateUpdate): void {
    this.keyring.apply(keys);
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
