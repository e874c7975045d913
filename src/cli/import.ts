import { Option, type Command } from "commander";
import { LIVE_CHANNEL, type Release } from "../catalog/store.ts";
import { formatProblem, type ContentSource, type SourceOptions } from "../content/source.ts";
import { importCatalog } from "../publishing/import-catalog.ts";
import type { ImportOutcome } from "../publishing/import-options.ts";
import type { LinkedFiles } from "../publishing/linked-files.ts";
import { pruneReleases } from "../publishing/publish.ts";
import type { Removals } from "../publishing/change-count.ts";
import { DatabaseMissing } from "../store/errors.ts";
import type { Store } from "../store/open-store.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import { formatOutcome, formatRemovals } from "./format-import.ts";
import { formatCount } from "./format.ts";
import { findSimilarProject } from "./name-hints.ts";
import { createNotePrinter } from "./problem-printer.ts";
import { SourceProgress } from "./progress.ts";
import type { SettingValues } from "./settings.ts";
import { toAssetFolder } from "./settings/database-settings.ts";
import {
  addReadingOptions,
  ARCHIVE_SETTINGS,
  createFormatOption,
  createLinkedFiles,
  SERVICE_SETTINGS,
  toArchiveLimits,
  toServiceLimits,
  toSourceOptions,
  type ArchiveOptions,
  type ReadingOptions,
  type ServiceOptions,
} from "./source-options.ts";
import { createPublishingContext, withEmptyStore, withStore } from "./with-store.ts";
import type { Terminal } from "./terminal.ts";

const IMPORT_SETTINGS = [
  "database",
  "project",
  "channel",
  "source",
  "publicUrl",
  "maxAssetSize",
  "assets",
  "lessonUrl",
  "answers",
  "keep",
] as const;

/** Beyond these a problem may be told again when the source is read again. */
const MAX_KNOWN_PROBLEMS = 100_000;

type Options = SettingValues<(typeof IMPORT_SETTINGS)[number], "project"> &
  ReadingOptions &
  ArchiveOptions &
  ServiceOptions & {
    dryRun?: boolean;
    json?: boolean;
    merge?: boolean;
    takeOver?: boolean;
    allowRemovals?: boolean;
    format?: string;
    dates?: "git";
    apiKeyStdin?: boolean;
    keepGoing?: boolean;
    verbose?: boolean;
  };

/** Adds `lectern import`. */
export function addImportCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("import")
    .summary("publish courses from a folder, an archive, a file or another service")
    .description(
      "Makes the courses of SOURCE the whole catalog of a project and publishes it: courses that SOURCE does not have " +
        "are removed. With --source NAME it replaces only what this source has brought. Readers see the old catalog " +
        "until the new one is complete. One error, and nothing changes, unless --keep-going is given.",
    )
    .argument(
      "<SOURCE>",
      "a folder, an archive of one, a file with one course a line (NDJSON), - for NDJSON on standard input, or the URL of " +
        "another service of this interface",
    );
  addReadingOptions(command, [...IMPORT_SETTINGS, ...ARCHIVE_SETTINGS, ...SERVICE_SETTINGS], ["project"])
    .option("--merge", "keep the courses that SOURCE does not have")
    .option("--take-over", "with --source: let the source have courses that others have")
    .option("--dry-run", "tell what would change in which course, and change nothing")
    .option("--json", "with --dry-run: print the plan as one JSON object")
    .addOption(createFormatOption())
    .option("--strict", "take warnings for errors")
    .option("--keep-going", "publish the courses without errors; the others stay as they are")
    .addOption(
      new Option("--dates <FROM>", "git takes the dates that authors leave out from the history of the folder").choices(
        ["git"],
      ),
    )
    .option("--api-key-stdin", "with the URL of a service: its key is read from standard input")
    .option("--allow-removals", "do not ask before most courses, or most lessons of a course, are removed")
    .option("--verbose", "print every place of a warning, as it is found")
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

Exit code: 0 done, 1 failed, 2 wrong usage, 3 the content has errors, 4 published, but for courses with errors.`,
    )
    .action((path: string, options: Options) => runImportCommand(path, options, terminal));
}

async function runImportCommand(path: string, options: Options, terminal: Terminal): Promise<void> {
  const { dryRun = false, project } = options;
  if (options.json === true && !dryRun) throw new CommandFailure("--json goes with --dry-run.", EXIT.usage);
  if (options.takeOver === true && options.source === undefined) {
    throw new CommandFailure("--take-over goes with --source.", EXIT.usage);
  }
  const linked = createLinkedFiles(options);
  const progress = new SourceProgress(terminal);
  const limits = { archive: toArchiveLimits(options), service: toServiceLimits(options) };
  const { dates } = options;
  const shown = new Map<string, string>();
  const shownFormat = (folder: string): string | undefined => shown.get(folder.normalize("NFC"));
  const given = { files: linked, dates, shownFormat };
  const reading = { ...toSourceOptions(options, terminal, limits), ...progress.options, ...given };
  const open = await prepareSource(path, options, reading, terminal);
  const importInto = async (store: Store): Promise<void> => {
    const answers = store.openKeptAnswers(project, new Date().toISOString());
    // A plan writes nothing, answers neither.
    const source = progress.watch(open(dryRun ? new Map<string, never>() : answers));
    const current = await findCurrentRelease(store, options);
    if (progress.isShown && options.source === undefined) progress.expected = current?.lessons ?? 0;
    for (const { source: name, sourcePath, format } of current ? await store.publishing.listVersions(current) : []) {
      if (name === options.source && sourcePath !== undefined && format !== undefined) shown.set(sourcePath, format);
    }
    try {
      const outcome = await runImport(store, source, { ...options, linked }, terminal);
      if (options.apiKeyStdin === true && !dryRun) await answers.finish();
      if (outcome.status === "published") {
        await pruneUnlessBusy(store, options, terminal);
        await warnOfSimilar(store, outcome.release, terminal);
      }
      if (outcome.broken === undefined) return;
      const which = formatCount(outcome.broken, "course");
      throw new CommandFailure(`${which} with errors stayed as readers had them.`, EXIT.partly);
    } finally {
      progress.end();
      await source.close?.();
    }
  };
  const storage = { create: !dryRun, assetFolder: toAssetFolder(options.assets) };
  await withStore(options.database, importInto, storage).catch(async (error) => {
    if (!dryRun || !(error instanceof DatabaseMissing)) throw error;
    terminal.note("There is no database yet: this is the plan for a new one.");
    await withEmptyStore(importInto);
  });
}

type AnswerCache = ReturnType<Store["openKeptAnswers"]> | Map<string, never>;

/** Finds what SOURCE names before a database is opened. Returns what opens it; only another service needs the answers kept of it. */
async function prepareSource(
  path: string,
  { apiKeyStdin = false }: Options,
  reading: SourceOptions,
  terminal: Terminal,
): Promise<(answers: AnswerCache) => ContentSource> {
  const { isServiceUrl, openServiceSource } = await import("../content/readers/service.ts");
  if (!isServiceUrl(path)) {
    if (apiKeyStdin) throw new CommandFailure("--api-key-stdin goes with the URL of a service.", EXIT.usage);
    const { openSource } = await import("./open-source.ts");
    const source = await openSource(path, reading, terminal);
    return () => source;
  }
  if (!apiKeyStdin) {
    const message = "A service is read with a key of it: --api-key-stdin, and the key on standard input.";
    throw new CommandFailure(message, EXIT.usage);
  }
  const apiKey = (await Bun.readableStreamToText(terminal.readInput())).trim();
  if (apiKey === "") throw new CommandFailure("Standard input gave no key.");
  if (!/^[!-~]+$/.test(apiKey)) throw new CommandFailure("What standard input gave is no key.");
  return (cache) => openServiceSource(path, { apiKey, cache }, reading);
}

/** The release that an import replaces; undefined where there is none. */
async function findCurrentRelease(store: Store, { project, channel }: Options): Promise<Release | undefined> {
  const { publishing } = store;
  const current = await publishing.findCurrentRelease(project, channel);
  return current ?? publishing.findCurrentRelease(project, LIVE_CHANNEL);
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
    Partial<Pick<Options, "verbose" | "strict" | "keepGoing" | "lessonUrl" | "source" | "takeOver">> & {
      linked?: LinkedFiles | undefined;
    },
  terminal: Terminal,
): Promise<ImportOutcome> {
  const { project, channel, dryRun = false, merge = false, allowRemovals = false, json = false } = options;
  const { source: sourceName, takeOver, linked, lessonUrl, strict, keepGoing } = options;
  const owner = sourceName === undefined ? project : `source ${sourceName} of ${project}`;
  let problems = createNotePrinter(terminal, options.verbose);
  const told = new Set<number | bigint>();
  let isReadAgain = false;
  const confirmRemovals = async (removals: Removals, isAgain: boolean): Promise<boolean> => {
    problems.finish();
    // There is nothing left to be read after an answer.
    if (source.isReadOnce === true) return false;
    const before = isAgain ? "The catalog or the source has changed since. " : "";
    const which = formatRemovals(removals, `${owner} on ${channel}`);
    const answer = await terminal.ask(`${before}This removes ${which}. Go on? [y/N] `);
    problems = createNotePrinter(terminal, options.verbose);
    isReadAgain = true;
    return /^y(es)?$/i.test(answer?.trim() ?? "");
  };
  const outcome = await importCatalog({
    ...createPublishingContext(store, project, terminal),
    channel,
    source,
    dryRun,
    merge,
    files: linked && { linked, assets: store.assets },
    sourceName,
    takeOver,
    lessonUrl,
    strict,
    keepGoing,
    report(problem) {
      const hash = Bun.hash(formatProblem(problem));
      if (isReadAgain && told.has(hash)) return;
      if (told.size < MAX_KNOWN_PROBLEMS) told.add(hash);
      problems.report(problem);
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
