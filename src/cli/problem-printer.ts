import type { Problem } from "../content/source.ts";
import { formatCount } from "./format.ts";

/**
 * More errors than this, and more warnings than this, are only counted. They are counted separately, so that warnings never
 * hide an error.
 */
const MAX_SHOWN = 1000;

/** Prints the problems of a source as they are found, and counts them. */
export class ProblemPrinter {
  errors = 0;
  warnings = 0;
  readonly #print: (problem: Problem) => void;

  constructor(print: (problem: Problem) => void) {
    this.#print = print;
  }

  report(problem: Problem): void {
    const count = problem.severity === "error" ? ++this.errors : ++this.warnings;
    if (count <= MAX_SHOWN) this.#print(problem);
  }

  /** Prints on standard error how many problems were only counted. */
  finish(): void {
    const hidden = Math.max(0, this.errors - MAX_SHOWN) + Math.max(0, this.warnings - MAX_SHOWN);
    if (hidden > 0) console.error(`... and ${formatCount(hidden, "more problem")}`);
  }
}
