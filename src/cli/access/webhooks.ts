import type { Command } from "commander";
import { toPrintable } from "../../catalog/printable.ts";
import { attemptDelivery, createHookSecret, createTestMessage } from "../../hooks/attempt-delivery.ts";
import { systemClock, type Hook } from "../../hooks/hook.ts";
import type { Store } from "../../store/open-store.ts";
import { CommandFailure, UsageFailure } from "../failure.ts";
import { createGraceOption, printOnce } from "./keys.ts";
import { describeMeantByNew } from "../terminal/name-hints.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import { parseHttpUrl } from "../settings/setting-values.ts";
import { type Cell, formatRelative, toTimeCell } from "../terminal/format.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { printList, withStore, type Session } from "../with-store.ts";

type HookOptions = SettingValues<"database"> & { grace: number; json?: boolean; skip?: boolean };
/** Returns the text to print, unless it has printed it. */
type RunOnHook = (store: Store, hook: Hook, options: HookOptions) => Promise<string | void>;
type ListOptions = SettingValues<"database" | "project"> & { json?: boolean };
type CreateOptions = SettingValues<"database" | "project" | "channel", "project"> & {
  url: string;
  allowPrivate?: boolean;
  json?: boolean;
};

const MAX_URL_LENGTH = 2048;

export function addWebhooksCommand(program: Command, terminal: Terminal): void {
  const hooks = program.command("webhooks");
  addSettings(hooks.command("create"), ["database", "project", "channel"])
    .requiredOption("--url <URL>")
    .option("--allow-private")
    .option("--json")
    .action((options: CreateOptions) => createHook(terminal, options));
  addSettings(hooks.command("list"), ["database", "project"], false)
    .option("--json")
    .action((options: ListOptions) => withStore(terminal, options, listHooks));
  const add = (name: string, run: RunOnHook): Command =>
    addSettings(hooks.command(`${name} <ID>`), ["database"]).action((id: string, options: HookOptions) => {
      const runOnHook = async ({ store }: Session): Promise<void> => {
        const hook = await store.hooks.findHook(id);
        if (hook === undefined)
          throw new CommandFailure(`There is no webhook ${toPrintable(id)}. \`lectern webhooks list\` shows the ids.`);
        const text = await run(store, hook, options);
        if (typeof text === "string") terminal.print(text);
      };
      return withStore(terminal, options, runOnHook, "write");
    });
  add("rotate", (store, hook, options) => rotateHook(store, hook, options, terminal))
    .addOption(createGraceOption())
    .option("--json");
  add("test", testHook);
  add("resume", resumeHook).option("--skip");
  add("delete", async (store, { id, project, channel }) => {
    await store.hooks.deleteHook(id);
    return `Deleted webhook ${id} of project ${project}, channel ${channel}.`;
  });
}

async function createHook(terminal: Terminal, options: CreateOptions): Promise<void> {
  const { project, channel, allowPrivate: allowsPrivate = false } = options;
  const url = await parseHookUrl(options.url, allowsPrivate, terminal);
  const create = async ({ store }: Session): Promise<void> => {
    const meant = await describeMeantByNew(store, { project, channel });
    const id = `hook_${crypto.getRandomValues(new Uint8Array(6)).toHex()}`;
    const secret = createHookSecret();
    const hook = { id, secret, project, channel, url, allowsPrivate, createdAt: new Date().toISOString() };
    await store.hooks.insertHook(hook);
    const text =
      `Webhook ${id} receives each publication on channel ${channel} of project ${project}. Its secret:\n\n  ${secret}\n\n` +
      `Store it now: it is not shown again. \`lectern webhooks test ${id}\` sends a test message.`;
    const shown = options.json === true ? JSON.stringify(hook) : text;
    const takeBack = (): Promise<void> => store.hooks.deleteHook(id);
    await printOnce(terminal, shown, takeBack, `Webhook ${id} was deleted because its secret`);
    if ((await store.publishing.findCurrentRelease(project, channel)) === undefined) {
      terminal.note(`Channel ${channel} of project ${project} has no release yet.${meant}`);
    }
  };
  await withStore(terminal, options, create, "create");
}

/**
 * Parses the URL of a webhook. Throws CommandFailure if deliveries would refuse the URL. Each delivery checks the URL
 * again, because DNS can change.
 */
async function parseHookUrl(text: string, allowsPrivate: boolean, terminal: Terminal): Promise<string> {
  // No message repeats the URL, because it can contain a secret.
  const refuse = (fault: string): never => {
    throw new UsageFailure(`--url ${fault}.`);
  };
  const url = parseHttpUrl(text) ?? refuse("must be an absolute https URL, such as https://site.example/rebuild");
  if (text.length > MAX_URL_LENGTH) refuse(`is longer than ${MAX_URL_LENGTH} characters`);
  if (`${url.username}${url.password}` !== "") {
    refuse(
      "must not contain a user name or password. To authenticate deliveries, verify their signatures, or put a token in the path or query",
    );
  }
  if (url.protocol !== "https:" && !allowsPrivate) {
    refuse("must begin with https. For a private network, --allow-private also permits http");
  }
  url.hash = "";
  const { findAddresses, PrivateAddress } = await import("../../hooks/post-message.ts");
  await findAddresses(url, allowsPrivate).catch((error: Error) => {
    if (error instanceof PrivateAddress) throw new UsageFailure(`--url: ${error.message}.`);
    terminal.note(`${url.hostname} has no address now: ${error.message}. The webhook is created anyway.`);
  });
  return url.href;
}

async function listHooks(session: Session, options: ListOptions): Promise<void> {
  const { project } = options;
  const hooks = await session.store.hooks.listHooks(project);
  await printList(session, options, {
    items: hooks.map(toHookJson),
    toTable: (now) => ({
      head: ["ID", "PROJECT", "CHANNEL", "URL", "CREATED", "STATE"],
      rows: hooks.map((hook) => {
        const { id, channel, url, createdAt } = hook;
        return [id, hook.project, channel, toShownUrl(url), toTimeCell(createdAt, now, ""), toStateCell(hook, now)];
      }),
      cuts: ["URL", "STATE"],
      drops: ["CREATED"],
    }),
    empty: `${project === undefined ? "There are" : `Project ${project} has`} no webhooks.`,
    next: `webhooks create --project ${project ?? "PROJECT"} --url URL`,
  });
}

async function rotateHook({ hooks }: Store, { id }: Hook, { grace, json }: HookOptions, terminal: Terminal) {
  const secret = createHookSecret();
  const oldSecretEnds = grace === 0 ? undefined : new Date(Date.now() + grace).toISOString();
  const signed = oldSecretEnds === undefined ? "with this secret alone" : `with both secrets until ${oldSecretEnds}`;
  const text = `The new secret of ${id}:\n\n  ${secret}\n\nStore it now: it is not shown again. Deliveries are signed ${signed}.`;
  // Printed first: if that fails, for example on a full disk, the old secret stays.
  terminal.print(json === true ? JSON.stringify({ id, secret, oldSecretEnds: oldSecretEnds ?? null }) : text);
  await hooks.replaceSecret(id, secret, oldSecretEnds);
}

async function testHook(store: Store, hook: Hook): Promise<string> {
  const startedAt = performance.now();
  const message = createTestMessage(hook, new Date().toISOString());
  const { status, fault } = await attemptDelivery(hook, message, systemClock);
  const time = `in ${Math.round(performance.now() - startedAt)} ms`;
  const answer = [status, fault === undefined ? undefined : toPrintable(fault)].filter((part) => part !== undefined);
  if (fault !== undefined) throw new CommandFailure(`Webhook ${hook.id} failed ${time}: ${answer.join(", ")}.`);
  const result = `Webhook ${hook.id} answered ${status} ${time}.`;
  // In a copied database, deliveries start only after `lectern webhooks resume`.
  if (hook.isCopy || (hook.pausedAt === undefined && hook.failures === 0)) return result;
  await store.hooks.resumeHook(hook.id, false);
  return `${result}\nMissed publications are delivered now.`;
}

async function resumeHook(store: Store, hook: Hook, { skip = false }: HookOptions): Promise<string> {
  await store.hooks.resumeHook(hook.id, skip);
  const missed = skip ? "skipped" : "delivered now, in order";
  const isBehind = hook.lastPublication < hook.newestPublication;
  return `Resumed webhook ${hook.id}.${isBehind ? ` Missed publications are ${missed}.` : ""}`;
}

/** Returns a webhook for JSON output, without its secret. */
function toHookJson(hook: Hook) {
  const { id, project, channel, url, allowsPrivate, createdAt, failures, isCopy } = hook;
  const { failingSince = null, lastFault = null, pausedAt = null, pauseReason = null } = hook;
  const nextAttemptAt = failures === 0 || pausedAt !== null || isCopy ? null : hook.nextAttemptAt;
  const shown = { id, project, channel, url, allowsPrivate, createdAt, state: toState(hook), failures };
  return { ...shown, failingSince, lastFault, nextAttemptAt, pausedAt, pauseReason };
}

/** Shortens a URL to its origin, because even a short path can be a secret. */
function toShownUrl(url: string): string {
  const { origin } = new URL(url);
  return url === `${origin}/` ? url : `${origin}/…`;
}

function toState({ pausedAt, isCopy, failures, lastPublication, newestPublication }: Hook): string {
  if (pausedAt !== undefined) return "paused";
  if (isCopy) return "copy";
  if (failures > 0) return "failing";
  return lastPublication < newestPublication ? "waiting" : "live";
}

function toStateCell(hook: Hook, now: Date): Cell {
  const state = toState(hook);
  const { pausedAt = "", pauseReason, failingSince = "", lastFault = "", nextAttemptAt } = hook;
  const describe = (format: (timestamp: string) => string): string => {
    if (state === "paused")
      return `paused (${pauseReason}: ${lastFault}) ${format(pausedAt)}; see lectern webhooks resume`;
    if (state === "copy") return "waiting in a copied database; see lectern webhooks resume";
    if (state !== "failing") return state === "waiting" ? "waiting, deliveries due" : "live";
    return `failing (${lastFault}) since ${format(failingSince)}, next attempt ${format(nextAttemptAt)}`;
  };
  return { exact: describe((time) => time), short: describe((time) => formatRelative(time, now)) };
}
