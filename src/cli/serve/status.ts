import type { Command } from "commander";
import { toPrintable } from "../../catalog/printable.ts";
import { readStoreStatus, type ContentStatus, type StoreStatus } from "../../store/maintenance/store-status.ts";
import {
  formatCount,
  formatMoment,
  formatNumber,
  formatSize,
  formatTable,
  paint,
  toTimeCell,
} from "../terminal/format.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import type { Display, Terminal } from "../terminal/terminal.ts";
import { LIVE_CHANNEL, type LockHolder } from "../../catalog/store.ts";

type Options = SettingValues<"database"> & { json?: boolean };

const SOON_MS = 7 * 86_400_000;
const INDENT = 10;

export function addStatusCommand(program: Command, terminal: Terminal): void {
  addSettings(program.command("status"), ["database"])
    .option("--json")
    .action((options: Options) => showStatus(options, terminal));
}

async function showStatus({ database: url, json }: Options, terminal: Terminal): Promise<void> {
  const now = terminal.now();
  const soon = new Date(now.getTime() + SOON_MS).toISOString();
  const status = await readStoreStatus(url, now.toISOString(), soon);
  const findings = listFindings(status, now);
  if (json !== true) return terminal.print(format(status, findings, terminal));
  const { database, content } = status;
  const { channels, keys, assets, unfinishedImports } = content;
  const shown = { database, channels, keys, assets, unfinishedImports, findings };
  terminal.print(JSON.stringify(shown, (_, value: unknown) => value ?? null));
}

function format({ database, content }: StoreStatus, findings: Finding[], terminal: Terminal): string {
  const { output } = terminal;
  const now = terminal.now();
  const { engine, place, bytes, isWritable, freeBytes, reclaimableBytes = 0 } = database;
  const canVacuum = reclaimableBytes >= 1_000_000;
  const vacuum = canVacuum ? `; \`lectern vacuum\` would reclaim ${formatSize(reclaimableBytes)}` : "";
  const facts: [string, string][] = [
    ["Database", `${engine === "sqlite" ? "SQLite" : "PostgreSQL"}, ${place}`],
    ["", `${formatSize(bytes)}${isWritable ? "" : ", read-only"}`],
    ["Disk", freeBytes === undefined ? "" : `${formatSize(freeBytes)} free${vacuum}`],
    ["Files", formatAssets(content.assets)],
    ["Keys", formatKeys(content.keys, now)],
  ];
  for (const { project, holder, isRunning } of content.unfinishedImports) {
    if (isRunning !== true) continue;
    const since = holder === undefined ? "" : `, ${formatMoment(holder.since, now)}`;
    facts.push(["Now", `${holder?.task ?? "import"} in ${project}${since}`]);
  }
  return [
    ...facts
      .filter(([, text]) => text !== "")
      .map(([title, text]) => paint(title.padEnd(INDENT), "bold", output) + wrap(text, INDENT, output)),
    "",
    formatChannels(content, terminal),
    "",
    ...formatFindings(findings, terminal),
  ].join("\n");
}

/** Wraps text at the width of a terminal, and indents all lines but the first. */
function wrap(text: string, indent: number, { columns = Infinity }: Display): string {
  const lines =
    columns === Infinity ? toPrintable(text) : Bun.wrapAnsi(toPrintable(text), columns - indent, { hard: true });
  return lines.replaceAll("\n", `\n${" ".repeat(indent)}`);
}

function formatAssets({ files, bytes, inFolder }: ContentStatus["assets"]): string {
  if (files === 0) return "none";
  const places = [...(inFolder < files ? ["in the database"] : []), ...(inFolder > 0 ? ["in the folder"] : [])];
  return `${formatCount(files, "file")}, ${formatSize(bytes)}, ${places.join(" and ")}`;
}

function formatKeys(keys: ContentStatus["keys"], now: Date): string {
  const counts = (["live", "expired", "revoked"] as const).flatMap((state) => {
    const count = keys.reduce((sum, each) => sum + each[state], 0);
    return count === 0 && state !== "live" ? [] : `${formatNumber(count)} ${state}`;
  });
  const lastUsedAt = keys
    .flatMap((each) => each.lastUsedAt ?? [])
    .sort()
    .at(-1);
  return [...counts, `last used ${lastUsedAt === undefined ? "never" : formatMoment(lastUsedAt, now)}`].join(", ");
}

function formatChannels({ channels, keys }: ContentStatus, terminal: Terminal): string {
  if (channels.length === 0) return "No releases yet. Publish one: lectern import SOURCE --project NAME";
  const now = terminal.now();
  const keysOf = new Map(keys.map((counts) => [`${counts.project}/${counts.channel}`, counts]));
  const rows = channels.map(({ project, channel, release, courses, drafts, lessons, publishedAt }) => {
    const counts = keysOf.get(`${project}/${channel}`);
    return [
      project,
      channel,
      String(release),
      ...[courses, drafts, lessons].map(formatNumber),
      toTimeCell(publishedAt, now, ""),
      formatNumber(counts?.live ?? 0),
      toTimeCell(counts?.lastUsedAt, now, "never"),
    ];
  });
  const head = ["PROJECT", "CHANNEL", "RELEASE", "COURSES", "DRAFTS", "LESSONS", "PUBLISHED", "KEYS", "LAST USE"];
  return formatTable({ head, rows, cuts: ["PROJECT", "CHANNEL"], drops: ["DRAFTS", "LAST USE"] }, terminal.output);
}

function formatFindings(findings: Finding[], { output }: Terminal): string[] {
  if (findings.length === 0) return ["No problems found."];
  const mark = paint("!", "yellow", output);
  return [
    paint(`${formatCount(findings.length, "problem")} found`, "bold", output),
    ...findings.map(({ message }) => `${mark} ${wrap(message, 2, output)}`),
  ];
}

const OLD_PREVIEW_MS = 30 * 86_400_000;

interface Finding {
  kind: string;
  /** Undefined if the finding concerns the whole database. */
  project?: string;
  message: string;
}

function listFindings({ content }: StoreStatus, now: Date): Finding[] {
  const findings: Finding[] = [];
  const add = (kind: Finding["kind"], message: string, project?: string): void =>
    void findings.push({ kind, message, ...(project === undefined ? {} : { project }) });
  for (const { project, holder, isRunning } of content.unfinishedImports) {
    if (isRunning === true) continue;
    const end = `${isRunning === undefined ? "has not finished" : "was interrupted"} in project ${project}.`;
    const doubt = isRunning === undefined ? " If its process no longer runs, the import was interrupted." : "";
    const next = "Readers saw nothing of it. The next import cleans up.";
    add("import-cut-off", `${formatHolder(holder, now)} ${end}${doubt} ${next}`, project);
  }
  for (const { project, source, failingSince, fault } of content.followFailures) {
    const first = formatMoment(failingSince, now);
    add(
      "follow-fails",
      `\`lectern follow\` cannot publish ${source} in project ${project} (first failure: ${first}): ${fault}`,
      project,
    );
  }
  const live = content.keys.filter((counts) => counts.live > 0);
  const unread = new Set(content.channels.map(({ project }) => project));
  for (const { project } of live) unread.delete(project);
  for (const project of unread) {
    const next = `\`lectern keys create --project ${project}\``;
    add("no-key", `Project ${project} has no valid key, so nobody can read it. Create one: ${next}.`, project);
  }
  for (const { project, channel, release, publishedAt } of content.channels) {
    if (channel === LIVE_CHANNEL || now.getTime() - Date.parse(publishedAt) < OLD_PREVIEW_MS) continue;
    const shown = `shows release ${release}, published ${formatMoment(publishedAt, now)}`;
    const next = `If nobody needs the channel, run \`lectern channels delete ${channel} --project ${project}\`.`;
    add("old-preview", `Channel ${channel} of ${project} ${shown}. ${next}`, project);
  }
  for (const { project, channel, live: count } of live) {
    if (content.channels.some((each) => each.project === project && each.channel === channel)) continue;
    const keys = `${formatCount(count, "key")} of ${project} ${count === 1 ? "reads" : "read"}`;
    add("key-without-release", `${keys} channel ${channel}, which has no release, so its catalog is empty.`, project);
  }
  for (const { id, name, project, expiresAt } of content.expiring) {
    const key = `Key ${id}${name === "" ? "" : ` (${name})`} of ${project}`;
    const next = `\`lectern keys rotate ${id}\` replaces it`;
    add("key-expires", `${key} expires ${formatMoment(expiresAt, now)}. ${next}.`, project);
  }
  for (const { id, project, state, since } of content.troubledHooks) {
    const when = since === undefined ? "" : formatMoment(since, now);
    const resume = `\`lectern webhooks resume ${id}\` resumes deliveries.`;
    const texts = {
      failing: `has been failing since ${when}. \`lectern webhooks list\` shows the error.`,
      copy: `waits because the database was copied. ${resume}`,
      paused: `was paused ${when}. \`lectern webhooks list\` shows the error. ${resume}`,
    };
    add(state === "failing" ? "hook-fails" : "hook-paused", `Webhook ${id} of ${project} ${texts[state]}`, project);
  }
  return findings;
}

function formatHolder(holder: LockHolder | undefined, now: Date): string {
  if (holder === undefined) return "An import";
  return `The ${holder.task} that process ${holder.pid} on ${holder.host} began ${formatMoment(holder.since, now)}`;
}
