// What a command prints of the problems of a source: errors as they are found, warnings by kind once all are known.
import { toPrintable } from "../catalog/printable.ts";
import { AnswerTally } from "../content/answers.ts";
import { PROBLEM_KINDS, type ProblemKind } from "../content/problem-kinds.ts";
import type { Problem } from "../content/source.ts";
import { Tally } from "../content/tally.ts";
import { formatCount, formatNumber } from "./format.ts";
import { formatPaintedProblem } from "./paint.ts";
import type { Terminal } from "./terminal.ts";

/** Warnings of a kind that are shown unless the operator says otherwise. */
export const DEFAULT_MAX_PER_KIND = 20;
/** The most that may be asked for: they are held until the source is read. */
export const MAX_PER_KIND = 10_000;

/** More errors are only counted, unless everything is asked for. */
const MAX_ERRORS = 1000;
/** What is said in one line for all its places; of more different ones each place has its line. */
const MERGED_KINDS: ReadonlySet<ProblemKind> = new Set(["unknown-field"]);
const MAX_MERGED = 1000;
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

interface HeldWarning {
  problem: Problem;
  places: number;
  files: number;
  lastFile: string;
}

interface WarningGroup {
  kind: ProblemKind;
  count: number;
  held: HeldWarning[];
}

/** Prints and counts the problems of a source. Holds the first warnings of each kind; what is in one line counts once. */
export class ProblemPrinter {
  errors = 0;
  warnings = 0;
  #isFinished = false;
  readonly #output: ProblemOutput;
  readonly #groups = new Map<ProblemKind, WarningGroup>();
  readonly #merged = new Map<string, HeldWarning>();
  readonly #tally = new Tally();
  readonly #answers = new AnswerTally();

  constructor(output: ProblemOutput) {
    this.#output = output;
  }

  report(problem: Problem): void {
    this.#tally.add(problem);
    if (problem.answers !== undefined) this.#answers.add(problem.answers);
    if (problem.severity === "note") return;
    if (problem.severity === "warning") return this.#reportWarning(problem);
    this.errors++;
    if (this.errors <= MAX_ERRORS || this.#output.maxPerKind === 0) this.#output.print(problem);
  }

  /** Prints what is held, and the statements about all problems. A second call does nothing. */
  finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    const { print, note, maxPerKind } = this.#output;
    const groups = [...this.#groups.values()].sort((a, b) => b.count - a.count);
    for (const { problem, places, files } of this.#listHeld(groups)) {
      print({ ...problem, message: problem.message + formatPlaces(places, files) });
    }
    if (this.errors > MAX_ERRORS && maxPerKind !== 0) {
      note(`... and ${formatCount(this.errors - MAX_ERRORS, "more error")}; --max-per-kind 0 prints all`);
    }
    const isCut = maxPerKind !== 0 && groups.some(({ count, held }) => count > held.length);
    if (groups.length > 1 || isCut) note(formatKinds(groups));
    if (isCut) {
      note(`Up to ${formatCount(maxPerKind, "warning")} of a kind are printed; --max-per-kind 0 prints all.`);
    }
    for (const statement of [this.#tally.format(), this.#answers.format()]) {
      if (statement !== undefined) note(toPrintable(statement));
    }
  }

  #reportWarning(problem: Problem): void {
    const { kind, message, file } = problem;
    const isMerged = MERGED_KINDS.has(kind);
    const merged = isMerged ? this.#merged.get(message) : undefined;
    if (merged !== undefined) {
      merged.places++;
      if (merged.lastFile !== file) merged.files++;
      merged.lastFile = file;
      return;
    }
    this.warnings++;
    const group = this.#groups.get(kind) ?? { kind, count: 0, held: [] };
    this.#groups.set(kind, group);
    group.count++;
    const held = { problem, places: 1, files: 1, lastFile: file };
    const canMerge = isMerged && this.#merged.size < MAX_MERGED;
    if (canMerge) this.#merged.set(message, held);
    const { print, maxPerKind } = this.#output;
    if (maxPerKind === 0 && !canMerge) print(problem);
    else if (maxPerKind === 0 || group.held.length < maxPerKind) group.held.push(held);
  }

  #listHeld(groups: readonly WarningGroup[]): HeldWarning[] {
    const held = groups.flatMap((group) => group.held.map((warning, round) => ({ warning, round })));
    if (this.#output.isMixed === true) held.sort((a, b) => a.round - b.round);
    return held.map(({ warning }) => warning);
  }
}

/** Creates a printer that notes problems at a terminal. */
export function createNotePrinter(terminal: Terminal, maxPerKind = DEFAULT_MAX_PER_KIND): ProblemPrinter {
  const note = (text: string): void => terminal.note(text);
  return new ProblemPrinter({
    print: (problem) => note(formatPaintedProblem(problem, terminal.notes)),
    note,
    maxPerKind,
  });
}

function formatPlaces(places: number, files: number): string {
  if (files > 1) return ` (in ${formatCount(files, "file")})`;
  return places > 1 ? ` (${formatNumber(places)} times in this file)` : "";
}

function formatKinds(groups: readonly WarningGroup[]): string {
  // The first kind has the most.
  const width = formatNumber(groups[0]?.count ?? 0).length;
  const kindWidth = Math.max(...groups.map(({ kind }) => kind.length));
  const lines = groups.map(
    ({ kind, count }) => `  ${formatNumber(count).padStart(width)}  ${kind.padEnd(kindWidth)}  ${PROBLEM_KINDS[kind]}`,
  );
  return ["Warnings by kind:", ...lines].join("\n");
}
