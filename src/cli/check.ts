import type { Command } from "commander";
import type { Report } from "../content/source.ts";
import type { CheckedCatalog } from "../publishing/check-catalog.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import { formatCount, formatSize } from "./format.ts";
import { createLinkedFiles } from "./linked-files.ts";
import { createCheckFormatOption, type CheckFormat } from "./source-format.ts";
import { createAnnotatedPaths, formatAnnotation } from "./github-annotation.ts";
import { createMaxPerKindOption } from "./max-per-kind.ts";
import { formatPaintedProblem } from "./paint.ts";
import { ProblemPrinter } from "./problem-printer.ts";
import { SourceProgress } from "./source-progress.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import {
  ARCHIVE_SETTINGS,
  LIMIT_SETTINGS,
  toSourceLimits,
  type ArchiveOptions,
  type LimitOptions,
} from "./source-limits.ts";
import type { Terminal } from "./terminal.ts";

/** A content security policy with more origins is of no use, and a hostile text can name any number. */
const MAX_ORIGINS = 1000;

type Options = SettingValues<"project" | "assetBase" | "publicUrl" | "maxAssetSize" | "fw" | "answers"> &
  LimitOptions &
  ArchiveOptions & { format: CheckFormat; maxPerKind: number; strict?: boolean; withInstructors?: boolean };

/** Adds `lectern check`. */
export function addCheckCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("check")
    .summary("find what is wrong with courses, without a database")
    .description(
      "Reads SOURCE as an import would, and prints every problem with its place: what would stop the import, and what " +
        "readers would stumble over, such as links to nothing and HTML that runs scripts. Ends with the origins that " +
        "embedded pages and videos come from.",
    )
    .argument(
      "<SOURCE>",
      "a folder, an archive of one, a file with one course a line (NDJSON), or - for NDJSON on standard input",
    );
  addSettings(command, [
    "project",
    "assetBase",
    "publicUrl",
    "maxAssetSize",
    "fw",
    "answers",
    ...LIMIT_SETTINGS,
    ...ARCHIVE_SETTINGS,
  ])
    .option("--with-instructors", "read what is meant for those who teach, too (Carpentries)")
    .addOption(createCheckFormatOption())
    .option("--strict", "take warnings for errors")
    .addOption(createMaxPerKindOption())
    .addHelpText(
      "after",
      `
Examples:
  lectern check courses
  lectern check courses --asset-base https://cdn.example.org/courses/ --format github
  export-courses | lectern check -

Without --project the project is called check.

Exit code: 0 no errors (warnings count with --strict only), 1 failed, 2 wrong usage, 3 the content has errors.`,
    )
    .action((path: string, options: Options) => check(path, options, terminal));
}

async function check(path: string, options: Options, terminal: Terminal): Promise<void> {
  const { format, maxPerKind } = options;
  const isGithub = format.output === "github";
  const toAnnotatedPath = createAnnotatedPaths();
  const problems = new ProblemPrinter({
    print: (problem) => {
      if (!isGithub) return terminal.print(formatPaintedProblem(problem, terminal.output));
      // What is read from standard input has no path.
      const file = path === "-" ? problem.file : toAnnotatedPath(problem.file);
      terminal.print(formatAnnotation({ ...problem, file }));
    },
    note: (text) => terminal.note(text),
    maxPerKind,
    isMixed: isGithub,
  });
  const report: Report = (problem) => problems.report(problem);
  const linked = createLinkedFiles(options);
  const checked = await readCatalog(path, options, report, terminal, linked).finally(() => problems.finish());
  if (!isGithub && checked.embedOrigins.length > 0) terminal.print(formatOrigins(checked.embedOrigins));
  const { files = 0, bytes = 0 } = linked?.countLinked() ?? {};
  if (files > 0) {
    terminal.note(`${formatCount(files, "file")} that lessons show or link to would be stored: ${formatSize(bytes)}.`);
  }

  const summary =
    `${formatCount(problems.errors, "error")}, ${formatCount(problems.warnings, "warning")} in ` +
    `${formatCount(checked.courses, "course")}, ${formatCount(checked.lessons, "lesson")}`;
  if (problems.errors > 0) throw new CommandFailure(summary, EXIT.invalidContent);
  terminal.note(summary);
}

async function readCatalog(
  path: string,
  { project = "check", assetBase, fw: framework, withInstructors, answers, format, strict, ...limits }: Options,
  report: Report,
  terminal: Terminal,
  files = createLinkedFiles(limits),
): Promise<CheckedCatalog> {
  const { checkCatalog } = await import("../publishing/check-catalog.ts");
  const { openSource } = await import("./open-source.ts");
  const progress = new SourceProgress(terminal);
  return checkCatalog({
    project,
    path: path === "-" ? "standard input" : path,
    openSource: async (inspection) => {
      const source = await openSource(
        path,
        {
          ...progress.options,
          assetBase,
          files,
          format: format.source,
          framework,
          withInstructors,
          answers,
          now: () => terminal.now(),
          inspection,
          strict,
          limits: toSourceLimits(limits, limits),
        },
        terminal,
      );
      return progress.watch(source);
    },
    report,
    strict,
  }).finally(() => progress.end());
}

function formatOrigins(origins: CheckedCatalog["embedOrigins"]): string {
  // The list begins with the most frequent.
  const width = String(origins[0]?.[1] ?? "").length;
  return [
    "Embeds come from:",
    ...origins.slice(0, MAX_ORIGINS).map(([origin, count]) => `  ${String(count).padStart(width)}  ${origin}`),
    ...(origins.length > MAX_ORIGINS ? [`  ... and ${formatCount(origins.length - MAX_ORIGINS, "more origin")}`] : []),
  ].join("\n");
}
