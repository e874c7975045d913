import type { Command } from "commander";
import type { PublicationRecord } from "../../catalog/store.ts";
import { listLiveChannels } from "../../publishing/channel-history.ts";
import { type Cell, formatNumber, toTimeCell } from "../terminal/format.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import { printList, withStore, type Session } from "../with-store.ts";
import type { Terminal } from "../terminal/terminal.ts";

type Options = SettingValues<"database" | "project", "project"> & { json?: boolean };

const HEAD = ["RELEASE", "CHANNEL", "PUBLISHED", "BY", "SOURCE", "COURSES", "DRAFTS", "LESSONS", "CHANGED", "STATE"];

export function addReleasesCommand(program: Command, terminal: Terminal): void {
  addSettings(program.command("releases"), ["database", "project"])
    .option("--json")
    .action((options: Options) => withStore(terminal, options, showReleases));
}

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
