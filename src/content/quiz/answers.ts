// Decides, for every format, which questions publish their answers.

/** The values of `--answers`, from fewest to most published answers. */
export const ANSWERS = ["none", "self-check", "all"] as const;
export type Answers = (typeof ANSWERS)[number];

/** On its original site, a self-check shows readers the answer, as MDX's `Question` does. */
export type QuestionKind = "self-check" | "question";

/** The number of a lesson's questions with answers, and whether these answers are published. */
export interface AnswerCount {
  kind: QuestionKind;
  count: number;
  isTold: boolean;
}

/** Returns true if questions of this kind publish their right answers and explanations. */
export function publishesAnswers(answers: Answers, kind: QuestionKind): boolean {
  return answers === "all" || (answers === "self-check" && kind === "self-check");
}

/** Counts the questions with answers in an import. */
export class AnswerTally {
  readonly #told = { "self-check": 0, question: 0 };
  readonly #withheld = { "self-check": 0, question: 0 };

  add({ kind, count, isTold }: AnswerCount): void {
    (isTold ? this.#told : this.#withheld)[kind] += count;
  }

  /**
   * Returns a summary such as `answers: in 251 self-checks; withheld in 24 questions, --answers all publishes them`, if
   * there are questions.
   */
  format(): string | undefined {
    const [told, withheld] = [formatCounts(this.#told), formatCounts(this.#withheld)];
    const value: Answers = this.#withheld.question === 0 ? "self-check" : "all";
    const parts = [
      told === "" ? "" : `in ${told}`,
      withheld === "" ? "" : `withheld in ${withheld}, --answers ${value} publishes them`,
    ].filter((part) => part !== "");
    return parts.length === 0 ? undefined : `answers: ${parts.join("; ")}`;
  }
}

function formatCounts(counts: Record<QuestionKind, number>): string {
  return (["self-check", "question"] as const)
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${counts[kind].toLocaleString("en-US")} ${kind}${counts[kind] === 1 ? "" : "s"}`)
    .join(" and ");
}
