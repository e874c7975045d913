/** What a part of the stress run found. */
export interface Judgement {
  /** Undefined where it is only told: a time, in the short form, which may run on any machine beside anything. */
  isHeld: boolean | undefined;
  /** What was promised, and the figures. */
  text: string;
}

/** One line of the report. */
export function formatJudgement({ isHeld, text }: Judgement): string {
  const word = isHeld === undefined ? "seen  " : isHeld ? "held  " : "MISSED";
  return `${word} ${text}`;
}

/** Held where there are no faults; else they are told. */
export function judgeAll(promise: string, faults: readonly string[]): Judgement {
  return { isHeld: faults.length === 0, text: [promise, ...faults.map((fault) => `  ${fault}`)].join("\n") };
}
