// Changes a channel without reading a source: publishes an existing release, rolls back, deletes the channel or removes
// a source. Also prunes releases.
import { hostname } from "node:os";
import { ExpectedError } from "../catalog/expected-error.ts";
import type {
  LockedProject,
  LockHolder,
  PublicationAction,
  PublicationRecord,
  PublishingReader,
  PublishingStore,
  ReleaseCounts,
  ReleaseRecord,
} from "../catalog/store.ts";
import { listLiveChannels, listPrunable, listUndoSteps } from "./channel-history.ts";
import { NO_CHANGES } from "./change-count.ts";
import { compareForList, countCourses } from "./listed-courses.ts";

export interface PublishingContext {
  store: PublishingStore;
  project: string;
  now: () => Date;
  /** Called when another process holds the lock. */
  onWait?: (holder: LockHolder | undefined) => void;
}

export class PublishingRefused extends ExpectedError {}

export interface Switch {
  before: ReleaseRecord | undefined;
  after: ReleaseRecord | undefined;
}

export async function publishExisting(context: PublishingContext, number: number, channel: string): Promise<Switch> {
  const { store, project } = context;
  return switchRelease(context, channel, "publish", async () => getRelease(store, project, number));
}

/** Finds a release. Throws PublishingRefused if it is missing or pruned. */
export async function getRelease(store: PublishingReader, project: string, number: number): Promise<ReleaseRecord> {
  const release = await store.findRelease(project, number);
  if (release === undefined) throw new PublishingRefused(`Project ${project} has no release ${number}.`);
  refusePruned(release);
  return release;
}

function refusePruned({ number, project, prunedAt }: ReleaseRecord): void {
  if (prunedAt === undefined) return;
  throw new PublishingRefused(
    `Release ${number} of ${project} was pruned at ${prunedAt}; \`lectern releases\` lists those that remain.`,
  );
}

/** Rolls a channel back to an earlier release, by default the previous one. Throws PublishingRefused. */
export async function rollBack(
  context: PublishingContext,
  channel: string,
  number: number | undefined,
): Promise<Switch> {
  return switchRelease(context, channel, "rollback", async (entries) => {
    const steps = listUndoSteps(entries);
    const published = entries.flatMap(({ release }) => release ?? []);
    const release =
      number === undefined ? steps.at(-2) : published.findLast((candidate) => candidate.number === number);
    if (release !== undefined) return release;
    const { store, project } = context;
    if (number === undefined) {
      throw new PublishingRefused(`Channel ${channel} of ${project} has no release before the current one.`);
    }
    throw new PublishingRefused(
      (await store.findRelease(project, number)) === undefined
        ? `Project ${project} has no release ${number}; \`lectern releases --project ${project}\` lists its releases.`
        : `Channel ${channel} of ${project} has never published release ${number}; ` +
            "`lectern publish` publishes a release from another channel.",
    );
  });
}

export async function deleteChannel(context: PublishingContext, channel: string): Promise<Switch> {
  return switchRelease(context, channel, "delete", async () => undefined);
}

/** Prunes all releases except the `keep` newest of each channel and those served in the last minute. */
export async function pruneReleases(context: PublishingContext, keep: number): Promise<ReleaseRecord[]> {
  const { store, project, now } = context;
  return withLock(context, "prune", async (locked) => {
    const prunable = listPrunable(await store.listPublications(project), keep, now());
    await locked.pruneReleases(prunable, now().toISOString());
    return prunable;
  });
}

/**
 * Publishes a release without one source's courses; `name` is undefined for the unnamed source. Throws
 * PublishingRefused.
 */
export async function removeSource(
  context: PublishingContext,
  channel: string,
  name: string | undefined,
): Promise<{ number: number; removed: ReleaseCounts }> {
  const { store, project, now } = context;
  const what = name === undefined ? "the courses without a source" : `source ${name}`;
  return withLock(context, `removal of ${what}`, async (locked) => {
    const base = await store.findCurrentRelease(project, channel);
    const sources = base === undefined ? [] : await store.listSources(base);
    if (base === undefined || sources.length === 0) {
      throw new PublishingRefused(
        `Channel ${channel} of ${project} has no named sources. \`lectern import --source NAME\` creates one.`,
      );
    }
    const versions = await store.listVersions(base);
    const kept = versions.filter((version) => version.source !== name).sort(compareForList);
    const removed = countCourses(versions.filter((version) => version.source === name));
    if (kept.length === versions.length) {
      const names = sources.map((source) => source.name).join(", ");
      throw new PublishingRefused(
        `Channel ${channel} of ${project} has no courses ${name === undefined ? "without a source" : `from ${what}`}. Its sources are ${names}.`,
      );
    }
    const coursesRemoved = versions.length - kept.length;
    const release = await locked.createRelease(
      {
        ...countCourses(kept),
        source: "removed",
        sourceName: name,
        changes: { ...NO_CHANGES, coursesRemoved, lessonsRemoved: removed.lessons },
        versions: kept,
        sources: sources.filter((source) => source.name !== name),
      },
      { channel, action: "remove", at: now().toISOString() },
    );
    return { number: release.number, removed };
  });
}

export async function withLock<T>(
  { store, project, now, onWait = () => {} }: PublishingContext,
  task: string,
  work: (locked: LockedProject) => Promise<T>,
): Promise<T> {
  const holder = { pid: process.pid, host: hostname(), since: now().toISOString(), task };
  const locked = await store.lockProject(project, holder, onWait);
  try {
    return await work(locked);
  } finally {
    await locked.unlock();
  }
}

async function switchRelease(
  context: PublishingContext,
  channel: string,
  action: PublicationAction,
  choose: (entries: PublicationRecord[]) => Promise<ReleaseRecord | undefined>,
): Promise<Switch> {
  const { store, project, now } = context;
  return withLock(context, action, async (locked) => {
    const entries = listLiveChannels(await store.listPublications(project)).get(channel) ?? [];
    const before = entries.at(-1)?.release;
    if (before === undefined && action !== "publish") {
      throw new PublishingRefused(`Project ${project} has no channel ${channel}.`);
    }
    const after = await choose(entries);
    if (after !== undefined) refusePruned(after);
    const isSame = after !== undefined && after.id === before?.id;
    if (!isSame) await locked.publishRelease(after, { channel, action, at: now().toISOString() });
    return { before, after };
  });
}
