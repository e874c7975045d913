import type { Command } from "commander";
import { attemptDelivery } from "../hooks/attempt-delivery.ts";
import { renderTestEvent } from "../hooks/event-message.ts";
import { systemClock } from "../hooks/hook-clock.ts";
import { CommandFailure } from "./failure.ts";
import { formatNumber } from "./format.ts";
import { addCreateCommand, addRotateCommand } from "./hook-secrets.ts";
import {
  addHookCommand,
  describeAttempt,
  findHook,
  toHookJson,
  toShownUrl,
  toStateCell,
  type HookOptions,
} from "./hook-state.ts";
import { tellNothing } from "./name-hints.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import { formatTable } from "./table.ts";
import { toTimeCell } from "./times.ts";
import { requireSubcommand } from "./usage-hints.ts";
import { withStore } from "./with-store.ts";
import type { Terminal } from "./terminal.ts";

type ListOptions = SettingValues<"database" | "project"> & { json?: boolean };

/** Adds `lectern hooks create`, `list`, `test`, `log`, `resume`, `rotate` and `delete`. */
export function addHooksCommand(program: Command, terminal: Terminal): void {
  const hooks = program
    .command("hooks")
    .summary("tell other programs of publications")
    .description("Webhooks: servers tell a URL of each publication on a channel.");
  addCreateCommand(hooks, terminal);
  addRotateCommand(hooks, terminal);

  addSettings(
    hooks.command("list").description("Lists hooks, newest first, and how they are. Of URLs it shows the host."),
    ["database", "project"],
  )
    .option("--json", "print a JSON array, with whole URLs")
    .addHelpText("after", "\nExamples:\n  lectern hooks list\n  lectern hooks list --project demo --json")
    .action((options: ListOptions) => listHooks(options, terminal));

  addHookCommand(
    hooks,
    "test",
    "Sends a test to a hook now, and tells what came of it. When it succeeds, a pause ends.",
  )
    .addHelpText("after", "\nExample:\n  lectern hooks test hook_0a1b2c3d4e5f")
    .action((id: string, options: HookOptions) => testHook(id, options, terminal));

  addHookCommand(hooks, "log", "Lists the latest attempts to tell a hook, newest first: 50 are kept.")
    .option("--json", "print a JSON array")
    .addHelpText("after", "\nExample:\n  lectern hooks log hook_0a1b2c3d4e5f")
    .action((id: string, options: HookOptions & { json?: boolean }) => showLog(id, options, terminal));

  addHookCommand(
    hooks,
    "resume",
    "Goes on with a hook that is paused, that waits for its next attempt, or that was copied with its database.",
  )
    .option("--skip", "leave out what was published meanwhile")
    .addHelpText("after", "\nExample:\n  lectern hooks resume hook_0a1b2c3d4e5f --skip")
    .action((id: string, options: HookOptions & { skip?: boolean }) => resumeHook(id, options, terminal));

  addHookCommand(hooks, "delete", "Deletes a hook: it is told nothing more.")
    .addHelpText("after", "\nExample:\n  lectern hooks delete hook_0a1b2c3d4e5f")
    .action((id: string, options: HookOptions) => deleteHook(id, options, terminal));
  requireSubcommand(hooks);
}

async function listHooks({ database, project, json }: ListOptions, terminal: Terminal): Promise<void> {
  await withStore(database, async (store) => {
    const hooks = await store.hooks.listHooks(project);
    if (json === true) terminal.print(JSON.stringify(hooks.map(toHookJson)));
    if (hooks.length === 0) {
      const whose = project === undefined ? "There are" : `Project ${project} has`;
      const next = `Make one: lectern hooks create --project ${project ?? "PROJECT"} --url URL`;
      return tellNothing(
        { store, terminal, json },
        project === undefined ? undefined : { project },
        `${whose} no hooks.`,
        next,
      );
    }
    if (json === true) return;
    const now = terminal.now();
    const rows = hooks.map((hook) => [
      hook.id,
      hook.project,
      hook.channel,
      toShownUrl(hook.url),
      toTimeCell(hook.createdAt, now, ""),
      toStateCell(hook, now),
    ]);
    const head = ["ID", "PROJECT", "CHANNEL", "URL", "CREATED", "STATE"];
    terminal.print(formatTable({ head, rows, cuts: ["URL", "STATE"], drops: ["CREATED"] }, terminal.output));
  });
}

async function testHook(id: string, { database }: HookOptions, terminal: Terminal): Promise<void> {
  await withStore(database, async (store) => {
    const hook = await findHook(store, id);
    const message = {
      eventId: `evt_${crypto.getRandomValues(new Uint8Array(12)).toHex()}`,
      event: "test",
      body: renderTestEvent(hook, new Date().toISOString()),
    };
    const attempt = await attemptDelivery(hook, message, { clock: systemClock });
    await store.hooks.addAttempt(id, attempt);
    const result = describeAttempt(attempt);
    if (attempt.fault !== undefined) throw new CommandFailure(`Hook ${id} failed: ${result}.`);
    terminal.print(`Hook ${id} answered: ${result}.`);
    // That a copy may begin is for `resume` to say.
    if (hook.isCopy || (hook.paused === undefined && hook.failures === 0)) return;
    await store.hooks.resumeHook(id, false);
    terminal.print("What it has missed is told now.");
  });
}

async function showLog(
  id: string,
  { database, json }: HookOptions & { json?: boolean },
  terminal: Terminal,
): Promise<void> {
  await withStore(database, async (store) => {
    await findHook(store, id);
    const attempts = await store.hooks.listAttempts(id);
    if (json === true) {
      terminal.print(
        JSON.stringify(attempts.map(({ status = null, fault = null, ...attempt }) => ({ ...attempt, status, fault }))),
      );
      return;
    }
    if (attempts.length === 0) {
      terminal.print(`Nothing was sent to ${id} yet.`);
      return;
    }
    const now = terminal.now();
    const rows = attempts.map(({ at, event, eventId, status, durationMs, fault }) => [
      toTimeCell(at, now, ""),
      event,
      eventId,
      status === undefined ? "none" : String(status),
      `${formatNumber(durationMs)} ms`,
      fault ?? "",
    ]);
    const head = ["TIME", "EVENT", "WEBHOOK-ID", "STATUS", "TOOK", "FAULT"];
    terminal.print(formatTable({ head, rows, cuts: ["FAULT"], drops: ["WEBHOOK-ID"] }, terminal.output));
  });
}

async function resumeHook(
  id: string,
  { database, skip = false }: HookOptions & { skip?: boolean },
  terminal: Terminal,
): Promise<void> {
  await withStore(database, async (store) => {
    const { lastPublication, newestPublication } = await findHook(store, id);
    await store.hooks.resumeHook(id, skip);
    const isBehind = lastPublication < newestPublication;
    const missed = skip ? "left out" : "told now, in its order";
    terminal.print(`Hook ${id} goes on.${isBehind ? ` What it has missed is ${missed}.` : ""}`);
  });
}

async function deleteHook(id: string, { database }: HookOptions, terminal: Terminal): Promise<void> {
  await withStore(database, async (store) => {
    const { project, channel } = await findHook(store, id);
    await store.hooks.deleteHook(id);
    terminal.print(`Deleted ${id} of project ${project}, channel ${channel}: it is told nothing more.`);
  });
}
