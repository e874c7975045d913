import type { CatalogReader } from "../../catalog/catalog-reader.ts";
import type { Release } from "../../catalog/store.ts";
import type { ServedChannel } from "../../following/served-state.ts";
import { releaseNotFound, releasePruned } from "../request/errors.ts";

/** A release that was asked for by number: one that the channel has published. Throws 404, 410. */
export async function findPinned(channel: ServedChannel, number: number, catalog: CatalogReader): Promise<Release> {
  const known = channel.pinned.get(number);
  if (known !== undefined) return known;
  const release = await requireKept(channel, number, catalog);
  channel.pinned.set(number, release);
  return release;
}

/** The same, without what the channel remembers. */
export async function requireKept(channel: ServedChannel, number: number, catalog: CatalogReader): Promise<Release> {
  const release = await catalog.findPublishedRelease(channel.project, channel.name, number);
  if (release === undefined) throw releaseNotFound();
  if (release === "pruned") throw releasePruned();
  return release;
}
