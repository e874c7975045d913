// `lectern channels` and `lectern sources`.
import type { Command } from "commander";
import type { Release, ReleaseSource } from "../../catalog/store.ts";
import { listLiveChannels } from "../../publishing/channel-history.ts";
import { deleteChannel, removeSource } from "../../publishing/publish.ts";
import { UsageFailure } from "../failure.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import { formatContent } from "../terminal/format-import.ts";
import { formatNumber, toTimeCell } from "../terminal/format.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createPublishingContext, printList, withStore, type Session } from "../with-store.ts";
import { runSwitch } from "./releases.ts";

type ChannelsOptions = SettingValues<"database" | "project", "project"> & { json?: boolean };

export function addChannelsCommand(program: Command, terminal: Terminal): void {
  const channels = program.command("channels").enablePositionalOptions();
  addSettings(channels.command("list", { isDefault: true }), ["database", "project"])
    .option("--json")
    .action((options: ChannelsOptions) => withStore(terminal, options, listChannels));
  addSettings(channels.command("delete <CHANNEL>"), ["database", "project"]).action(
    (channel: string, options: ChannelsOptions) =>
      runSwitch(terminal, { ...options, channel }, (context) => deleteChannel(context, channel)),
  );
}

async function listChannels(session: Session, options: ChannelsOptions): Promise<void> {
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

type SourcesOptions = SettingValues<"database" | "project" | "channel", "project">;
type ListOptions = SourcesOptions & { json?: boolean };
type RemoveOptions = SourcesOptions & { source: string | undefined };

export function addSourcesCommand(program: Command, terminal: Terminal): void {
  const sources = program.command("sources").enablePositionalOptions();
  addSettings(sources.command("list", { isDefault: true }), ["database", "project", "channel"])
    .option("--json")
    .action((options: ListOptions) => withStore(terminal, options, listSources));
  addSettings(sources.command("remove [NAME]"), ["database", "project", "channel"])
    .option("--unnamed")
    .action((source: string | undefined, options: SourcesOptions & { unnamed?: boolean }) => {
      if ((source === undefined) !== (options.unnamed === true)) {
        throw new UsageFailure("Give either the NAME of a source or --unnamed.");
      }
      return withStore(terminal, { ...options, source }, removeCourses, "write");
    });
}

async function listSources(session: Session, options: ListOptions): Promise<void> {
  const { project, channel } = options;
  const { publishing } = session.store;
  const release = await publishing.findCurrentRelease(project, channel);
  const sources = release === undefined ? [] : await publishing.listSources(release);
  await printList(session, options, {
    items: sources,
    toTable: (now) => ({
      head: ["SOURCE", "COURSES", "DRAFTS", "LESSONS", "CHANGED", "FROM"],
      rows: [
        ...sources.map(({ name, courses, drafts, lessons, changedAt, label }) => [
          name,
          ...[courses, drafts, lessons].map(formatNumber),
          toTimeCell(changedAt, now, ""),
          label,
        ]),
        ...listUnnamed(release, sources),
      ],
      cuts: ["FROM"],
    }),
    empty: `Channel ${channel} of ${project} has no named sources.`,
    next: `import SOURCE --project ${project} --source NAME`,
  });
}

function listUnnamed(release: Release | undefined, sources: ReleaseSource[]): string[][] {
  const counts = (["courses", "drafts", "lessons"] as const).map(
    (field) => (release?.[field] ?? 0) - sources.reduce((sum, source) => sum + source[field], 0),
  );
  return counts[0] === 0 && counts[1] === 0 ? [] : [["(none)", ...counts.map(formatNumber), "", ""]];
}

async function removeCourses(session: Session, { project, channel, source }: RemoveOptions): Promise<void> {
  const { number, removed } = await removeSource(createPublishingContext(session, project), channel, source);
  // A failure, as on a full disk, only leaves answers that nobody needs.
  await session.store
    .openMirroredAnswers({ project, source }, "")
    .forget()
    .catch(() => undefined);
  const what = source === undefined ? "the courses without a source" : `source ${source}`;
  session.terminal.print(
    `Removed ${what} from ${project}: ${formatContent(removed)}. Channel ${channel} is now at release ${number}. ` +
      "`lectern rollback` undoes this.",
  );
}
