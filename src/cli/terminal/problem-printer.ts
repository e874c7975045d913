// Prints errors when they are found, and warnings by kind at the end.
import { toPrintable } from "../../catalog/printable.ts";
import { PROBLEM_KINDS, type ProblemKind } from "../../content/problem-kinds.ts";
import { AnswerTally } from "../../content/quiz/answers.ts";
import type { Problem } from "../../content/source.ts";
import { Tally } from "../../content/tally.ts";
import { formatCount, formatNumber, formatPaintedProblem } from "./format.ts";
import type { Terminal } from "./terminal.ts";

/** Further errors, and further causes of each kind of warning, are only counted. */
const MAX_ERRORS = 1000;
const MAX_CAUSES = 20;

interface ProblemOutput {
  print: (problem: Problem) => void;
  note: (text: string) => void;
  /**
   * `all` prints every problem at once; `merged` and `mixed` print one warning for each cause; `mixed` alternates
   * kinds.
   */
  mode: "all" | "merged" | "mixed";
}

/** Warnings with the same cause; `problem` is the first of them. */
interface Cause {
  problem: Problem;
  places: number;
  files: number;
  lastFile: string;
  /** False if any of the warnings names a different link or value than the first. */
  isSame: boolean;
}

interface WarningKind {
  kind: ProblemKind;
  count: number;
  causes: Map<string, Cause>;
  /** The number of warnings with causes beyond MAX_CAUSES. */
  others: number;
}

export class ProblemPrinter {
  errors = 0;
  warnings = 0;
  #isFinished = false;
  readonly #output: ProblemOutput;
  readonly #kinds = new Map<ProblemKind, WarningKind>();
  readonly #tally = new Tally();
  readonly #answers = new AnswerTally();

  constructor(output: ProblemOutput) {
    this.#output = output;
  }

  report(problem: Problem): void {
    this.#tally.add(problem);
    if (problem.answers !== undefined) this.#answers.add(problem.answers);
    const { print, mode } = this.#output;
    if (problem.severity === "error") {
      this.errors++;
      if (mode === "all" || this.errors <= MAX_ERRORS) print(problem);
    } else if (problem.severity === "warning") {
      this.warnings++;
      this.#count(problem);
      if (mode === "all") print(problem);
    }
  }

  /** Prints warnings and summaries. Further calls do nothing. */
  finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    const { note, mode } = this.#output;
    const kinds = [...this.#kinds.values()].sort((a, b) => b.count - a.count);
    if (mode !== "all") this.#printMerged(kinds);
    if (kinds.length > 1) note(formatKinds(kinds));
    for (const statement of [this.#tally.format(), this.#answers.format()]) {
      if (statement !== undefined) note(toPrintable(statement));
    }
  }

  #count(problem: Problem): void {
    const { kind, file } = problem;
    const counted = this.#kinds.get(kind) ?? { kind, count: 0, causes: new Map<string, Cause>(), others: 0 };
    this.#kinds.set(kind, counted);
    counted.count++;
    const name = nameCause(problem);
    const cause = counted.causes.get(name);
    if (cause !== undefined) {
      cause.places++;
      if (cause.lastFile !== file) cause.files++;
      cause.lastFile = file;
      cause.isSame &&= withoutCount(problem) === withoutCount(cause.problem);
    } else if (counted.causes.size < MAX_CAUSES) {
      counted.causes.set(name, { problem, places: 1, files: 1, lastFile: file, isSame: true });
    } else counted.others++;
  }

  #printMerged(kinds: readonly WarningKind[]): void {
    const { print, note, mode } = this.#output;
    const causes = kinds.flatMap((kind) => [...kind.causes.values()].map((cause, round) => ({ cause, round })));
    if (mode === "mixed") causes.sort((a, b) => a.round - b.round);
    for (const { cause } of causes) print({ ...cause.problem, message: cause.problem.message + formatPlaces(cause) });
    const errors = Math.max(0, this.errors - MAX_ERRORS);
    const others = kinds.reduce((sum, kind) => sum + kind.others, 0);
    const more = [
      errors > 0 ? formatCount(errors, "more error") : "",
      others > 0 ? formatCount(others, "more warning") : "",
    ];
    if (errors + others > 0) note(`... and ${more.filter((part) => part !== "").join(", ")}`);
    const isCut = errors + others > 0 || causes.some(({ cause }) => cause.places > 1);
    if (isCut && mode === "merged") note("--verbose prints every place, as `lectern check` does.");
  }
}

export function createNotePrinter(terminal: Terminal, isVerbose = false): ProblemPrinter {
  const note = (text: string): void => terminal.note(text);
  const print = (problem: Problem): void => note(formatPaintedProblem(problem, terminal.notes));
  return new ProblemPrinter({ print, note, mode: isVerbose ? "all" : "merged" });
}

// Names the cause of a warning: the message without quoted texts, paths and numbers.
function nameCause({ message }: Problem): string {
  return message.replace(/ \(\d+ times in this \w+\)|"[^"]*"|(?<![\w<])[^\s"<]*[./][^\s"]*|\d+/g, "");
}

function withoutCount({ message }: Problem): string {
  return message.replace(/ \(\d+ times in this \w+\)/, "");
}

function formatPlaces({ places, files, isSame }: Cause): string {
  if (places === 1) return "";
  const where = files > 1 ? `in ${formatCount(files, "file")}` : "in this file";
  return isSame ? ` (${formatNumber(places)} times ${where})` : ` (and ${formatCount(places - 1, "other")} ${where})`;
}

function formatKinds(kinds: readonly WarningKind[]): string {
  const width = formatNumber(kinds[0]?.count ?? 0).length;
  const kindWidth = Math.max(...kinds.map(({ kind }) => kind.length));
  const lines = kinds.map(
    ({ kind, count }) =>
      `  ${formatNumber(count).padStart(width)}  ${kind.padEnd(kindWidth)}  ${PROBLEM_KINDS[kind].about}`,
  );
  return ["Warnings by kind:", ...lines].join("\n");
}
