import { styleText } from "node:util";
import { formatProblem, type Problem } from "../../content/source.ts";
import type { Display } from "./terminal.ts";

export function paint(
  text: string,
  color: "bold" | "dim" | "red" | "yellow",
  { hasColors }: Pick<Display, "hasColors">,
): string {
  return hasColors ? styleText(color, text, { validateStream: false }) : text;
}

export function formatPaintedProblem(problem: Problem, display: Display): string {
  const { severity } = problem;
  const word = paint(severity, severity === "error" ? "red" : "yellow", display);
  return formatProblem(problem).replace(`: ${severity}: `, () => `: ${word}: `);
}
