// Detects answers in notebooks by nbgrader's marks,
// https://nbgrader.readthedocs.io/en/stable/user_guide/creating_and_grading_assignments.html
import type { Cell } from "./notebook-cells.ts";

const MARKS = [
  { begin: "BEGIN SOLUTION", end: "END SOLUTION" },
  { begin: "BEGIN HIDDEN TESTS", end: "END HIDDEN TESTS" },
];
const MARK = /^[\s#/%*<!-]*###\s*(BEGIN|END)\s+(SOLUTION|HIDDEN\s+TESTS)\b/;

/** Returns true for a cell with an answer: hides its outputs and attachments. */
export function holdsAnswer({ lines, isSolution, tags }: Cell): boolean {
  return isSolution || tags.has("solution") || lines.some((line) => MARK.test(line));
}

/** Returns a cell's lines without answers, and their line numbers. An answer cell without marks becomes empty. */
export function withoutAnswers(cell: Cell): { lines: string[]; fileLines: number[] } {
  const lines: string[] = [];
  const fileLines: number[] = [];
  let until: string | undefined;
  let hasMarks = false;
  for (const [index, line] of cell.lines.entries()) {
    const [, edge, what] = MARK.exec(line) ?? [];
    const mark = MARKS.find(({ begin }) => edge !== undefined && begin.endsWith(what?.replace(/\s+/, " ") ?? ""));
    if (mark !== undefined) {
      hasMarks = true;
      // An unclosed answer extends to the end.
      until = edge === "BEGIN" ? mark.end : undefined;
    } else if (until === undefined) {
      lines.push(line);
      fileLines.push(cell.fileLines[index] ?? 1);
    }
  }
  return hasMarks || !holdsAnswer(cell) ? { lines, fileLines } : { lines: [], fileLines: [] };
}
