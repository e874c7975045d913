import { Option, type Command } from "commander";
import { listFormatNames } from "../../content/formats/registry.ts";
import type { Report, Problem } from "../../content/source.ts";
import type { CheckedCatalog } from "../../publishing/check-catalog.ts";
import type { LinkedFiles } from "../../publishing/linked-files.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import { formatCount, formatPaintedProblem, formatSize } from "../terminal/format.ts";
import { ProblemPrinter } from "../terminal/problem-printer.ts";
import { startReading } from "../terminal/progress.ts";
import { parseChoice } from "../settings/setting-values.ts";
import { ARCHIVE_SETTINGS, type SettingValues } from "../settings/settings.ts";
import { addReadingOptions, createLinkedFiles, toSourceOptions, type ReadingOptions } from "./source-options.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { existsSync, realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { toPrintable } from "../../catalog/printable.ts";

/** The maximum number of origins to print, because hostile content can name any number of them. */
const MAX_ORIGINS = 1000;

const OUTPUTS = ["text", "github"];

type Options = SettingValues<"project" | "publicUrl" | "maxAssetSize"> &
  Omit<ReadingOptions, "format"> & { format: string[] };

export function addCheckCommand(program: Command, terminal: Terminal): void {
  const more = ["project", "publicUrl", "maxAssetSize", "answers", ...ARCHIVE_SETTINGS] as const;
  addReadingOptions(program.command("check <SOURCE>"), more, false, createFormatOption())
    .option("--strict")
    .option("--sanitize")
    .action((path: string, options: Options) => check(path, options, terminal));
}

/** `--format` sets the output format, the source format, or both. */
function createFormatOption(): Option {
  const option = new Option("--format <FORMAT>").default([], "text");
  // With the method `choices`, the option would accept only one value.
  option.argChoices = [...OUTPUTS, ...listFormatNames()];
  return option.argParser((word, before: string[]) => [...before, parseChoice(word, option.argChoices ?? [])]);
}

async function check(path: string, options: Options, terminal: Terminal): Promise<void> {
  const isGithub = options.format.findLast((word) => OUTPUTS.includes(word)) === "github";
  const problems = new ProblemPrinter({
    print: (problem) => {
      if (!isGithub) return terminal.print(formatPaintedProblem(problem, terminal.output));
      const file = path === "-" ? problem.file : toAnnotatedPath(problem.file);
      terminal.print(formatAnnotation({ ...problem, file }));
    },
    note: (text) => terminal.note(text),
    // GitHub shows only the first few annotations, so the kinds of warnings alternate.
    mode: isGithub ? "mixed" : "all",
  });
  const report: Report = (problem) => problems.report(problem);
  const linked = createLinkedFiles(options);
  const checked = await readCatalog(path, options, linked, report, terminal).finally(() => problems.finish());
  if (!isGithub && checked.embedOrigins.length > 0) terminal.print(formatOrigins(checked.embedOrigins));
  const { files = 0, bytes = 0 } = linked?.countLinked() ?? {};
  if (files > 0) {
    terminal.note(`An import would store ${formatCount(files, "linked file")} (${formatSize(bytes)}).`);
  }

  const summary =
    `${formatCount(problems.errors, "error")}, ${formatCount(problems.warnings, "warning")} in ` +
    `${formatCount(checked.courses, "course")}, ${formatCount(checked.lessons, "lesson")}`;
  if (problems.errors > 0) throw new CommandFailure(summary, EXIT.invalidContent);
  terminal.note(summary);
}

async function readCatalog(
  path: string,
  options: Options,
  files: LinkedFiles | undefined,
  report: Report,
  terminal: Terminal,
): Promise<CheckedCatalog> {
  const { checkCatalog } = await import("../../publishing/check-catalog.ts");
  const { openSource } = await import("./open-source.ts");
  const progress = startReading(terminal);
  const { format: words, ...rest } = options;
  const format = words.findLast((word) => !OUTPUTS.includes(word));
  const given = toSourceOptions(format === undefined ? rest : { ...rest, format }, terminal);
  return checkCatalog({
    project: options.project ?? "check",
    path: path === "-" ? "standard input" : path,
    openSource: async (inspection) =>
      progress.watch(await openSource(path, { ...given, onLesson: progress.onLesson, files, inspection }, terminal)),
    report,
    strict: options.strict,
  }).finally(() => progress.end());
}

function formatOrigins(origins: CheckedCatalog["embedOrigins"]): string {
  const width = String(origins[0]?.[1] ?? "").length;
  return [
    "Embeds come from:",
    ...origins.slice(0, MAX_ORIGINS).map(([origin, count]) => `  ${String(count).padStart(width)}  ${origin}`),
    ...(origins.length > MAX_ORIGINS ? [`  ... and ${formatCount(origins.length - MAX_ORIGINS, "more origin")}`] : []),
  ].join("\n");
}

/** Formats an annotation for GitHub, such as `::error file=a.md,line=3,col=5,title=syntax::message`. */
function formatAnnotation({ severity, kind, file, line, column, message, hints = [] }: Problem): string {
  const properties = Object.entries({ file, line, col: column, title: kind })
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        `${name}=${escapeText(toPrintable(String(value)))
          .replaceAll(":", "%3A")
          .replaceAll(",", "%2C")}`,
    );
  return `::${severity} ${properties.join(",")}::${[message, ...hints].map((text) => escapeText(toPrintable(text))).join("%0A")}`;
}

/** Makes a path relative to the checkout: GITHUB_WORKSPACE, or the current directory. Keeps paths outside of it. */
function toAnnotatedPath(file: string): string {
  const workspace = process.env["GITHUB_WORKSPACE"] || ".";
  // The path of the current directory contains no symbolic links, but that of the checkout can.
  const roots = existsSync(workspace) ? [workspace, realpathSync(workspace)] : [workspace];
  const paths = roots.map((root) => relative(root, file));
  const inside = paths.find((path) => path !== "" && !path.startsWith("..") && !isAbsolute(path));
  return inside?.replaceAll(sep, "/") ?? file;
}

// Escapes as @actions/core does, except for line breaks: printable text contains none.
function escapeText(text: string): string {
  return text.replaceAll("%", "%25");
}
