import type { ReleaseCounts } from "../catalog/store.ts";
import { compareForList } from "./course-order.ts";
import { createHolder } from "./lock-holder.ts";
import { PublishingRefused, type PublishingContext } from "./publish.ts";
import { countCourses, NO_CHANGES } from "./release-counts.ts";
import { formatNames } from "./source-scope.ts";

/**
 * Publishes the catalog of a channel without the courses of a source; for undefined without those of no source. Resolves with the
 * number of the new release, and what was removed. Throws PublishingRefused when there is nothing to remove.
 */
export async function removeSource(
  { store, project, now, onWait }: PublishingContext,
  channel: string,
  name: string | undefined,
): Promise<{ number: number; removed: ReleaseCounts }> {
  const what = name === undefined ? "the courses of no source" : `source ${name}`;
  const locked = await store.lockProject(project, createHolder(`removal of ${what}`, now()), onWait);
  try {
    const base = await store.findCurrentRelease(project, channel);
    const sources = base === undefined ? [] : await store.listSources(base);
    if (base === undefined || sources.length === 0) {
      throw new PublishingRefused(
        `Channel ${channel} of ${project} has no named sources. \`lectern import --source NAME\` makes one.`,
      );
    }
    const versions = await store.listVersions(base);
    const kept = versions.filter((version) => version.source !== name).sort(compareForList);
    const removed = countCourses(versions.filter((version) => version.source === name));
    if (kept.length === versions.length) {
      const names = formatNames(sources.map((source) => source.name));
      throw new PublishingRefused(
        `Channel ${channel} of ${project} has no courses of ${name === undefined ? "no source" : what}; its sources: ${names}.`,
      );
    }
    const at = now().toISOString();
    const coursesRemoved = versions.length - kept.length;
    const changes = { ...NO_CHANGES, coursesRemoved, lessonsRemoved: removed.lessons };
    const release = await locked.createRelease(
      {
        ...countCourses(kept),
        source: "removed",
        sourceName: name,
        changes,
        versions: kept,
        sources: sources.filter((source) => source.name !== name),
      },
      { channel, action: "remove", at },
    );
    return { number: release.number, removed };
  } finally {
    await locked.unlock();
  }
}
