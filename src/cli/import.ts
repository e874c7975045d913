import { statSync } from "node:fs";
import type { Command } from "commander";
import type { CatalogChanges, LockHolder } from "../catalog/store.ts";
import { openFolderSource } from "../content/folder.ts";
import { openNdjsonSource } from "../content/ndjson.ts";
import { formatProblem, type ContentSource, type Problem } from "../content/source.ts";
import { importCatalog, type ImportOutcome } from "../publishing/import-catalog.ts";
import { openStore, type Store } from "../store/open-store.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import { formatCount } from "./format.ts";
import { addSettings, type SettingValues } from "./settings.ts";

/** More problems than this are only counted. */
const MAX_PROBLEMS_SHOWN = 1000;

type Options = SettingValues<"database" | "project"> & { assetBase?: URL; dryRun?: boolean };

/** Adds `lectern import`. */
export function addImportCommand(program: Command): void {
  const command = program
    .command("import")
    .summary("publish courses from a folder or an NDJSON file")
    .description(
      "Makes the courses of SOURCE the whole catalog of a project and publishes it: courses that SOURCE does not have " +
        "are removed. Readers see the old catalog until the new one is complete. One error, and nothing changes.",
    )
    .argument("<SOURCE>", "a folder, a file with one course a line (NDJSON), or - for NDJSON on standard input");
  addSettings(command, ["database", "project", "assetBase"], ["project"])
    .option("--dry-run", "tell what would change, and change nothing")
    .addHelpText(
      "after",
      `
Examples:
  lectern import examples/catalog --project demo
  lectern import courses --project acme --asset-base https://cdn.example.org/courses/
  export-courses | lectern import - --project acme --dry-run

Exit code: 0 done, 1 failed, 2 wrong usage, 3 the content has errors.`,
    )
    .action(async (path: string, options: Options) => {
      const source = openSource(path, options.assetBase);
      const store = await openStore(options.database);
      try {
        await runImport(store, source, options);
      } finally {
        await store.close();
      }
    });
}

/** Imports and tells the outcome on standard output, problems on standard error. Throws CommandFailure. */
export async function runImport(
  store: Store,
  source: ContentSource,
  options: { project: string; dryRun?: boolean },
): Promise<void> {
  const problems = new ProblemPrinter();
  const outcome = await importCatalog({
    project: options.project,
    channel: "live",
    source,
    store: store.publishing,
    now: () => new Date(),
    dryRun: options.dryRun ?? false,
    report: (problem) => problems.print(problem),
    onWait: (holder) => console.error(formatWait(options.project, holder)),
  });
  problems.finish();
  if (outcome.status === "invalid") {
    const errors = formatCount(problems.errors, "error");
    throw new CommandFailure(`Nothing was imported: ${errors} in ${source.label}.`, EXIT.invalidContent);
  }
  console.log(formatOutcome(outcome, options.project));
}

function openSource(path: string, assetBase: URL | undefined): ContentSource {
  if (path === "-") return openNdjsonSource(path, { assetBase });
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new CommandFailure(`There is no file or folder ${path}.`);
  return stat.isDirectory() ? openFolderSource(path, { assetBase }) : openNdjsonSource(path, { assetBase });
}

function formatWait(project: string, holder: LockHolder | undefined): string {
  const who =
    holder === undefined
      ? "another import"
      : `the import of ${holder.source} that process ${holder.pid} on ${holder.host} began at ${holder.since}`;
  return `Waiting for ${who} to finish; project ${project} takes one at a time.`;
}

/** The outcome for people. */
function formatOutcome(outcome: Exclude<ImportOutcome, { status: "invalid" }>, project: string): string {
  switch (outcome.status) {
    case "unchanged":
      return `Nothing changed: release ${outcome.release.number} of ${project} stays live.`;
    case "planned":
      return `Would publish in ${project}: ${formatContent(outcome.counts)}.\n${formatChanges(outcome.changes)}`;
    case "published":
      return (
        `Published release ${outcome.release.number} of ${project}: ${formatContent(outcome.release)}.\n` +
        formatChanges(outcome.changes)
      );
  }
}

function formatContent({ courses, drafts, lessons }: { courses: number; drafts: number; lessons: number }): string {
  const withDrafts = drafts === 0 ? "" : ` and ${formatCount(drafts, "draft")}`;
  return `${formatCount(courses, "course")}${withDrafts}, ${formatCount(lessons, "lesson")}`;
}

function formatChanges(changes: CatalogChanges): string {
  const line = (noun: string, added: number, changed: number, removed: number): string =>
    `  ${noun}: ${added.toLocaleString("en-US")} added, ${changed.toLocaleString("en-US")} changed, ` +
    `${removed.toLocaleString("en-US")} removed`;
  return [
    line("courses", changes.coursesAdded, changes.coursesChanged, changes.coursesRemoved),
    line("lessons", changes.lessonsAdded, changes.lessonsChanged, changes.lessonsRemoved),
  ].join("\n");
}

class ProblemPrinter {
  errors = 0;
  #warnings = 0;
  #shown = 0;

  print(problem: Problem): void {
    if (problem.severity === "error") this.errors++;
    else this.#warnings++;
    if (this.#shown === MAX_PROBLEMS_SHOWN) return;
    this.#shown++;
    console.error(formatProblem(problem));
  }

  finish(): void {
    const hidden = this.errors + this.#warnings - this.#shown;
    if (hidden > 0) console.error(`... and ${formatCount(hidden, "more problem")}`);
  }
}
