// Whether what somebody has typed is one of the answers.

/** What a field knows of its answers. */
export interface FieldAnswers {
  /** A JSON array. */
  answers: string;
  /** True where numbers are compared as such: `98,50` is 98.5. */
  isNumber: boolean;
  /** By how much a number may differ: `0.5`, or `2%` of the answer; undefined where it may not. */
  tolerance: string | undefined;
}

/** True where a text is one of the answers. Case and white space do not count. */
export function isTypedAnswer(text: string, { answers, isNumber, tolerance }: FieldAnswers): boolean {
  const typed = isNumber ? toNumber(text) : undefined;
  return readAnswers(answers).some((answer) => {
    if (fold(answer) === fold(text)) return true;
    const number = isNumber ? toNumber(answer) : undefined;
    if (typed === undefined || number === undefined) return false;
    return Math.abs(typed - number) <= toDifference(tolerance, number);
  });
}

function readAnswers(json: string): string[] {
  try {
    const answers: unknown = JSON.parse(json);
    return Array.isArray(answers) ? answers.map(String) : [];
  } catch {
    return [];
  }
}

function fold(text: string): string {
  return text.trim().replace(/\s+/g, " ").toLowerCase();
}

function toNumber(text: string): number | undefined {
  const written = text.trim().replace(",", ".").replace("\u2212", "-");
  const number = written === "" ? Number.NaN : Number(written);
  return Number.isFinite(number) ? number : undefined;
}

// 98.5 * 1.02 is not all of 2 % in binary.
function toDifference(tolerance: string | undefined, answer: number): number {
  const size = Math.abs(Number.parseFloat(tolerance ?? "0")) || 0;
  const difference = tolerance?.trim().endsWith("%") === true ? (Math.abs(answer) * size) / 100 : size;
  return difference + Math.abs(answer) * 1e-12;
}
