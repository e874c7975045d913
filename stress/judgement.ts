/** The result of one part of the stress run. */
export interface Judgement {
  /** Undefined for figures without a limit, such as times in the short form, which runs on any machine. */
  isHeld: boolean | undefined;
  /** The promise, with figures. */
  text: string;
}

/** Formats a line of the report. */
export function formatJudgement({ isHeld, text }: Judgement): string {
  const word = isHeld === undefined ? "seen  " : isHeld ? "held  " : "MISSED";
  return `${word} ${text}`;
}

/** Returns a judgement that holds if there are no faults, and otherwise lists them. */
export function judgeAll(promise: string, faults: readonly string[]): Judgement {
  return { isHeld: faults.length === 0, text: [promise, ...faults.map((fault) => `  ${fault}`)].join("\n") };
}
