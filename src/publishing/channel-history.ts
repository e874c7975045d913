import type { PublicationRecord, ReleaseRecord } from "../catalog/store.ts";

/** How long requests can still read a replaced release. */
const STILL_READ_MS = 60_000;
const LATER = new Date("9999-12-31T00:00:00.000Z");

/** Lists the channels that have a release, each with the log entries after its last deletion, oldest first. */
export function listLiveChannels(log: PublicationRecord[]): Map<string, PublicationRecord[]> {
  const channels = [...Map.groupBy(log, (entry) => entry.channel)].map(([name, entries]) => {
    const deletedAt = entries.findLastIndex((entry) => entry.release === undefined);
    return [name, entries.slice(deletedAt + 1)] as const;
  });
  return new Map(channels.filter(([, entries]) => entries.length > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Lists the releases to which successive rollbacks return, with the current release last. */
export function listUndoSteps(entries: PublicationRecord[]): ReleaseRecord[] {
  const steps: ReleaseRecord[] = [];
  for (const { action, release } of entries) {
    if (release === undefined) continue;
    const target = action === "rollback" ? steps.findLastIndex((step) => step.id === release.id) : -1;
    if (target !== -1) steps.length = target + 1;
    else if (steps.at(-1)?.id !== release.id) steps.push(release);
  }
  return steps;
}

/** Lists the releases that are kept only because they were replaced in the last minute. */
export function listStillRead(log: PublicationRecord[], keep: number, now: Date): ReleaseRecord[] {
  const prunable = new Set(listPrunable(log, keep, now));
  return listPrunable(log, keep, LATER).filter((release) => !prunable.has(release));
}

/**
 * Lists the releases to prune: all except the `keep` newest of each channel, the current ones, and those that were
 * replaced in the last minute.
 */
export function listPrunable(log: PublicationRecord[], keep: number, now: Date): ReleaseRecord[] {
  const kept = new Set<number>();
  for (const entries of listLiveChannels(log).values()) {
    const newestFirst = new Set(entries.toReversed().map((entry) => entry.release?.id));
    // The first release is the current one, which is kept even if `keep` is 0.
    for (const id of [...newestFirst].slice(0, Math.max(keep, 1))) if (id !== undefined) kept.add(id);
  }
  const lastOf = new Map<string, PublicationRecord>();
  for (const entry of log) {
    const before = lastOf.get(entry.channel);
    // A later time was written by a clock ahead.
    const isRecent = Math.abs(Date.parse(entry.publishedAt) - now.getTime()) <= STILL_READ_MS;
    if (before?.release !== undefined && isRecent) kept.add(before.release.id);
    lastOf.set(entry.channel, entry);
  }
  const all = new Map(log.flatMap(({ release }) => (release === undefined ? [] : [[release.id, release]])));
  return [...all.values()].filter((release) => release.prunedAt === undefined && !kept.has(release.id));
}
