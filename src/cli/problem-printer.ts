import type { Problem } from "../content/source.ts";
import { formatCount } from "./format.ts";
import type { Terminal } from "./terminal.ts";

/**
 * More errors than this, and more warnings than this, are only counted. They are counted separately, so that warnings never
 * hide an error.
 */
const MAX_SHOWN = 1000;

/** Prints the problems of a source as they are found, and counts them. */
export class ProblemPrinter {
  errors = 0;
  warnings = 0;
  readonly #terminal: Terminal;
  readonly #print: (problem: Problem) => void;

  constructor(terminal: Terminal, print: (problem: Problem) => void) {
    this.#terminal = terminal;
    this.#print = print;
  }

  report(problem: Problem): void {
    const count = problem.severity === "error" ? ++this.errors : ++this.warnings;
    if (count <= MAX_SHOWN) this.#print(problem);
  }

  /** Notes how many problems were only counted. */
  finish(): void {
    const hidden = Math.max(0, this.errors - MAX_SHOWN) + Math.max(0, this.warnings - MAX_SHOWN);
    if (hidden > 0) this.#terminal.note(`... and ${formatCount(hidden, "more problem")}`);
  }
}
