import { type Publication, type Release, LIVE_CHANNEL } from "../catalog/store.ts";
import type { Key } from "../keys/key.ts";
import { Keyring } from "../keys/keyring.ts";

export interface StateUpdate {
  keys: Key[];
  publications: Publication[];
  /** True if `keys` contains all valid keys and replaces the known ones. */
  replacesKeys: boolean;
  /** True if `publications` covers all channels and replaces the known releases, which a restore makes invalid. */
  replacesPublications: boolean;
}

/** Merges an update into the known state, which is sent to processes that start later. */
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

/** A channel's releases, as far as this server knows them. */
export interface ServedChannel {
  readonly project: string;
  readonly name: string;
  current: Release | undefined;
  /** Releases requested by number. Every update replaces the map, since they might have been pruned. */
  pinned: Map<number, Release>;
}

export class ServedState {
  readonly keyring = new Keyring();
  /** Increases when all keys or releases are replaced. Requests that began earlier must not send their results. */
  epoch = 0;
  readonly #channels = new Map<string, ServedChannel>();

  apply({ keys, publications, replacesKeys, replacesPublications }: StateUpdate): void {
    if (replacesKeys || replacesPublications) this.epoch++;
    if (replacesKeys) this.keyring.replace(keys);
    else this.keyring.apply(keys);
    // Channels become new objects, because requests in progress still write to the old ones.
    if (replacesPublications) this.#channels.clear();
    for (const channel of this.#channels.values()) channel.pinned = new Map();
    for (const { project, channel, release } of publications) {
      this.channelOf(project, channel).current = release;
    }
  }

  /** Returns a channel, even one that the store lacks: keys can be created before the first import. */
  channelOf(project: string, name: string): ServedChannel {
    // Neither name contains a slash.
    const path = `${project}/${name}`;
    let channel = this.#channels.get(path);
    if (channel === undefined) {
      channel = { project, name, current: undefined, pinned: new Map() };
      this.#channels.set(path, channel);
    }
    return channel;
  }
}

/** Limits the number of channels in the metrics, because channels for previews come and go. */
const MAX_CHANNELS = 100;

/** Provides the release of each channel as metrics, even for channels that no request has read. */
export class CurrentReleases {
  readonly #publications = new Map<string, Publication>();

  apply({ publications, replacesPublications }: StateUpdate): void {
    if (replacesPublications) this.#publications.clear();
    for (const publication of publications) {
      const path = `${publication.project}/${publication.channel}`;
      if (publication.release === undefined) this.#publications.delete(path);
      else this.#publications.set(path, publication);
    }
  }

  readGauges(nowMs: number): Record<string, number> {
    const all = [...this.#publications.values()];
    const live = all.filter(({ channel }) => channel === LIVE_CHANNEL);
    const others = all.filter(({ channel }) => channel !== LIVE_CHANNEL);
    const gauges: Record<string, number> = {};
    for (const { project, channel, release, publishedAt } of [...live, ...others].slice(0, MAX_CHANNELS)) {
      const labels = `{project="${project}",channel="${channel}"}`;
      gauges[`lectern_release${labels}`] = release?.number ?? 0;
      gauges[`lectern_release_age_seconds${labels}`] = Math.max(0, nowMs - Date.parse(publishedAt)) / 1000;
    }
    return gauges;
  }
}
