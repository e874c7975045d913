// How commands show a hook.
import type { Hook } from "../hooks/hook.ts";
import type { Cell } from "./table.ts";
import { formatRelative } from "./times.ts";

/** A hook for programs, without its secret. */
export function toHookJson(hook: Hook) {
  const { id, project, channel, url, allowsPrivate, createdAt, failures, pausedAt, isCopy } = hook;
  return {
    id,
    project,
    channel,
    url,
    allowsPrivate,
    createdAt,
    state: toState(hook),
    failures,
    failingSince: hook.failingSince ?? null,
    lastFault: hook.lastFault ?? null,
    nextAttemptAt: failures === 0 || pausedAt !== undefined || isCopy ? null : hook.nextAttemptAt,
    pausedAt: pausedAt ?? null,
    pauseReason: hook.pauseReason ?? null,
  };
}

/** The part of a URL that can be no secret: its host. Even a short path may be one. */
export function toShownUrl(url: string): string {
  const { origin } = new URL(url);
  return url === `${origin}/` ? url : `${origin}/…`;
}

function toState({ pausedAt, isCopy, failures, lastPublication, newestPublication }: Hook): string {
  if (pausedAt !== undefined) return "paused";
  if (isCopy) return "copy";
  if (failures > 0) return "failing";
  return lastPublication < newestPublication ? "waiting" : "live";
}

/** The state of a hook, and what can be done about it. */
export function toStateCell(hook: Hook, now: Date): Cell {
  const state = toState(hook);
  const { pausedAt = "", pauseReason, failingSince = "", lastFault = "", nextAttemptAt } = hook;
  const describe = (format: (timestamp: string) => string): string => {
    if (state === "paused") return `paused (${pauseReason}: ${lastFault}) ${format(pausedAt)}; see hooks resume`;
    if (state === "copy") return "waits, since its database was copied; see hooks resume";
    if (state !== "failing") return state === "waiting" ? "has something to deliver" : "live";
    return `fails (${lastFault}) since ${format(failingSince)}, next attempt ${format(nextAttemptAt)}`;
  };
  return { exact: describe((time) => time), full: describe((time) => formatRelative(time, now)), short: state };
}
