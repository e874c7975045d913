import type { CatalogReader } from "../../catalog/catalog-reader.ts";
import type { Release } from "../../catalog/store.ts";
import type { ServedChannel } from "../../following/served-state.ts";

/**
 * The database has less of a release than the release counts: it was pruned while it was read, or has not arrived yet. What
 * was read is neither sent nor kept.
 */
export class ReleaseIncomplete extends Error {
  constructor({ project, number }: Release, what: string) {
    super(`release ${number} of ${project} is incomplete: ${what}`);
  }
}

/** Throws ReleaseIncomplete unless all rows that a release counts were found. */
export function requireRows(release: Release, found: number, counted: number): void {
  if (found !== counted) throw new ReleaseIncomplete(release, `${found} of ${counted} courses were found`);
}

/** Throws ReleaseIncomplete when a release was pruned. For reads whose result does not tell whether something is missing. */
export async function requireUnpruned(catalog: CatalogReader, channel: ServedChannel, release: Release): Promise<void> {
  const found = await catalog.findPublishedRelease(channel.project, channel.name, release.number);
  if (found === "pruned") throw new ReleaseIncomplete(release, "it was pruned");
}
