// What a hook is told: documented in docs/webhooks.md.
import type { Hook, HookEvent } from "./hook.ts";

/** The body for a publication. */
export function renderEvent({ project, channel, action, publishedAt, release, before, changes }: HookEvent): string {
  return JSON.stringify({
    type: "catalog.published",
    timestamp: publishedAt,
    data: {
      project,
      channel,
      action,
      release:
        release === undefined
          ? null
          : { number: release.number, courses: release.courses, drafts: release.drafts, lessons: release.lessons },
      before: before ?? null,
      changes: changes ?? null,
    },
  });
}

/** The body of a test; `at` is a UTC timestamp. */
export function renderTestEvent({ project, channel }: Pick<Hook, "project" | "channel">, at: string): string {
  return JSON.stringify({ type: "test", timestamp: at, data: { project, channel } });
}

/**
 * The id of an event for a hook, the same for each attempt. It holds the time: after a database was restored, a publication
 * may have the number of one that was told.
 */
export function toEventId(hookId: string, { publicationId, publishedAt }: HookEvent): string {
  const digest = Bun.SHA256.hash(`${hookId}\n${publicationId}\n${publishedAt}`, "hex");
  return `evt_${digest.slice(0, 24)}`;
}

/** An event in a word for people. */
export function describeEvent({ action, release }: HookEvent): string {
  return release === undefined ? "channel deleted" : `${action} of release ${release.number}`;
}
