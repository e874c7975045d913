import { LIVE_CHANNEL, type Publication } from "../catalog/store.ts";
import type { StateUpdate } from "./served-state.ts";

/** The most channels in metrics, since previews come and go. */
const MAX_CHANNELS = 100;

/** The release of each channel, as metrics, including channels that no request has read. */
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
