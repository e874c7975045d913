import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Option, type Command } from "commander";
import { LIVE_CHANNEL } from "../../catalog/store.ts";
import type { ContentSource, Report, SourceOptions } from "../../content/source.ts";
import type { ImportOptions, ImportOutcome } from "../../publishing/import-options.ts";
import type { LinkedFiles } from "../../publishing/linked-files.ts";
import { pruneReleases, withLock } from "../../publishing/publish.ts";
import type { Removals } from "../../publishing/change-count.ts";
import { DatabaseMissing } from "../../store/engine.ts";
import type { Store } from "../../store/open-store.ts";
import { followLinks } from "../../store/sqlite/sqlite-file.ts";
import { CommandFailure, EXIT, UsageFailure } from "../failure.ts";
import { formatOutcome, formatRemovals } from "../terminal/format-import.ts";
import { formatCount } from "../terminal/format.ts";
import { describeMeantByNew } from "../terminal/name-hints.ts";
import { createNotePrinter } from "../terminal/problem-printer.ts";
import { ShownVersions } from "./shown-versions.ts";
import { startReading } from "../terminal/progress.ts";
import { ARCHIVE_SETTINGS, IMPORT_SETTINGS, SERVICE_SETTINGS, type SettingValues } from "../settings/settings.ts";
import { addReadingOptions, createLinkedFiles, toSourceOptions, type ReadingOptions } from "../write/source-options.ts";
import { createPublishingContext, withEmptyStore, withStore, type Session } from "../with-store.ts";
import type { Terminal } from "../terminal/terminal.ts";

export type ImportCommandOptions = SettingValues<(typeof IMPORT_SETTINGS)[number] | "database" | "assets", "project"> &
  ReadingOptions & {
    dryRun?: boolean;
    json?: boolean;
    merge?: boolean;
    takeOver?: boolean;
    allowRemovals?: boolean;
    only?: string;
    dates?: "git";
    apiKeyStdin?: boolean;
    keepGoing?: boolean;
    sourceMeta?: boolean;
    verbose?: boolean;
  };

export function addImportCommand(program: Command, terminal: Terminal): void {
  addImportOptions(program.command("import <SOURCE>"))
    .option("--dry-run")
    .option("--json")
    .option("--only <PATH>")
    .addOption(new Option("--dates <FROM>").choices(["git"]))
    .action(async (path: string, options: ImportCommandOptions) => {
      if (options.json === true && options.dryRun !== true) throw new UsageFailure("--json needs --dry-run.");
      await importSource(path, options, terminal);
    });
}

export function addImportOptions(command: Command, isProjectRequired = true): Command {
  const settings = [...IMPORT_SETTINGS, "database", "assets", ...ARCHIVE_SETTINGS, ...SERVICE_SETTINGS] as const;
  return addReadingOptions(command, settings, isProjectRequired)
    .option("--merge")
    .option("--take-over")
    .option("--strict")
    .option("--sanitize")
    .option("--api-key-stdin")
    .option("--allow-removals")
    .option("--keep-going")
    .option("--source-meta")
    .option("--verbose");
}

export interface FollowedImport {
  /** The source's name in the list of releases. */
  label: string | undefined;
  onProblem: Report;
  ended: AbortSignal;
  /** Undefined unless the source is a service: the import takes its turn after the download. */
  takeTurn: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
}

/**
 * Imports a source, and prints and returns the outcome. Throws CommandFailure if the import fails or skips courses with
 * errors. Throws ProjectBusy if a followed source would have to wait for another command.
 */
export async function importSource(
  path: string,
  options: ImportCommandOptions,
  terminal: Terminal,
  followed?: FollowedImport,
): Promise<ImportOutcome["status"]> {
  const { dryRun = false, project, dates, only } = options;
  if (options.takeOver === true && options.source === undefined) {
    throw new UsageFailure("--take-over needs --source NAME.");
  }
  const linked = createLinkedFiles(options);
  const progress = startReading(terminal);
  const shown = new ShownVersions();
  const onLesson = (): void => {
    followed?.ended.throwIfAborted();
    progress.onLesson();
  };
  const [, file] = /^sqlite:(.+)/.exec(options.database) ?? [];
  const database = file === undefined ? undefined : followLinks(resolve(file));
  const given = { ...toSourceOptions(options, terminal), ...shown.options };
  const reading = { ...given, onLesson, files: linked, dates, only, database };
  let status: ImportOutcome["status"] = "invalid";
  const open = await prepareSource(path, options, reading, terminal, followed?.ended);
  const importInto = async (session: Session): Promise<void> => {
    const answers = session.store.openMirroredAnswers(options, new Date().toISOString());
    const opened = open(dryRun ? new Map<string, never>() : answers);
    const source = progress.watch({ ...opened, label: followed?.label ?? opened.label });
    const { publishing } = session.store;
    const current =
      (await publishing.findCurrentRelease(project, options.channel)) ??
      (await publishing.findCurrentRelease(project, LIVE_CHANNEL));
    if (current !== undefined) await shown.read(publishing, current, options.source);
    const meant = await describeMeantByNew(session.store, { project });
    try {
      const keepsAnswers = options.apiKeyStdin === true && !dryRun;
      const outcome = await runImport(session, source, {
        ...options,
        merge: options.merge === true || only !== undefined,
        linked,
        followed,
      }).catch(async (error: unknown) => {
        // Forget the cached answers, so that the next import requests all content again.
        if (keepsAnswers && !(error instanceof ProjectBusy)) await answers.forget().catch(() => undefined);
        throw error;
      });
      ({ status } = outcome);
      // A failure, as on a full disk, only makes the next import request all content again.
      if (keepsAnswers)
        await (outcome.broken === undefined ? answers.finish() : answers.forget()).catch(() => undefined);
      if (outcome.status === "published") await pruneUnlessBusy(session, options);
      if (outcome.status === "published" && meant !== "") terminal.note(`Project ${project} is new.${meant}`);
      if (outcome.broken === undefined) {
        if (!dryRun) await session.store.follows.clearFailure(project, options.channel, options.source);
        return;
      }
      const which = formatCount(outcome.broken, "course");
      throw new CommandFailure(
        `${which} with errors kept ${outcome.broken === 1 ? "its previous version" : "their previous versions"}. Fix the errors, and import again.`,
        EXIT.partly,
      );
    } finally {
      progress.end();
      await source.close?.();
    }
  };
  // An import of `lectern follow` creates no database: an empty one would hide the loss of the old one's keys.
  const access = dryRun ? "read" : followed === undefined ? "create" : "write";
  await withStore(terminal, options, importInto, access).catch(async (error) => {
    if (!dryRun || !(error instanceof DatabaseMissing)) throw error;
    terminal.note("There is no database yet. This is the plan for a new one.");
    await withEmptyStore(terminal, importInto);
  });
  return status;
}

type AnswerCache = ReturnType<Store["openMirroredAnswers"]> | Map<string, never>;

/** Checks SOURCE before a database is opened. Returns a function that opens SOURCE; only a service uses the cache. */
async function prepareSource(
  path: string,
  { apiKeyStdin = false }: ImportCommandOptions,
  reading: SourceOptions,
  terminal: Terminal,
  signal: AbortSignal | undefined,
): Promise<(answers: AnswerCache) => ContentSource> {
  if (!/^https?:\/\//i.test(path)) {
    if (apiKeyStdin) throw new UsageFailure("--api-key-stdin needs the URL of a service as SOURCE.");
    const { openSource } = await import("../write/open-source.ts");
    if (reading.only !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new UsageFailure("--only needs a folder as SOURCE.");
    const source = await openSource(path, reading, terminal);
    return () => source;
  }
  if (reading.only !== undefined) throw new UsageFailure("--only needs a folder as SOURCE.");
  if (!apiKeyStdin)
    throw new UsageFailure("A service requires a key. Add --api-key-stdin, and pass the key on standard input.");
  const apiKey = (await Bun.readableStreamToText(terminal.readInput())).trim();
  if (apiKey === "") throw new CommandFailure("The API key on standard input is missing.");
  if (!/^[!-~]+$/.test(apiKey)) throw new CommandFailure("The API key on standard input is invalid.");
  const { openServiceSource } = await import("../../content/readers/service.ts");
  return (cache) => openServiceSource(path, { apiKey, cache, signal }, reading);
}

export class ProjectBusy extends Error {}

function refuseToWait(): never {
  throw new ProjectBusy();
}

/** Prunes old releases. If another command holds the lock, the next import prunes instead. */
async function pruneUnlessBusy(session: Session, { project, keep }: ImportCommandOptions): Promise<void> {
  try {
    const context = { ...createPublishingContext(session, project), onWait: refuseToWait };
    const pruned = await pruneReleases(context, keep);
    if (pruned.length > 0) await session.store.assets.pruneAssets(context.now().toISOString());
  } catch (error) {
    if (!(error instanceof ProjectBusy)) throw error;
  }
}

export async function runImport(
  session: Session,
  source: ContentSource,
  options: Pick<ImportCommandOptions, "project" | "channel"> &
    Partial<ImportCommandOptions> & { linked?: LinkedFiles | undefined; followed?: FollowedImport | undefined },
): Promise<ImportOutcome> {
  const { project, channel, source: sourceName, linked, followed, allowRemovals = false, json = false } = options;
  const { store, terminal } = session;
  const owner = sourceName === undefined ? project : `source ${sourceName} of ${project}`;
  let problems = createNotePrinter(terminal, options.verbose);
  let isReadAgain = false;
  const confirmRemovals = async (removals: Removals, isAgain: boolean): Promise<boolean> => {
    problems.finish();
    if (source.isReadOnce === true) return false;
    const before = isAgain ? "The catalog or the source has changed. " : "";
    const which = formatRemovals(removals, `${owner} on ${channel}`);
    const answer = await terminal.ask(`${before}This removes ${which}. Continue? [y/N] `);
    problems = createNotePrinter(terminal, options.verbose);
    isReadAgain = true;
    return /^y(es)?$/i.test(answer?.trim() ?? "");
  };
  const context = { ...createPublishingContext(session, project), ...(followed && { onWait: refuseToWait }) };
  if (followed?.takeTurn !== undefined) {
    // Throws ProjectBusy before the download, which can be long.
    await withLock(context, `import of ${source.label}`, async () => undefined);
    await source.prepare?.();
  }
  const { importCatalog } = await import("../../publishing/import-catalog.ts");
  const given: ImportOptions = {
    ...options,
    ...context,
    source,
    sourceName,
    files: linked && { linked, assets: store.assets },
    report(problem) {
      followed?.onProblem(problem);
      // The first read has already reported the warnings.
      if (!isReadAgain || problem.severity === "error") problems.report(problem);
    },
    confirmRemovals: allowRemovals ? undefined : confirmRemovals,
  };
  const run = async (): Promise<ImportOutcome> => importCatalog(given);
  const outcome = await (followed?.takeTurn?.(run) ?? run()).finally(() => problems.finish());
  if (outcome.status === "invalid") {
    const errors = formatCount(problems.errors, "error");
    throw new CommandFailure(`Nothing was imported: ${errors} in ${source.label}.`, EXIT.invalidContent);
  }
  if (outcome.status === "refused") {
    const toKeep = outcome.removals.courses === undefined ? "" : " To keep them, add --merge.";
    throw new CommandFailure(
      `Nothing was imported: it would remove ${formatRemovals(outcome.removals, owner)}. If that is intended, add ` +
        `--allow-removals.${toKeep}`,
    );
  }
  const isPlan = outcome.status === "planned" && json;
  const plan = isPlan ? JSON.stringify({ project, channel, source: sourceName, ...outcome.plan }) : undefined;
  terminal.print(plan ?? formatOutcome(outcome, project, channel, sourceName));
  return outcome;
}
