// What is odd about a database, and what somebody can do about it.
import { LIVE_CHANNEL } from "../catalog/store.ts";
import type { LockHolder } from "../catalog/store.ts";
import type { StoreStatus } from "../store/store-status.ts";
import { formatCount, formatSize } from "./format.ts";
import { formatMoment } from "./times.ts";

const LOW_DISK_BYTES = 1_000_000_000;
/** A preview on which nothing was published for so long may be forgotten. */
const OLD_PREVIEW_MS = 30 * 86_400_000;

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
  const findings: Finding[] = [];
  const add = (kind: Finding["kind"], message: string, project?: string): void =>
    void findings.push({ kind, message, ...(project === undefined ? {} : { project }) });
  const { engine, place, isWritable, freeBytes = Infinity } = database;
  if (!isWritable) {
    const why = engine === "postgres" ? "it is a replica, or set to read-only" : "this user may not write it";
    add("read-only", `Nothing can be imported into ${place} from here: ${why}.`);
  }
  if (freeBytes < LOW_DISK_BYTES) {
    const next = "Make some, there or with `lectern prune` and `lectern vacuum`.";
    add("low-disk", `The disk has ${formatSize(freeBytes)} left: imports may find no room. ${next}`);
  }
  for (const { project, holder, isRunning } of content.unfinishedImports) {
    if (isRunning === true) continue;
    const end = `${isRunning === undefined ? "has not finished" : "was cut off"} in project ${project}.`;
    const doubt = isRunning === undefined ? " If it does not run any more, it was cut off." : "";
    const next = "Readers saw nothing of it; the next import removes what it has left.";
    add("import-cut-off", `${formatHolder(holder, now)} ${end}${doubt} ${next}`, project);
  }
  const live = content.keys.filter((counts) => counts.live > 0);
  const unread = new Set(content.channels.map(({ project }) => project));
  for (const { project } of live) unread.delete(project);
  for (const project of unread) {
    const next = `\`lectern keys create --project ${project}\``;
    add("no-key", `Project ${project} has no key that works, so nobody reads it: ${next}.`, project);
  }
  for (const { project, channel, release, publishedAt } of content.channels) {
    if (channel === LIVE_CHANNEL || now.getTime() - Date.parse(publishedAt) < OLD_PREVIEW_MS) continue;
    const shown = `shows release ${release}, published ${formatMoment(publishedAt, now)}`;
    const next = `If nobody needs it: \`lectern channels delete ${channel} --project ${project}\`.`;
    add("old-preview", `Channel ${channel} of ${project} ${shown}. ${next}`, project);
  }
  for (const { project, channel, live: count } of live) {
    if (content.channels.some((each) => each.project === project && each.channel === channel)) continue;
    const keys = `${formatCount(count, "key")} of ${project} ${count === 1 ? "reads" : "read"}`;
    add("key-without-release", `${keys} channel ${channel}, which has no release: an empty catalog.`, project);
  }
  for (const { id, name, project, expiresAt } of content.expiring) {
    const key = `Key ${id}${name === "" ? "" : ` (${name})`} of ${project}`;
    const next = `\`lectern keys rotate ${id}\` makes the next one`;
    add("key-expires", `${key} ends ${formatMoment(expiresAt, now)}: ${next}.`, project);
  }
  for (const { id, project, state, since } of content.troubledHooks) {
    const when = since === undefined ? "" : formatMoment(since, now);
    const resume = `\`lectern webhooks resume ${id}\` resumes it.`;
    const texts = {
      failing: `has been failing since ${when}. \`lectern webhooks list\` shows the error.`,
      copy: `waits because its database was copied. ${resume}`,
      paused: `was paused ${when}. \`lectern webhooks list\` shows the error, ${resume}`,
    };
    add(state === "failing" ? "hook-fails" : "hook-paused", `Webhook ${id} of ${project} ${texts[state]}`, project);
  }
  return findings;
}

function formatHolder(holder: LockHolder | undefined, now: Date): string {
  if (holder === undefined) return "An import";
  return `The ${holder.task} that process ${holder.pid} on ${holder.host} began ${formatMoment(holder.since, now)}`;
}
