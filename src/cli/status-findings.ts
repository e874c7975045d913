// What is odd about a database: what somebody should look at, and what they can do.
import { LIVE_CHANNEL } from "../catalog/store.ts";
import type {
  ChannelStatus,
  DatabaseStatus,
  StoreStatus,
  TroubledHook,
  UnfinishedImport,
} from "../store/store-status.ts";
import { formatCount, formatSize } from "./format.ts";
import { formatMoment } from "./times.ts";

/** An import, or a backup, may find no room soon. */
const LOW_DISK_BYTES = 1_000_000_000;
/** A preview that nobody has published on for so long may be forgotten. */
const OLD_PREVIEW_MS = 30 * 86_400_000;

/** Something that is odd. */
export interface Finding {
  kind:
    | "read-only"
    | "low-disk"
    | "no-key"
    | "key-without-release"
    | "old-preview"
    | "import-cut-off"
    | "key-expires"
    | "hook-fails"
    | "hook-paused";
  /** Undefined where it is of the whole database. */
  project?: string;
  message: string;
}

/** What is odd at a time; the whole database first. */
export function listFindings({ database, content }: StoreStatus, now: Date): Finding[] {
  const { channels, keys, expiring, troubledHooks, unfinishedImports } = content;
  const known = new Set(channels.map(({ project, channel }) => `${project}/${channel}`));
  const read = new Set(keys.filter(({ live }) => live > 0).map(({ project }) => project));
  const unread = new Set(channels.map(({ project }) => project).filter((project) => !read.has(project)));
  const isOld = ({ channel, publishedAt }: ChannelStatus): boolean =>
    channel !== LIVE_CHANNEL && now.getTime() - Date.parse(publishedAt) >= OLD_PREVIEW_MS;
  return [
    ...listOfDatabase(database),
    ...unfinishedImports.filter(({ isRunning }) => isRunning !== true).map((each) => toImportFinding(each, now)),
    ...[...unread].map((project): Finding => {
      const message = `Project ${project} has no key that works, so nobody reads it: \`lectern keys create --project ${project}\`.`;
      return { kind: "no-key", project, message };
    }),
    ...channels.filter(isOld).map(({ project, channel, release, publishedAt }): Finding => {
      const message =
        `Channel ${channel} of ${project} shows release ${release}, published ${formatMoment(publishedAt, now)}. ` +
        `If nobody needs it: \`lectern channels delete ${channel} --project ${project}\`.`;
      return { kind: "old-preview", project, message };
    }),
    ...keys
      .filter(({ project, channel, live }) => live > 0 && !known.has(`${project}/${channel}`))
      .map(({ project, channel, live }): Finding => {
        const message = `${formatCount(live, "key")} of ${project} ${live === 1 ? "reads" : "read"} channel ${channel}, which has no release: an empty catalog.`;
        return { kind: "key-without-release", project, message };
      }),
    ...expiring.map(({ id, name, project, expiresAt }): Finding => {
      const called = name === "" ? "" : ` (${name})`;
      const message = `Key ${id}${called} of ${project} ends ${formatMoment(expiresAt, now)}: \`lectern keys rotate ${id}\` makes the next one.`;
      return { kind: "key-expires", project, message };
    }),
    ...troubledHooks.map((hook) => toHookFinding(hook, now)),
  ];
}

function listOfDatabase({ engine, place, isWritable, freeBytes }: DatabaseStatus): Finding[] {
  const findings: Finding[] = [];
  if (!isWritable) {
    const why = engine === "postgres" ? "it is a replica, or set to read-only" : "this user may not write it";
    findings.push({ kind: "read-only", message: `Nothing can be imported into ${place} from here: ${why}.` });
  }
  if (freeBytes !== undefined && freeBytes < LOW_DISK_BYTES) {
    const message = `The disk has ${formatSize(freeBytes)} left: imports may find no room. Make some, there or with \`lectern prune\` and \`lectern vacuum\`.`;
    findings.push({ kind: "low-disk", message });
  }
  return findings;
}

function toHookFinding({ id, project, state, since = "" }: TroubledHook, now: Date): Finding {
  const why = "`lectern hooks list` tells why";
  if (state === "failing") {
    const message = `Hook ${id} of ${project} fails since ${formatMoment(since, now)}, and is tried again: ${why}.`;
    return { kind: "hook-fails", project, message };
  }
  const goesOn = `\`lectern hooks resume ${id}\` goes on`;
  const message =
    state === "copy"
      ? `Hook ${id} of ${project} waits, since its database was copied: ${goesOn}.`
      : `Hook ${id} of ${project} was paused ${formatMoment(since, now)}: ${why}, ${goesOn}.`;
  return { kind: "hook-paused", project, message };
}

function toImportFinding({ project, holder, isRunning }: UnfinishedImport, now: Date): Finding {
  const began =
    holder === undefined
      ? "An import"
      : `The ${holder.task} that process ${holder.pid} on ${holder.host} began ${formatMoment(holder.since, now)}`;
  const end =
    isRunning === undefined
      ? `has not finished in project ${project}. If it does not run any more, it was cut off.`
      : `was cut off in project ${project}.`;
  const message = `${began} ${end} Readers saw nothing of it; the next import removes what it has left.`;
  return { kind: "import-cut-off", project, message };
}
