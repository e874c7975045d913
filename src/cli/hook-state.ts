// What the commands of hooks have in common.
import type { Command } from "commander";
import { toPrintable } from "../catalog/printable.ts";
import type { Hook, HookAttempt } from "../hooks/hook.ts";
import type { Store } from "../store/open-store.ts";
import { CommandFailure } from "./failure.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import type { Cell } from "./table.ts";
import { formatRelative } from "./times.ts";

export type HookOptions = SettingValues<"database">;

/** Adds a command for one hook, which is named by its id. */
export function addHookCommand(hooks: Command, name: string, description: string): Command {
  const command = hooks.command(name).description(description);
  return addSettings(command.argument("<ID>", "the id that `lectern hooks list` shows"), ["database"]);
}

/** Finds a hook by its id. Throws CommandFailure when there is none. */
export async function findHook(store: Store, id: string): Promise<Hook> {
  const hook = await store.hooks.findHook(id);
  if (hook !== undefined) return hook;
  throw new CommandFailure(`There is no hook ${toPrintable(id)}; \`lectern hooks list\` shows the ids.`);
}

/** A hook for programs, without its secret. */
export function toHookJson(hook: Hook) {
  const { id, project, channel, url, allowsPrivate, createdAt, failures, paused, isCopy } = hook;
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
    nextAttemptAt: failures === 0 || paused !== undefined || isCopy ? null : hook.nextAttemptAt,
    pausedAt: paused?.at ?? null,
    pauseReason: paused?.reason ?? null,
  };
}

/** What of a URL can be no secret, such as `https://hooks.slack.com/…`: its host. A short path may be a secret, too. */
export function toShownUrl(url: string): string {
  const { origin } = new URL(url);
  return url === `${origin}/` ? url : `${origin}/…`;
}

function toState({ paused, isCopy, failures, lastPublication, newestPublication }: Hook): string {
  if (paused !== undefined) return "paused";
  if (isCopy) return "copy";
  if (failures > 0) return "failing";
  return lastPublication < newestPublication ? "waiting" : "live";
}

/** How a hook is, and what can be done about it. */
export function toStateCell(hook: Hook, now: Date): Cell {
  const state = toState(hook);
  const { paused, failingSince = "", nextAttemptAt } = hook;
  const describe = (format: (timestamp: string) => string): string => {
    if (paused !== undefined) return `paused (${paused.reason}) ${format(paused.at)}; see hooks resume`;
    if (state === "copy") return "waits, since its database was copied; see hooks resume";
    if (state === "failing") return `fails since ${format(failingSince)}, next attempt ${format(nextAttemptAt)}`;
    return state === "waiting" ? "has something to tell" : "live";
  };
  return {
    exact: describe((timestamp) => timestamp),
    short: describe((timestamp) => formatRelative(timestamp, now)),
  };
}

/** `204 in 83 ms`; `500 in 12 ms, not a 2xx`. */
export function describeAttempt({ status, durationMs, fault }: HookAttempt): string {
  const time = `in ${durationMs} ms`;
  if (status === undefined) return `${toPrintable(fault ?? "")}, ${time}`;
  return [`${status} ${time}`, ...(fault === undefined ? [] : [toPrintable(fault)])].join(", ");
}
