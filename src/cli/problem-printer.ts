// What a command prints of the problems of a source: errors as they are found, warnings by kind once all are known.
import { toPrintable } from "../catalog/printable.ts";
import { AnswerTally } from "../content/quiz/answers.ts";
import { PROBLEM_KINDS, type ProblemKind } from "../content/problem-kinds.ts";
import type { Problem } from "../content/source.ts";
import { Tally } from "../content/tally.ts";
import { formatCount, formatNumber } from "./format.ts";

/** Warnings of a kind that are shown unless the operator says otherwise. */
export const DEFAULT_MAX_PER_KIND = 20;
/** The most that may be asked for: they are held until the source is read. */
export const MAX_PER_KIND = 10_000;

/** More errors are only counted, unless everything is asked for. */
const MAX_ERRORS = 1000;
/** What is said in one line for all its places; of more different ones each place has its line. */
const MERGED_KINDS: ReadonlySet<ProblemKind> = new Set(["unknown-field"]);
const MAX_MERGED = 1000;
/** The files of merged warnings, in which two are told apart; beyond it a file may count twice. */
const MAX_KNOWN_FILES = 100_000;

/** How and where problems are printed. */
export interface ProblemOutput {
  /** Prints one problem. */
  print: (problem: Problem) => void;
  /** Prints a line about all of them. */
  note: (text: string) => void;
  /** Warnings of a kind that are shown. With 0 all are, as they are found, and all errors. */
  maxPerKind: number;
  /** Shows the first of each kind before the second of any, for readers that show no more than the first few. */
  isMixed?: boolean;
}

interface WarningGroup {
  kind: ProblemKind;
  count: number;
  /** How many were printed already. */
  printed: number;
  held: HeldWarning[];
}

interface HeldWarning {
  problem: Problem;
  places: number;
  files: number;
}

/** Prints and counts the problems of a source. Holds the first warnings of each kind; what is in one line counts once. */
export class ProblemPrinter {
  errors = 0;
  warnings = 0;
  #isFinished = false;
  readonly #output: ProblemOutput;
  readonly #groups = new Map<ProblemKind, WarningGroup>();
  readonly #merged = new Map<string, HeldWarning>();
  readonly #knownFiles = new Set<number | bigint>();
  readonly #tally = new Tally();
  readonly #answers = new AnswerTally();

  constructor(output: ProblemOutput) {
    this.#output = output;
  }

  report(problem: Problem): void {
    this.count(problem);
    if (problem.severity === "note") return;
    if (problem.severity === "warning") return this.#reportWarning(problem);
    this.errors++;
    if (this.errors <= MAX_ERRORS || this.#output.maxPerKind === 0) this.#output.print(problem);
  }

  /** Counts what readers do not get because of a problem, for the statement at the end. */
  count(problem: Problem): void {
    this.#tally.add(problem);
    if (problem.answers !== undefined) this.#answers.add(problem.answers);
  }

  /** Prints the warnings, how many there are of each kind, and the statements of what is not shown and of answers. To be called when all are known; a second time it does nothing. */
  finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    const groups = [...this.#groups.values()].sort((a, b) => b.count - a.count);
    for (const { problem, places, files } of this.#listHeld(groups)) {
      this.#output.print({ ...problem, message: problem.message + formatPlaces(places, files) });
    }
    if (this.errors > MAX_ERRORS && this.#output.maxPerKind !== 0) {
      this.#output.note(`... and ${formatCount(this.errors - MAX_ERRORS, "more error")}; --max-per-kind 0 prints all`);
    }
    const isAllShown = groups.every(({ count, printed, held }) => count === printed + held.length);
    if (groups.length > 1 || !isAllShown) this.#output.note(formatKinds(groups));
    if (!isAllShown) {
      const shown = formatCount(this.#output.maxPerKind, "warning");
      this.#output.note(`Up to ${shown} of a kind are printed; --max-per-kind 0 prints all.`);
    }
    for (const statement of [this.#tally.format(), this.#answers.format()]) {
      if (statement !== undefined) this.#output.note(toPrintable(statement));
    }
  }

  #reportWarning(problem: Problem): void {
    const { kind } = problem;
    const isMerged = MERGED_KINDS.has(kind);
    const merged = isMerged ? this.#merged.get(problem.message) : undefined;
    if (merged !== undefined) {
      merged.places++;
      if (this.#isNewFile(problem)) merged.files++;
      return;
    }
    this.warnings++;
    let group = this.#groups.get(kind);
    if (group === undefined) this.#groups.set(kind, (group = { kind, count: 0, printed: 0, held: [] }));
    group.count++;
    const held = { problem, places: 1, files: 1 };
    const canMerge = isMerged && this.#merged.size < MAX_MERGED;
    if (canMerge) {
      this.#merged.set(problem.message, held);
      this.#isNewFile(problem);
    }
    const { maxPerKind } = this.#output;
    if (maxPerKind === 0 && !canMerge) {
      this.#output.print(problem);
      group.printed++;
    } else if (maxPerKind === 0 || group.held.length < maxPerKind) {
      group.held.push(held);
    }
  }

  #isNewFile({ file, message }: Problem): boolean {
    const hash = Bun.hash(`${message}\n${file}`);
    if (this.#knownFiles.has(hash)) return false;
    if (this.#knownFiles.size < MAX_KNOWN_FILES) this.#knownFiles.add(hash);
    return true;
  }

  #listHeld(groups: readonly WarningGroup[]): HeldWarning[] {
    if (this.#output.isMixed !== true) return groups.flatMap(({ held }) => held);
    const rounds = groups.reduce((most, { held }) => Math.max(most, held.length), 0);
    return Array.from({ length: rounds }, (_, round) =>
      groups.flatMap(({ held }) => held.slice(round, round + 1)),
    ).flat();
  }
}

function formatPlaces(places: number, files: number): string {
  if (places === 1) return "";
  const times = `${formatNumber(places)} times`;
  if (files === 1) return ` (${times} in this file)`;
  const inFiles = `in ${formatCount(files, "file")}`;
  return places === files ? ` (${inFiles})` : ` (${times} ${inFiles})`;
}

function formatKinds(groups: readonly WarningGroup[]): string {
  const rows = groups.map(({ kind, count }) => ({ kind, count: formatNumber(count) }));
  const countWidth = rows.reduce((width, { count }) => Math.max(width, count.length), 0);
  const kindWidth = rows.reduce((width, { kind }) => Math.max(width, kind.length), 0);
  const lines = rows.map(
    ({ kind, count }) => `  ${count.padStart(countWidth)}  ${kind.padEnd(kindWidth)}  ${PROBLEM_KINDS[kind].about}`,
  );
  return ["Warnings by kind:", ...lines].join("\n");
}
