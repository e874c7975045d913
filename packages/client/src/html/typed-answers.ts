// Compares typed text with the answers of a field.

/** The accepted answers of a field. */
export interface FieldAnswers {
  /** The answers as a JSON array. */
  answers: string;
  /** True to compare numbers: `98,50` equals 98.5. */
  isNumber: boolean;
  /** The allowed difference for a number: `0.5`, or `2%` of the answer; undefined for none. */
  tolerance: string | undefined;
}

/** Returns true if the text is one of the answers, ignoring case and white space. */
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

// Allows for rounding: in binary, 0.4 - 0.3 is greater than 0.1.
function toDifference(tolerance: string | undefined, answer: number): number {
  const size = Math.abs(Number.parseFloat(tolerance ?? "0")) || 0;
  const difference = tolerance?.trim().endsWith("%") === true ? (Math.abs(answer) * size) / 100 : size;
  return difference + Math.abs(answer) * 1e-12;
}
