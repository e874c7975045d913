import { formatProblem, type Problem } from "../content/source.ts";
import type { Display } from "./terminal.ts";

/** SGR parameters (ECMA-48 §8.3.117): how each begins and ends. */
const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

export type Paint = keyof typeof CODES;

/** Text in a colour where it is shown in colours. It must say the same without. */
export function paint(text: string, color: Paint, { hasColors }: Pick<Display, "hasColors">): string {
  const [begin, end] = CODES[color];
  return hasColors ? `\u001b[${begin}m${text}\u001b[${end}m` : text;
}

/** One line for a problem, and one for each hint, with its severity in a colour. */
export function formatPaintedProblem(problem: Problem, display: Display): string {
  const { severity } = problem;
  const word = paint(severity, severity === "error" ? "red" : "yellow", display);
  return formatProblem(problem).replace(`: ${severity}: `, () => `: ${word}: `);
}
