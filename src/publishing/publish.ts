// Publications of releases that exist: promoting, rolling back, deleting a channel; and giving up old releases.
import { ExpectedError } from "../catalog/expected-error.ts";
import type {
  LockHolder,
  PublicationAction,
  PublicationRecord,
  PublishingStore,
  ReleaseRecord,
} from "../catalog/store.ts";
import { listChannelEntries, listPrunable, listUndoSteps } from "./channel-history.ts";
import { createHolder } from "./lock-holder.ts";

export interface PublishingContext {
  store: PublishingStore;
  project: string;
  now: () => Date;
  /** Called when another writer of the same project must finish first. */
  onWait: (holder: LockHolder | undefined) => void;
}

/** What was asked for cannot be done; the message says why and what can. */
export class PublishingRefused extends ExpectedError {}

export interface Switch {
  before: ReleaseRecord | undefined;
  /** Undefined when the channel was deleted. */
  after: ReleaseRecord | undefined;
}

/** Makes release `number` the current one of a channel. Throws PublishingRefused when it is not there any more. */
export async function publishExisting(context: PublishingContext, number: number, channel: string): Promise<Switch> {
  return switchRelease(context, channel, "publish", async () => {
    const release = await context.store.findRelease(context.project, number);
    if (release === undefined) throw new PublishingRefused(`Project ${context.project} has no release ${number}.`);
    return release;
  });
}

/**
 * Takes a channel back to release `number`, which it must have published; without a number, to the release before the
 * current one. Throws PublishingRefused.
 */
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
    if (number !== undefined && (await store.findRelease(project, number)) === undefined) {
      throw new PublishingRefused(
        `Project ${project} has no release ${number}; \`lectern releases --project ${project}\` shows what it has.`,
      );
    }
    throw new PublishingRefused(
      number === undefined
        ? `Channel ${channel} of ${context.project} has no release before the current one.`
        : `Channel ${channel} of ${context.project} has never published release ${number}; ` +
            "`lectern publish` publishes a release of another channel.",
    );
  });
}

/** Deletes a channel: its keys read an empty catalog from then on. Throws PublishingRefused when it is not there. */
export async function deleteChannel(context: PublishingContext, channel: string): Promise<Switch> {
  return switchRelease(context, channel, "delete", async () => undefined);
}

/**
 * Gives up the content of old releases, all but the `keep` newest of each channel, in short transactions. What a channel
 * serves, or served a minute ago, stays. Returns the releases that were given up.
 */
export async function pruneReleases(context: PublishingContext, keep: number): Promise<ReleaseRecord[]> {
  const { store, project, now, onWait } = context;
  const locked = await store.lockProject(project, createHolder("prune", now()), onWait);
  try {
    const prunable = listPrunable(await store.listPublications(project), keep, now());
    await locked.pruneReleases(prunable, now().toISOString());
    return prunable;
  } finally {
    await locked.unlock();
  }
}

async function switchRelease(
  { store, project, now, onWait }: PublishingContext,
  channel: string,
  action: PublicationAction,
  choose: (entries: PublicationRecord[]) => Promise<ReleaseRecord | undefined>,
): Promise<Switch> {
  const locked = await store.lockProject(project, createHolder(action, now()), onWait);
  try {
    const entries = listChannelEntries(await store.listPublications(project), channel);
    const before = entries.at(-1)?.release;
    if (before === undefined && action !== "publish") {
      throw new PublishingRefused(`Project ${project} has no channel ${channel}.`);
    }
    const after = await choose(entries);
    if (after?.prunedAt !== undefined) {
      throw new PublishingRefused(
        `Release ${after.number} of ${project} was pruned at ${after.prunedAt}; \`lectern releases\` shows what is kept.`,
      );
    }
    const isSame = after !== undefined && after.id === before?.id;
    if (!isSame) await locked.publishRelease(after, { channel, action, at: now().toISOString() });
    return { before, after };
  } finally {
    await locked.unlock();
  }
}
