import { InvalidArgumentError, Option, type Command } from "commander";
import {
  publishExisting,
  pruneReleases,
  rollBack,
  type PublishingContext,
  type Switch,
} from "../../publishing/publish.ts";
import { listStillRead } from "../../publishing/channel-history.ts";
import { formatCount, formatSize } from "../terminal/format.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import { createPublishingContext, printEmpty, withStore, type Session } from "../with-store.ts";
import type { Terminal } from "../terminal/terminal.ts";

type ChannelOptions = SettingValues<"database" | "project" | "channel", "project">;
type PruneOptions = SettingValues<"database" | "assets" | "project" | "keep", "project">;

export function addPublicationCommands(program: Command, terminal: Terminal): void {
  addSettings(program.command("publish"), ["database", "project", "channel"])
    .addOption(createReleaseOption("release").makeOptionMandatory())
    .action((options: ChannelOptions & { release: number }) =>
      runSwitch(terminal, options, (context) => publishExisting(context, options.release, options.channel)),
    );
  addSettings(program.command("rollback"), ["database", "project", "channel"])
    .addOption(createReleaseOption("to"))
    .action((options: ChannelOptions & { to?: number }) =>
      runSwitch(terminal, options, (context) => rollBack(context, options.channel, options.to)),
    );
  addSettings(program.command("prune"), ["database", "assets", "project", "keep"]).action((options: PruneOptions) =>
    withStore(terminal, options, prune, "write"),
  );
}

async function prune(session: Session, { project, keep }: PruneOptions): Promise<void> {
  const { store, terminal } = session;
  const context = createPublishingContext(session, project);
  const pruned = await pruneReleases(context, keep);
  const { assets, bytes } = await store.assets.pruneAssets(context.now().toISOString());
  const numbers = pruned.map((release) => release.number).join(", ");
  const stillRead = listStillRead(await store.publishing.listPublications(project), keep, context.now()).length;
  if (pruned.length > 0) terminal.print(`Pruned ${formatCount(pruned.length, "release")} of ${project}: ${numbers}.`);
  else if (stillRead === 0) await printEmpty(session, { project }, `Nothing to prune in ${project}.`);
  if (stillRead > 0) {
    const kept = `Kept ${formatCount(stillRead, "release")} of ${project} that a channel showed within the last minute`;
    const them = stillRead === 1 ? "it" : "them";
    terminal.print(`${kept}: clients can still read ${them}. Prune again in a minute.`);
  }
  if (assets > 0) terminal.print(`Deleted ${formatCount(assets, "file")} (${formatSize(bytes)}) that no release uses.`);
  const waiting = await store.assets.measureUnreferenced();
  if (waiting.assets === 0) return;
  const files = `${formatCount(waiting.assets, "file")} (${formatSize(waiting.bytes)}) that no release uses`;
  const them = waiting.assets === 1 ? "it" : "them";
  terminal.print(`Kept ${files}: an import used ${them} within the last day. Prune again after ${waiting.until}.`);
}

export async function runSwitch(
  terminal: Terminal,
  options: ChannelOptions,
  change: (context: PublishingContext) => Promise<Switch>,
): Promise<void> {
  const run = async (session: Session, { project, channel }: ChannelOptions): Promise<void> => {
    const { before, after } = await change(createPublishingContext(session, project));
    const was = before === undefined ? "" : ` (was at release ${before.number})`;
    if (after === undefined) {
      terminal.print(`Deleted channel ${channel} of ${project}${was}.`);
      return;
    }
    const isSame = after.id === before?.id;
    const at = `${isSame ? "already" : "now"} at release ${after.number}${isSame ? "" : was}`;
    terminal.print(`Channel ${channel} of ${project} is ${at}.`);
  };
  await withStore(terminal, options, run, "write");
}

export function createReleaseOption(name: string): Option {
  return new Option(`--${name} <N>`).argParser((text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw new InvalidArgumentError("Expected a release number, as listed by `lectern releases`.");
  });
}
