// Runs the rounds of a preview. Each round imports the folder, and reports the outcome to the terminal and the pages.
import {
  LIVE_CHANNEL,
  type CatalogChanges,
  type Release,
  type CourseVersion,
  type PublishingReader,
} from "../../catalog/store.ts";
import { MARK_LIFE_MS } from "../../assets/asset-store.ts";
import { type ContentSource, type Problem, type Report, formatProblem } from "../../content/source.ts";
import { importCatalog } from "../../publishing/import-catalog.ts";
import type { ImportOutcome } from "../../publishing/import-options.ts";
import type { LinkedFiles } from "../../publishing/linked-files.ts";
import { pruneReleases } from "../../publishing/publish.ts";
import type { PreviewServer } from "../../serving/preview-server.ts";
import type { Store } from "../../store/open-store.ts";
import { formatCount } from "../terminal/format.ts";
import { formatContent } from "../terminal/format-import.ts";
import { createNotePrinter } from "../terminal/problem-printer.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { join } from "node:path";
import { splitSourcePath } from "../../catalog/source-path.ts";
import type { PreviewState } from "../../explorer/preview/preview-state.ts";

export const PREVIEW_TARGET = { project: "preview", channel: LIVE_CHANNEL };

const KEPT_RELEASES = 20;
/** The preview remembers at most this many problems, and can print any further ones again. */
const MAX_KNOWN = 10_000;

interface PreviewRoundsOptions {
  path: string;
  source: ContentSource;
  /** Creates LinkedFiles for a round, because older ones could count removed files as stored. */
  renewFiles: () => LinkedFiles;
  store: Store;
  server: PreviewServer;
  lessonUrl: string | undefined;
  terminal: Terminal;
  ended: AbortSignal;
}

/** Each round must end before the next begins. */
export class PreviewRounds {
  readonly #options: PreviewRoundsOptions;
  #release: Release | undefined;
  #rounds = 0;
  #published = 0;
  #errors = 0;
  #known = new Set<string>();

  constructor(options: PreviewRoundsOptions) {
    this.#options = options;
  }

  /** Reads and publishes the folder. Reports errors that an author can fix, and throws all others. */
  async run(): Promise<void> {
    const { path, server, terminal, store, ended } = this.#options;
    const startedAtMs = performance.now();
    const problems: Problem[] = [];
    const outcome = await this.#import((problem) => problems.push(problem)).catch((error: unknown) => {
      if (ended.aborted) return undefined;
      if (store.isUnavailable(error) || !(error instanceof Error)) throw error;
      problems.push({ severity: "error", kind: "unreadable", file: path, message: error.message });
      return undefined;
    });
    if (ended.aborted) return;
    if (outcome?.status === "published") {
      this.#release = outcome.release;
      this.#published++;
      await server.refresh();
    }
    server.announce(JSON.stringify(await createPreviewState(path, store.publishing, this.#release, problems)));
    const ms = performance.now() - startedAtMs;
    this.#print(problems);
    const errors = problems.filter(({ severity }) => severity === "error").length;
    const description = this.#describeRound(outcome, errors, ms);
    if (this.#rounds++ > 0 && description !== undefined) terminal.note(description);
    this.#errors = errors;
    if (outcome?.status === "published" && this.#published % KEPT_RELEASES === 0) await this.#prune();
  }

  describe(): string {
    if (this.#release !== undefined) return formatContent(this.#release);
    return `nothing to show until you fix ${this.#errors === 1 ? "the error" : "the errors"}`;
  }

  #import(report: Report): Promise<ImportOutcome> {
    const { source, renewFiles, store, lessonUrl } = this.#options;
    return importCatalog({
      ...PREVIEW_TARGET,
      store: store.publishing,
      source,
      files: { linked: renewFiles(), assets: store.assets },
      now: () => new Date(),
      lessonUrl,
      report,
    });
  }

  #print(problems: Problem[]): void {
    const printer = createNotePrinter(this.#options.terminal);
    const known = this.#known;
    // While there are errors, remember older problems: fixing an error can reveal them again.
    const hasErrors = problems.some(({ severity }) => severity === "error");
    this.#known = hasErrors ? new Set(known) : new Set();
    for (const problem of problems) {
      const text = formatProblem(problem);
      if (!known.has(text)) printer.report(problem);
      if (this.#known.size < MAX_KNOWN) this.#known.add(text);
    }
    printer.finish();
  }

  #describeRound(outcome: ImportOutcome | undefined, errors: number, ms: number): string | undefined {
    // The local time, such as `14:03:59`.
    const time = new Date().toTimeString().slice(0, 8);
    if (errors > 0) {
      const shown = this.#release === undefined ? "nothing to show" : `release ${this.#release.number} stays`;
      return `${time} ${formatCount(errors, "error")}: ${shown} until you fix ${errors === 1 ? "it" : "them"}`;
    }
    if (outcome?.status === "published") {
      return `${time} release ${outcome.release.number}: ${formatChanges(outcome.changes)} (${Math.round(ms)} ms)`;
    }
    return this.#errors > 0 ? `${time} no errors; nothing else changed` : undefined;
  }

  async #prune(): Promise<void> {
    const { store } = this.#options;
    const context = { ...PREVIEW_TARGET, store: store.publishing, now: () => new Date() };
    await pruneReleases(context, KEPT_RELEASES);
    // No other process imports into this database, so delete unreferenced files at once.
    await store.assets.pruneAssets(new Date(Date.now() + MARK_LIFE_MS).toISOString());
  }
}

/** Describes changes, such as `2 lessons changed, 1 course removed`. */
function formatChanges(changes: CatalogChanges): string {
  const parts = [
    [changes.lessonsAdded, "lesson", "added"],
    [changes.lessonsChanged, "lesson", "changed"],
    [changes.lessonsRemoved, "lesson", "removed"],
    [changes.coursesAdded, "course", "added"],
    [changes.coursesRemoved, "course", "removed"],
  ] as const;
  const found = parts
    .filter(([count]) => count > 0)
    .map(([count, noun, verb]) => `${formatCount(count, noun)} ${verb}`);
  return found.length === 0 ? formatCount(changes.coursesChanged, "course") + " changed" : found.join(", ");
}

/** The maximum number of problems, and of drafts, that a page shows. */
const MAX_SHOWN = 200;

async function createPreviewState(
  path: string,
  store: PublishingReader,
  release: Release | undefined,
  problems: readonly Problem[],
): Promise<PreviewState> {
  const errors = problems.filter(({ severity }) => severity === "error");
  const warnings = problems.filter(({ severity }) => severity === "warning");
  const shown = [...errors, ...warnings].slice(0, MAX_SHOWN);
  const versions = release === undefined ? [] : await store.listVersions(release);
  const places = await readPlaces(path, store, shown.length === 0 ? [] : versions);
  const drafts = versions.filter(({ published }) => !published).slice(0, MAX_SHOWN);
  return {
    release: release?.number ?? 0,
    errors: errors.length,
    warnings: warnings.length,
    problems: shown.map(({ severity, file, line, column, message, hints = [] }) => ({
      severity: severity === "error" ? "error" : "warning",
      file,
      line,
      column,
      message,
      hints,
      ...places.get(file.normalize("NFC")),
    })),
    drafts: drafts.map(({ courseId, slug }) => ({ courseId, slug })),
  };
}

/** Maps the path of each file, as problems show it, to the file's first lesson. */
async function readPlaces(path: string, store: PublishingReader, versions: CourseVersion[]) {
  const places = new Map<string, { courseId: string; courseSlug: string; lessonId: string }>();
  for (const { versionId, courseId, slug: courseSlug } of versions) {
    for (const [lessonId, { sourcePath }] of await store.listLessonRecords(versionId)) {
      if (sourcePath === undefined) continue;
      const file = join(path, splitSourcePath(sourcePath).file).normalize("NFC");
      if (!places.has(file)) places.set(file, { courseId, courseSlug, lessonId });
    }
  }
  return places;
}
