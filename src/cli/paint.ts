import { styleText } from "node:util";
import { formatProblem, type Problem } from "../content/source.ts";
import type { Display } from "./terminal.ts";

/** Text in a colour where it is shown in colours. It must say the same without. */
export function paint(
  text: string,
  color: "bold" | "dim" | "red" | "yellow",
  { hasColors }: Pick<Display, "hasColors">,
): string {
  return hasColors ? styleText(color, text, { validateStream: false }) : text;
}

/** One line for a problem, and one for each hint, with its severity in a colour. */
export function formatPaintedProblem(problem: Problem, display: Display): string {
  const { severity } = problem;
  const word = paint(severity, severity === "error" ? "red" : "yellow", display);
  return formatProblem(problem).replace(`: ${severity}: `, () => `: ${word}: `);
}
