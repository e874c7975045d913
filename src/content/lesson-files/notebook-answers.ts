// Which parts of a notebook are answers: nbgrader's marks, https://nbgrader.readthedocs.io/en/stable/user_guide/creating_and_grading_assignments.html
import type { Cell } from "./notebook-cells.ts";

const MARKS = [
  { begin: "BEGIN SOLUTION", end: "END SOLUTION" },
  { begin: "BEGIN HIDDEN TESTS", end: "END HIDDEN TESTS" },
];
const MARK = /^[\s#/%*<!-]*###\s*(BEGIN|END)\s+(SOLUTION|HIDDEN\s+TESTS)\b/;

/** True where a cell holds an answer, so that neither its outputs nor its attachments are shown. */
export function holdsAnswer({ lines, isSolution, tags }: Cell): boolean {
  return isSolution || tags.has("solution") || lines.some((line) => MARK.test(line));
}

/** The lines of a cell without its answers, and the numbers of those that stay. One without marks that is an answer has none left. */
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
      // What is never closed is an answer to its end.
      until = edge === "BEGIN" ? mark.end : undefined;
    } else if (until === undefined) {
      lines.push(line);
      fileLines.push(cell.fileLines[index] ?? 1);
    }
  }
  return hasMarks || !holdsAnswer(cell) ? { lines, fileLines } : { lines: [], fileLines: [] };
}
