import { Option, type Command } from "commander";
import { LIVE_CHANNEL, type Release } from "../catalog/store.ts";
import type { ContentSource, Problem } from "../content/source.ts";
import { importCatalog } from "../publishing/import-catalog.ts";
import type { ImportOutcome } from "../publishing/import-options.ts";
import { pruneReleases } from "../publishing/publish.ts";
import type { Removals } from "../publishing/change-count.ts";
import { DatabaseMissing } from "../store/errors.ts";
import type { Store } from "../store/open-store.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import { formatOutcome, formatRemovals } from "./format-import.ts";
import type { LinkedFiles } from "../publishing/linked-files.ts";
import { createLinkedFiles } from "./linked-files.ts";
import { formatCount } from "./format.ts";
import { createFormatOption } from "./source-format.ts";
import { createMaxPerKindOption } from "./max-per-kind.ts";
import { findSimilarProject } from "./name-hints.ts";
import { formatPaintedProblem } from "./paint.ts";
import { DEFAULT_MAX_PER_KIND, ProblemPrinter } from "./problem-printer.ts";
import { SourceProgress } from "./source-progress.ts";
import { addSettings, type SettingName, type SettingValues } from "./settings.ts";
import { toAssetFolder } from "./settings/database-settings.ts";
import {
  ARCHIVE_SETTINGS,
  LIMIT_SETTINGS,
  SERVICE_SETTINGS,
  toSourceLimits,
  type ArchiveOptions,
  type LimitOptions,
  type ServiceOptions,
} from "./source-limits.ts";
import { ToldProblems } from "./told-problems.ts";
import { createPublishingContext, withEmptyStore, withStore } from "./with-store.ts";
import type { Terminal } from "./terminal.ts";

type Options = SettingValues<
  | "database"
  | "project"
  | "channel"
  | "source"
  | "keep"
  | "assetBase"
  | "publicUrl"
  | "maxAssetSize"
  | "assets"
  | "lessonUrl"
  | "fw"
  | "answers",
  "project"
> &
  LimitOptions &
  ArchiveOptions &
  ServiceOptions & {
    dryRun?: boolean;
    json?: boolean;
    merge?: boolean;
    takeOver?: boolean;
    allowRemovals?: boolean;
    withInstructors?: boolean;
    format?: string;
    strict?: boolean;
    dates?: "git";
    apiKeyStdin?: boolean;
    maxPerKind: number;
  };

/** Adds `lectern import`. */
export function addImportCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("import")
    .summary("publish courses from a folder, an archive, a file or another service")
    .description(
      "Makes the courses of SOURCE the whole catalog of a project and publishes it: courses that SOURCE does not have " +
        "are removed. With --source NAME it replaces only what this source has brought. Readers see the old catalog " +
        "until the new one is complete. One error, and nothing changes.",
    )
    .argument(
      "<SOURCE>",
      "a folder, an archive of one, a file with one course a line (NDJSON), - for NDJSON on standard input, or the URL of " +
        "another service of this interface",
    );
  const names: SettingName[] = [
    "database",
    "project",
    "channel",
    "source",
    "assetBase",
    "publicUrl",
    "maxAssetSize",
    "assets",
    "lessonUrl",
    "fw",
    "answers",
    "keep",
    ...LIMIT_SETTINGS,
    ...ARCHIVE_SETTINGS,
    ...SERVICE_SETTINGS,
  ];
  addSettings(command, names, ["project"])
    .option("--merge", "keep the courses that SOURCE does not have")
    .option("--take-over", "with --source: let the source have courses that others have")
    .option("--dry-run", "tell what would change in which course, and change nothing")
    .option("--json", "with --dry-run: print the plan as one JSON object")
    .addOption(createFormatOption())
    .option("--strict", "take warnings for errors")
    .addOption(
      new Option("--dates <FROM>", "git takes the dates that authors leave out from the history of the folder").choices(
        ["git"],
      ),
    )
    .option("--api-key-stdin", "with the URL of a service: its key is read from standard input")
    .option("--with-instructors", "read what is meant for those who teach, too (Carpentries)")
    .option("--allow-removals", "do not ask before most courses, or most lessons of a course, are removed")
    .addOption(createMaxPerKindOption())
    .addHelpText(
      "after",
      `
Examples:
  lectern import examples/catalog --project demo
  lectern import courses --project acme --public-url https://catalog.example.org
  lectern import courses --project acme --asset-base https://cdn.example.org/courses/
  lectern import courses --project acme --channel pr-42
  lectern import physics --project acme --source physics
  export-courses | lectern import - --project acme --dry-run
  lectern import https://catalog.example.org --api-key-stdin --project acme < key.txt

Exit code: 0 done, 1 failed, 2 wrong usage, 3 the content has errors.`,
    )
    .action(async (path: string, options: Options) => {
      if (options.json === true && options.dryRun !== true) {
        throw new CommandFailure("--json goes with --dry-run.", EXIT.usage);
      }
      if (options.takeOver === true && options.source === undefined) {
        throw new CommandFailure("--take-over goes with --source.", EXIT.usage);
      }
      const { openSource } = await import("./open-source.ts");
      const { assetBase, fw: framework, format, dates, withInstructors } = options;
      const linked = createLinkedFiles(options);
      const limits = toSourceLimits(options, options, options);
      const progress = new SourceProgress(terminal);
      const switches = {
        dates,
        format,
        framework,
        withInstructors,
        strict: options.strict,
        answers: options.answers,
        now: () => terminal.now(),
      };
      const reading = { assetBase, files: linked, ...switches, limits, ...progress.options };
      const { isServiceUrl, openServiceSource } = await import("../content/readers/service.ts");
      const isService = isServiceUrl(path);
      if (isService !== (options.apiKeyStdin === true)) {
        const message = isService
          ? "A service is read with a key of it: --api-key-stdin, and the key on standard input."
          : "--api-key-stdin goes with the URL of a service.";
        throw new CommandFailure(message, EXIT.usage);
      }
      const known = isService ? undefined : await openSource(path, reading, terminal);
      const apiKey = isService ? await readApiKey(terminal) : "";
      const importInto = async (store: Store): Promise<void> => {
        const answers = store.openKeptAnswers(options.project, new Date().toISOString());
        // A plan writes nothing, answers neither.
        const cache = options.dryRun === true ? new Map<string, never>() : answers;
        const source = progress.watch(known ?? openServiceSource(path, { apiKey, cache }, reading));
        if (progress.isShown && options.source === undefined) progress.expect(await countLessons(store, options));
        try {
          const outcome = await runImport(store, source, { ...options, linked }, terminal);
          if (isService && options.dryRun !== true) await answers.finish();
          if (outcome.status === "published") await pruneUnlessBusy(store, options, terminal);
          if (outcome.status === "published") await warnOfSimilar(store, outcome.release, terminal);
        } finally {
          progress.end();
          await source.close?.();
        }
      };
      const open = { create: options.dryRun !== true, assetFolder: toAssetFolder(options.assets) };
      await withStore(options.database, importInto, open).catch(async (error) => {
        if (options.dryRun !== true || !(error instanceof DatabaseMissing)) throw error;
        terminal.note("There is no database yet: this is the plan for a new one.");
        await withEmptyStore(importInto);
      });
    });
}

/** The lessons of the release that an import replaces; 0 where there is none. */
async function countLessons(store: Store, { project, channel }: Options): Promise<number> {
  const { publishing } = store;
  const current = await publishing.findCurrentRelease(project, channel);
  return (current ?? (await publishing.findCurrentRelease(project, LIVE_CHANNEL)))?.lessons ?? 0;
}

async function readApiKey(terminal: Terminal): Promise<string> {
  const key = (await Bun.readableStreamToText(terminal.readInput())).trim();
  if (/^[!-~]+$/.test(key)) return key;
  throw new CommandFailure(key === "" ? "Standard input gave no key." : "What standard input gave is no key.");
}

/** A project begins with its first import, so nobody else would tell of a slip. */
async function warnOfSimilar(store: Store, { project, number }: Release, terminal: Terminal): Promise<void> {
  if (number > 1) return;
  const similar = await findSimilarProject(store, project);
  if (similar !== undefined) terminal.note(`Project ${project} is new. Did you mean project ${similar}?`);
}

class ProjectBusy extends Error {}

// When another command holds the lock by now, pruning is left to it or to the next import: waiting could take as long as
// that one runs.
async function pruneUnlessBusy(store: Store, { project, keep }: Options, terminal: Terminal): Promise<void> {
  const onWait = (): never => {
    throw new ProjectBusy();
  };
  try {
    const context = createPublishingContext(store, project, terminal);
    const pruned = await pruneReleases({ ...context, onWait }, keep);
    if (pruned.length > 0) await store.assets.pruneAssets(context.now().toISOString());
  } catch (error) {
    if (!(error instanceof ProjectBusy)) throw error;
  }
}

/** Imports, and prints the outcome and, as notes, the problems. Throws CommandFailure. */
export async function runImport(
  store: Store,
  source: ContentSource,
  options: Pick<Options, "project" | "channel" | "dryRun" | "json" | "merge" | "allowRemovals"> &
    Partial<Pick<Options, "maxPerKind" | "lessonUrl" | "source" | "takeOver">> & { linked?: LinkedFiles | undefined },
  terminal: Terminal,
): Promise<ImportOutcome> {
  const { project, channel, dryRun = false, merge = false, allowRemovals = false, json = false } = options;
  const { maxPerKind = DEFAULT_MAX_PER_KIND, source: sourceName, takeOver } = options;
  const owner = sourceName === undefined ? project : `source ${sourceName} of ${project}`;
  const note = (text: string): void => terminal.note(text);
  const print = (problem: Problem): void => note(formatPaintedProblem(problem, terminal.notes));
  const createPrinter = (): ProblemPrinter => new ProblemPrinter({ print, note, maxPerKind });
  let problems = createPrinter();
  const told = new ToldProblems();
  const confirmRemovals = async (removals: Removals, isAgain: boolean): Promise<boolean> => {
    problems.finish();
    // There is nothing left to be read after an answer.
    if (source.isReadOnce === true) return false;
    const before = isAgain ? "The catalog or the source has changed since. " : "";
    const which = formatRemovals(removals, `${owner} on ${channel}`);
    const answer = await terminal.ask(`${before}This removes ${which}. Go on? [y/N] `);
    // An import that goes on reads the source again.
    problems = createPrinter();
    told.beginRound();
    return /^y(es)?$/i.test(answer?.trim() ?? "");
  };
  const outcome = await importCatalog({
    ...createPublishingContext(store, project, terminal),
    channel,
    source,
    dryRun,
    merge,
    files: options.linked && { linked: options.linked, assets: store.assets },
    sourceName,
    takeOver,
    lessonUrl: options.lessonUrl,
    report(problem) {
      if (told.isNew(problem)) problems.report(problem);
    },
    confirmRemovals: allowRemovals ? undefined : confirmRemovals,
  }).finally(() => problems.finish());
  if (outcome.status === "invalid") {
    const errors = formatCount(problems.errors, "error");
    throw new CommandFailure(`Nothing was imported: ${errors} in ${source.label}.`, EXIT.invalidContent);
  }
  if (outcome.status === "refused") {
    const toKeep = outcome.removals.courses === undefined ? "" : "; to keep them, add --merge";
    throw new CommandFailure(
      `Nothing was imported: it would remove ${formatRemovals(outcome.removals, owner)}. If that is meant, add ` +
        `--allow-removals${toKeep}.`,
    );
  }
  if (outcome.status === "planned" && json)
    terminal.print(JSON.stringify({ project, channel, source: sourceName, ...outcome.plan }));
  else terminal.print(formatOutcome(outcome, project, channel, sourceName));
  return outcome;
}
