// Findings of `lectern status`: what needs attention, and what to do.
import { LIVE_CHANNEL } from "../../catalog/store.ts";
import type { LockHolder } from "../../catalog/store.ts";
import type { StoreStatus } from "../../store/maintenance/store-status.ts";
import { formatCount } from "../terminal/format.ts";
import { formatMoment } from "../terminal/times.ts";

const OLD_PREVIEW_MS = 30 * 86_400_000;

export interface Finding {
  kind: string;
  /** Undefined for the whole database. */
  project?: string;
  message: string;
}

export function listFindings({ content }: StoreStatus, now: Date): Finding[] {
  const findings: Finding[] = [];
  const add = (kind: Finding["kind"], message: string, project?: string): void =>
    void findings.push({ kind, message, ...(project === undefined ? {} : { project }) });
  for (const { project, holder, isRunning } of content.unfinishedImports) {
    if (isRunning === true) continue;
    const end = `${isRunning === undefined ? "has not finished" : "was interrupted"} in project ${project}.`;
    const doubt = isRunning === undefined ? " If it no longer runs, it was interrupted." : "";
    const next = "Readers did not see it. The next import cleans up.";
    add("import-cut-off", `${formatHolder(holder, now)} ${end}${doubt} ${next}`, project);
  }
  for (const { project, source, failingSince, fault } of content.followFailures) {
    const since = formatMoment(failingSince, now);
    add(
      "follow-fails",
      `\`lectern follow\` cannot publish ${source} in project ${project} since ${since}: ${fault}`,
      project,
    );
  }
  const live = content.keys.filter((counts) => counts.live > 0);
  const unread = new Set(content.channels.map(({ project }) => project));
  for (const { project } of live) unread.delete(project);
  for (const project of unread) {
    const next = `\`lectern keys create --project ${project}\``;
    add("no-key", `Project ${project} has no valid key, so nobody can read it. Create one: ${next}.`, project);
  }
  for (const { project, channel, release, publishedAt } of content.channels) {
    if (channel === LIVE_CHANNEL || now.getTime() - Date.parse(publishedAt) < OLD_PREVIEW_MS) continue;
    const shown = `shows release ${release}, published ${formatMoment(publishedAt, now)}`;
    const next = `If nobody needs it, run \`lectern channels delete ${channel} --project ${project}\`.`;
    add("old-preview", `Channel ${channel} of ${project} ${shown}. ${next}`, project);
  }
  for (const { project, channel, live: count } of live) {
    if (content.channels.some((each) => each.project === project && each.channel === channel)) continue;
    const keys = `${formatCount(count, "key")} of ${project} ${count === 1 ? "reads" : "read"}`;
    add("key-without-release", `${keys} channel ${channel}, which has no release, so its catalog is empty.`, project);
  }
  for (const { id, name, project, expiresAt } of content.expiring) {
    const key = `Key ${id}${name === "" ? "" : ` (${name})`} of ${project}`;
    const next = `\`lectern keys rotate ${id}\` replaces it`;
    add("key-expires", `${key} expires ${formatMoment(expiresAt, now)}. ${next}.`, project);
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
