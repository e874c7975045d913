// One round of a preview: the folder is imported as any other, and what came of it is told in the terminal and to the pages.
import { LIVE_CHANNEL, type CatalogChanges, type Release } from "../catalog/store.ts";
import { MARK_LIFE_MS } from "../assets/asset-store.ts";
import type { ContentSource, Problem, Report } from "../content/source.ts";
import { formatProblem } from "../content/source.ts";
import { importCatalog } from "../publishing/import-catalog.ts";
import type { ImportOutcome } from "../publishing/import-options.ts";
import type { LinkedFiles } from "../publishing/linked-files.ts";
import { pruneReleases } from "../publishing/publish.ts";
import type { PreviewServer } from "../serving/preview-server.ts";
import type { Store } from "../store/open-store.ts";
import { formatCount } from "./format.ts";
import { formatContent } from "./format-import.ts";
import { createPreviewState } from "./preview-state.ts";
import { createNotePrinter } from "./problem-printer.ts";
import type { Terminal } from "./terminal.ts";

/** What the key of a preview reads. */
export const PREVIEW_TARGET = { project: "preview", channel: LIVE_CHANNEL };

/** Releases that can be compared with the current one. */
const KEPT_RELEASES = 20;
/** Problems that are remembered, so that only new ones are printed; beyond it some are printed again. */
const MAX_REMEMBERED = 10_000;

interface PreviewRoundsOptions {
  path: string;
  source: ContentSource;
  /** Gives what takes the files of the next round: what one round has stored, another may remove. */
  renewFiles: () => LinkedFiles;
  store: Store;
  server: PreviewServer;
  lessonUrl: string | undefined;
  terminal: Terminal;
  ended: AbortSignal;
}

/** The rounds of a preview. One must end before the next begins. */
export class PreviewRounds {
  readonly #options: PreviewRoundsOptions;
  #release: Release | undefined;
  #rounds = 0;
  #published = 0;
  #errors = 0;
  /** As they are printed. */
  #known = new Set<string>();

  constructor(options: PreviewRoundsOptions) {
    this.#options = options;
  }

  /** Reads, publishes, tells. What an author can mend is told, not thrown. */
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
    server.tell(JSON.stringify(await createPreviewState(path, store.publishing, this.#release, problems)));
    const ms = performance.now() - startedAtMs;
    this.#print(problems);
    if (this.#rounds++ > 0) for (const line of this.#describeRound(outcome, problems, ms)) terminal.note(line);
    this.#errors = problems.filter(({ severity }) => severity === "error").length;
    if (outcome?.status === "published" && this.#published % KEPT_RELEASES === 0) await this.#prune();
  }

  describe(): string {
    if (this.#release !== undefined) return formatContent(this.#release);
    return `nothing to show before ${this.#errors === 1 ? "the error is" : "the errors are"} mended`;
  }

  async #import(report: Report): Promise<ImportOutcome> {
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
    // An error keeps others from being found, which are no news when it is mended.
    const hasErrors = problems.some(({ severity }) => severity === "error");
    this.#known = hasErrors ? new Set(known) : new Set();
    for (const problem of problems) {
      const text = formatProblem(problem);
      if (!known.has(text)) printer.report(problem);
      if (this.#known.size < MAX_REMEMBERED) this.#known.add(text);
    }
    printer.finish();
  }

  #describeRound(outcome: ImportOutcome | undefined, problems: Problem[], ms: number): string[] {
    const errors = problems.filter(({ severity }) => severity === "error").length;
    if (errors > 0) {
      const shown = this.#release === undefined ? "there is nothing to show" : `release ${this.#release.number} stays`;
      return [`${formatTime()} ${formatCount(errors, "error")}: ${shown} until that is mended`];
    }
    if (outcome?.status === "published") {
      const what = formatChanges(outcome.changes);
      return [`${formatTime()} release ${outcome.release.number}: ${what} (${Math.round(ms)} ms)`];
    }
    return this.#errors > 0 ? [`${formatTime()} no errors any more; nothing else has changed`] : [];
  }

  async #prune(): Promise<void> {
    const { store } = this.#options;
    const { project } = PREVIEW_TARGET;
    const now = (): Date => new Date();
    await pruneReleases({ store: store.publishing, project, now }, KEPT_RELEASES);
    // Nobody else imports, so what no release has is needed by nobody.
    await store.assets.pruneAssets(new Date(Date.now() + MARK_LIFE_MS).toISOString());
  }
}

/** `2 lessons changed, 1 course removed` */
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

/** `14:03:59`, where the author is. */
function formatTime(): string {
  return new Date().toTimeString().slice(0, 8);
}
