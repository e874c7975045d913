import type { Command } from "commander";
import { listLiveChannels } from "../publishing/channel-history.ts";
import { formatNumber } from "./format.ts";
import { printList } from "./name-hints.ts";
import { addChannelsDeleteCommand } from "./publications.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import { toTimeCell } from "./times.ts";
import { withStore } from "./with-store.ts";
import type { Terminal } from "./terminal.ts";

type Options = SettingValues<"database" | "project", "project"> & { json?: boolean };

/** Adds `lectern channels` and `lectern channels delete`. */
export function addChannelsCommand(program: Command, terminal: Terminal): void {
  const channels = program
    .command("channels")
    .summary("list and delete channels")
    .description("What names which release is read: `live` for ordinary keys, others for previews.")
    .enablePositionalOptions();
  addSettings(
    channels
      .command("list", { isDefault: true })
      .description("Lists the channels of a project: their release, age, keys."),
    ["database", "project"],
    ["project"],
  )
    .option("--json", "print a JSON array")
    .addHelpText("after", "\nExample:\n  lectern channels --project acme")
    .action((options: Options) => listChannels(options, terminal));
  addChannelsDeleteCommand(channels, terminal);
}

async function listChannels({ database, project, json }: Options, terminal: Terminal): Promise<void> {
  await withStore(database, async (store) => {
    const log = await store.publishing.listPublications(project);
    const now = new Date().toISOString();
    const keys = (await store.keys.listKeys(project)).filter(
      (key) => key.revokedAt === undefined && (key.expiresAt === undefined || key.expiresAt > now),
    );
    const current = listLiveChannels(log);
    // A key may name a channel that does not exist yet, or was deleted.
    const keysOf = Map.groupBy(keys, (key) => key.channel);
    const names = new Set([...current.keys(), ...keysOf.keys()]);
    const channels = [...names].sort().map((channel) => {
      const entry = current.get(channel)?.at(-1);
      return {
        channel,
        release: entry?.release?.number ?? null,
        publishedAt: entry?.publishedAt ?? null,
        keys: keysOf.get(channel)?.length ?? 0,
      };
    });
    await printList(
      { store, terminal, json },
      { project },
      {
        items: channels,
        toTable: (time) => ({
          head: ["CHANNEL", "RELEASE", "PUBLISHED", "LIVE KEYS"],
          rows: channels.map(({ channel, release, publishedAt, keys: count }) => [
            channel,
            release === null ? "none" : String(release),
            toTimeCell(publishedAt, time, ""),
            formatNumber(count),
          ]),
        }),
        empty: `Project ${project} has no channels.`,
        next: `Make one: lectern import SOURCE --project ${project}`,
      },
    );
  });
}
