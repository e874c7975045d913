// `lectern releases`, and the commands that publish, roll back and prune releases.
import { InvalidArgumentError, Option, type Command } from "commander";
import type { PublicationRecord } from "../../catalog/store.ts";
import { listLiveChannels, listStillRead } from "../../publishing/channel-history.ts";
import {
  publishExisting,
  pruneReleases,
  rollBack,
  type PublishingContext,
  type Switch,
} from "../../publishing/publish.ts";
import { removeAbandonedFolders } from "../abandoned-files.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import { formatCount, formatNumber, formatSize, toTimeCell, type Cell } from "../terminal/format.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createPublishingContext, printEmpty, printList, withStore, type Session } from "../with-store.ts";

type Options = SettingValues<"database" | "project", "project"> & { json?: boolean };

const HEAD = ["RELEASE", "CHANNEL", "PUBLISHED", "BY", "SOURCE", "COURSES", "DRAFTS", "LESSONS", "CHANGED", "STATE"];

async function showReleases(session: Session, options: Options): Promise<void> {
  const { project } = options;
  const log = await session.store.publishing.listPublications(project);
  const current = new Set([...listLiveChannels(log).values()].map((entries) => entries.at(-1)?.id));
  const entries = log.toReversed().map((entry) => ({ entry, isCurrent: current.has(entry.id) }));
  await printList(session, options, {
    items: entries.map(({ entry, isCurrent }) => toJson(entry, isCurrent)),
    toTable: (now) => ({
      head: HEAD,
      rows: entries.map(({ entry, isCurrent }) => toRow(entry, isCurrent, now)),
      cuts: ["SOURCE"],
      drops: ["DRAFTS", "CHANGED"],
    }),
    empty: `Project ${project} has no releases.`,
    next: `import SOURCE --project ${project}`,
  });
}

function toRow({ channel, publishedAt, action, release }: PublicationRecord, isCurrent: boolean, now: Date): Cell[] {
  const published = toTimeCell(publishedAt, now, "");
  if (release === undefined) return ["", channel, published, action, "", "", "", "", "", ""];
  const { number, source, sourceName, courses, drafts, lessons, changes, prunedAt } = release;
  const changed = `+${changes.coursesAdded} ~${changes.coursesChanged} -${changes.coursesRemoved}`;
  const state = isCurrent ? "current" : prunedAt === undefined ? "kept" : "pruned";
  const counts = [courses, drafts, lessons].map(formatNumber);
  const from = sourceName === undefined ? source : `${sourceName}: ${source}`;
  return [String(number), channel, published, action, from, ...counts, changed, state];
}

function toJson({ channel, publishedAt, action, release }: PublicationRecord, isCurrent: boolean) {
  if (release === undefined) return { release: null, channel, publishedAt, action, isCurrent };
  const { number, createdAt, source, sourceName = null, courses, drafts, lessons, changes, prunedAt = null } = release;
  const first = { release: number, channel, publishedAt, action, isCurrent, createdAt, prunedAt, source, sourceName };
  return { ...first, courses, drafts, lessons, changes };
}

type ChannelOptions = SettingValues<"database" | "project" | "channel", "project">;
type PruneOptions = SettingValues<"database" | "assets" | "project" | "keep", "project">;

export function addReleaseCommands(program: Command, terminal: Terminal): void {
  addSettings(program.command("releases"), ["database", "project"])
    .option("--json")
    .action((options: Options) => withStore(terminal, options, showReleases));
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
  addSettings(program.command("prune"), ["database", "assets", "project", "keep"]).action((options: PruneOptions) => {
    removeAbandonedFolders();
    return withStore(terminal, options, prune, "write");
  });
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
