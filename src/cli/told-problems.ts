import { formatProblem, type Problem } from "../content/source.ts";

/** Beyond these a problem may be told in each round. */
const MAX_KNOWN = 100_000;

/** Tells problems of a source that is read again from those that were found in it before. */
export class ToldProblems {
  #before = new Set<number | bigint>();
  #now = new Set<number | bigint>();

  isNew(problem: Problem): boolean {
    const hash = Bun.hash(formatProblem(problem));
    if (this.#now.size < MAX_KNOWN) this.#now.add(hash);
    return !this.#before.has(hash);
  }

  /** The source is read once more from now on. */
  beginRound(): void {
    this.#before = this.#now;
    this.#now = new Set();
  }
}
