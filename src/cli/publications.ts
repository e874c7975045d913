// The commands that publish, roll back and prune releases, and delete channels.
import { InvalidArgumentError, Option, type Command } from "commander";
import {
  deleteChannel,
  publishExisting,
  pruneReleases,
  rollBack,
  type PublishingContext,
  type Switch,
} from "../publishing/publish.ts";
import type { Store } from "../store/open-store.ts";
import { formatCount, formatSize } from "./format.ts";
import { tellNothing } from "./name-hints.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import { toAssetFolder } from "./settings/database-settings.ts";
import { createPublishingContext, withStore } from "./with-store.ts";
import type { Terminal } from "./terminal.ts";

type ChannelOptions = SettingValues<"database" | "project" | "channel", "project">;

/** Adds `lectern publish`. */
export function addPublishCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("publish")
    .summary("make a release that exists the current one of a channel")
    .description(
      "Makes a release that exists the current one of a channel, such as a preview that was reviewed. Nothing is " +
        "imported again; servers switch within a second.",
    )
    .addOption(createReleaseOption("release", "the release to publish").makeOptionMandatory());
  addSettings(command, ["database", "project", "channel"], ["project"])
    .addHelpText("after", "\nExample:\n  lectern publish --project acme --release 12 --channel live")
    .action(async (options: ChannelOptions & { release: number }) => {
      await runSwitch(options, terminal, (context) => publishExisting(context, options.release, options.channel));
    });
}

/** Adds `lectern rollback`. */
export function addRollbackCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("rollback")
    .summary("take a channel back to an earlier release")
    .description(
      "Takes a channel back to the release before the current one, or to release N. Servers switch within a second; " +
        "a second rollback goes one further back.",
    )
    .addOption(createReleaseOption("to", "the release to go back to"));
  addSettings(command, ["database", "project", "channel"], ["project"])
    .addHelpText("after", "\nExamples:\n  lectern rollback --project acme\n  lectern rollback --project acme --to 9")
    .action(async (options: ChannelOptions & { to?: number }) => {
      await runSwitch(options, terminal, (context) => rollBack(context, options.channel, options.to));
    });
}

/** Adds `lectern channels delete` to the command `channels`. */
export function addChannelsDeleteCommand(channels: Command, terminal: Terminal): void {
  const command = channels
    .command("delete")
    .description("Deletes a channel. Its keys stay, and read an empty catalog; its releases can be pruned.")
    .argument("<CHANNEL>", "the channel, such as pr-42");
  addSettings(command, ["database", "project"], ["project"])
    .addHelpText("after", "\nExample:\n  lectern channels delete pr-42 --project acme")
    .action(async (channel: string, options: SettingValues<"database" | "project", "project">) => {
      await runSwitch({ ...options, channel }, terminal, (context) => deleteChannel(context, channel));
    });
}

/** Adds `lectern prune`. */
export function addPruneCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("prune")
    .summary("give up the content of old releases")
    .description(
      "Gives up the content of a project's old releases. What a channel serves, or served a minute ago, stays. " +
        "`lectern import` does this too.",
    );
  addSettings(command, ["database", "assets", "project", "keep"], ["project"])
    .addHelpText("after", "\nExample:\n  lectern prune --project acme --keep 5")
    .action(
      async ({
        database,
        assets,
        project,
        keep,
      }: SettingValues<"database" | "assets" | "project" | "keep", "project">) => {
        const prune = async (store: Store): Promise<void> => {
          const context = createPublishingContext(store, project, terminal);
          const pruned = await pruneReleases(context, keep);
          const removed = await store.assets.pruneAssets(context.now().toISOString());
          const numbers = pruned.map((release) => release.number).join(", ");
          if (pruned.length === 0)
            await tellNothing({ store, terminal }, { project }, `Nothing to prune in ${project}.`);
          else terminal.print(`Pruned ${formatCount(pruned.length, "release")} of ${project}: ${numbers}.`);
          if (removed.assets === 0) return;
          const files = `${formatCount(removed.assets, "file")}, ${formatSize(removed.bytes)}`;
          terminal.print(`Removed ${files}, that no release of any project has any more.`);
        };
        await withStore(database, prune, { create: false, assetFolder: toAssetFolder(assets) });
      },
    );
}

async function runSwitch(
  { database, project, channel }: ChannelOptions,
  terminal: Terminal,
  change: (context: PublishingContext) => Promise<Switch>,
): Promise<void> {
  const run = async (store: Store): Promise<void> => {
    const { before, after } = await change(createPublishingContext(store, project, terminal));
    const was = before === undefined ? "" : `, after release ${before.number}`;
    if (after === undefined) terminal.print(`Deleted channel ${channel} of ${project}${was}.`);
    else if (after.id === before?.id)
      terminal.print(`Channel ${channel} of ${project} is at release ${after.number} already.`);
    else terminal.print(`Channel ${channel} of ${project} is at release ${after.number} now${was}.`);
  };
  await withStore(database, run, { create: false, given: { project, channel } });
}

function createReleaseOption(name: string, description: string): Option {
  return new Option(`--${name} <N>`, description).argParser((text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw new InvalidArgumentError("Expected the number of a release; `lectern releases` shows them.");
  });
}
