import type { Publication, Release } from "../catalog/store.ts";
import type { Key } from "../keys/key.ts";
import { Keyring } from "../keys/keyring.ts";

export interface StateUpdate {
  keys: Key[];
  publications: Publication[];
  /** True when `keys` are all keys there are: others are not valid any more. */
  replacesKeys: boolean;
  /** True when `publications` are those of all channels: ids of releases may mean other content from then on. */
  replacesPublications: boolean;
}

/** All that is known after an update, for a process that starts later. */
export function addUpdate(known: StateUpdate, update: StateUpdate): StateUpdate {
  const keys = [...(update.replacesKeys ? [] : known.keys), ...update.keys];
  const publications = [...(update.replacesPublications ? [] : known.publications), ...update.publications];
  return {
    keys: [...new Map(keys.map((key) => [key.id, key])).values()],
    publications: [...new Map(publications.map((each) => [`${each.project}/${each.channel}`, each])).values()],
    replacesKeys: true,
    replacesPublications: true,
  };
}

/** The releases of one channel, as far as a server knows them. */
export interface ServedChannel {
  readonly project: string;
  readonly name: string;
  current: Release | undefined;
  /** Releases that were asked for by number. Forgotten with every update: they may be pruned. */
  readonly pinned: Map<number, Release>;
}

export class ServedState {
  readonly keyring = new Keyring();
  /** Raised when the store is replaced. What a request that began before has found must not be sent. */
  epoch = 0;
  readonly #channels = new Map<string, ServedChannel>();

  apply({ keys, publications, replacesKeys, replacesPublications }: StateUpdate): void {
    if (replacesKeys || replacesPublications) this.epoch++;
    if (replacesKeys) this.keyring.replace(keys);
    else this.keyring.apply(keys);
    // New objects, because requests under way still write to the old ones.
    if (replacesPublications) this.#channels.clear();
    for (const channel of this.#channels.values()) channel.pinned.clear();
    for (const { project, channel, release } of publications) {
      this.channelOf(project, channel).current = release;
    }
  }

  /** A channel. It need not exist in the store: keys may be made before the first import. */
  channelOf(project: string, name: string): ServedChannel {
    // Neither name holds a slash.
    const path = `${project}/${name}`;
    let channel = this.#channels.get(path);
    if (channel === undefined) {
      channel = { project, name, current: undefined, pinned: new Map() };
      this.#channels.set(path, channel);
    }
    return channel;
  }
}
