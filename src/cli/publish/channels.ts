import type { Command } from "commander";
import { listLiveChannels } from "../../publishing/channel-history.ts";
import { deleteChannel } from "../../publishing/publish.ts";
import { formatNumber, toTimeCell } from "../terminal/format.ts";
import { runSwitch } from "./publications.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import { printList, withStore, type Session } from "../with-store.ts";
import type { Terminal } from "../terminal/terminal.ts";

type Options = SettingValues<"database" | "project", "project"> & { json?: boolean };

export function addChannelsCommand(program: Command, terminal: Terminal): void {
  const channels = program.command("channels").enablePositionalOptions();
  addSettings(channels.command("list", { isDefault: true }), ["database", "project"])
    .option("--json")
    .action((options: Options) => withStore(terminal, options, listChannels));
  addSettings(channels.command("delete <CHANNEL>"), ["database", "project"]).action(
    (channel: string, options: Options) =>
      runSwitch(terminal, { ...options, channel }, (context) => deleteChannel(context, channel)),
  );
}

async function listChannels(session: Session, options: Options): Promise<void> {
  const { store, terminal } = session;
  const { project } = options;
  const now = terminal.now().toISOString();
  const keys = (await store.keys.listKeys(project)).filter(
    ({ revokedAt, expiresAt }) => revokedAt === undefined && (expiresAt === undefined || expiresAt > now),
  );
  const current = listLiveChannels(await store.publishing.listPublications(project));
  // The list includes the channels of keys, because a key can name a channel without a release.
  const keysOf = Map.groupBy(keys, (key) => key.channel);
  const items = [...new Set([...current.keys(), ...keysOf.keys()])].sort().map((channel) => {
    const { release, publishedAt = null } = current.get(channel)?.at(-1) ?? {};
    return { channel, release: release?.number ?? null, publishedAt, keys: keysOf.get(channel)?.length ?? 0 };
  });
  await printList(session, options, {
    items,
    toTable: (time) => ({
      head: ["CHANNEL", "RELEASE", "PUBLISHED", "LIVE KEYS"],
      rows: items.map(({ channel, release, publishedAt, keys: count }) => [
        channel,
        String(release ?? "none"),
        toTimeCell(publishedAt, time, ""),
        formatNumber(count),
      ]),
    }),
    empty: `Project ${project} has no channels.`,
    next: `import SOURCE --project ${project}`,
  });
}
