import type { Command } from "commander";
import { toPrintable } from "../../catalog/printable.ts";
import { readStoreStatus, type ContentStatus, type StoreStatus } from "../../store/maintenance/store-status.ts";
import { formatCount, formatNumber, formatSize } from "../terminal/format.ts";
import { paint } from "../terminal/paint.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import { listFindings, type Finding } from "./status-findings.ts";
import { formatTable } from "../terminal/table.ts";
import type { Display, Terminal } from "../terminal/terminal.ts";
import { formatMoment, toTimeCell } from "../terminal/times.ts";

type Options = SettingValues<"database"> & { json?: boolean };

const SOON_MS = 7 * 86_400_000;
const INDENT = 10;

export function addStatusCommand(program: Command, terminal: Terminal): void {
  addSettings(program.command("status"), ["database"])
    .option("--json")
    .action((options: Options) => showStatus(options, terminal));
}

async function showStatus({ database, json }: Options, terminal: Terminal): Promise<void> {
  const now = terminal.now();
  const soon = new Date(now.getTime() + SOON_MS).toISOString();
  const status = await readStoreStatus(database, now.toISOString(), soon);
  const findings = listFindings(status, now);
  terminal.print(json === true ? JSON.stringify({ ...toJson(status), findings }) : format(status, findings, terminal));
}

function toJson({ database, content }: StoreStatus): object {
  const { reclaimableBytes = null, freeBytes = null } = database;
  const { channels, assets } = content;
  return {
    database: { ...database, reclaimableBytes, freeBytes },
    channels,
    keys: content.keys.map(({ lastUsedAt = null, ...counts }) => ({ ...counts, lastUsedAt })),
    assets,
    unfinishedImports: content.unfinishedImports.map((unfinished) => {
      const { project, holder = null, isRunning = null } = unfinished;
      return { project, holder, isRunning };
    }),
  };
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

/** Wraps at the width, with an indent from the second line on. Does nothing for files and pipes. */
function wrap(text: string, indent: number, { columns = Infinity }: Display): string {
  const lines =
    columns === Infinity ? toPrintable(text) : Bun.wrapAnsi(toPrintable(text), columns - indent, { hard: true });
  return lines.replaceAll("\n", `\n${" ".repeat(indent)}`);
}

function formatAssets({ files, bytes, inFolder }: ContentStatus["assets"]): string {
  if (files === 0) return "none";
  const where = inFolder === 0 ? "in the database" : inFolder === files ? "in the folder" : "in database and folder";
  return `${formatCount(files, "file")}, ${formatSize(bytes)}, ${where}`;
}

function formatKeys(keys: ContentStatus["keys"], now: Date): string {
  const counts = (["live", "expired", "revoked"] as const).map((state) => {
    const count = keys.reduce((sum, each) => sum + each[state], 0);
    return count === 0 && state !== "live" ? [] : [`${formatNumber(count)} ${state}`];
  });
  const lastUsedAt = keys.flatMap((each) => each.lastUsedAt ?? []).reduce((a, b) => (a > b ? a : b), "");
  return [...counts.flat(), `last used ${lastUsedAt === "" ? "never" : formatMoment(lastUsedAt, now)}`].join(", ");
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
