// Finds the answers in cells of notebooks.
import { ANSWER_LINE, ANSWER_MARK } from "../answer-marks.ts";
import type { Cell } from "./notebook-cells.ts";

type AnswerCell = Pick<Cell, "lines" | "fileLines" | "isSolution" | "tags">;

/** Returns true for a line that begins or ends an answer. */
export function isAnswerMark(line: string): boolean {
  return ANSWER_MARK.test(line);
}

/** Returns true for a cell with an answer; its outputs and attachments can reveal the answer. */
export function holdsAnswer({ lines, isSolution, tags }: AnswerCell): boolean {
  return isSolution || tags.has("solution") || lines.some((line) => isAnswerMark(line) || ANSWER_LINE.test(line));
}

/** Makes solutions of the cells between raw cells with the marks of answers: https://otter-grader.readthedocs.io */
export function markSolutions(cells: readonly Cell[]): void {
  let isInside = false;
  for (const cell of cells) {
    const marks = cell.kind === "raw" ? cell.lines.flatMap((line) => ANSWER_MARK.exec(line)?.[1] ?? []) : [];
    if (marks.length > 0) isInside = marks.at(-1) === "BEGIN";
    else if (isInside) cell.isSolution = true;
  }
}

/**
 * Returns a cell's lines without answers, and their line numbers in the file. A solution cell becomes empty if no marks
 * show where its solution begins.
 */
export function withoutAnswers(cell: AnswerCell): { lines: string[]; fileLines: number[] } {
  const lines: string[] = [];
  const fileLines: number[] = [];
  let isInside = false;
  let marksSolution = false;
  for (const [index, line] of cell.lines.entries()) {
    const [, edge, what] = ANSWER_MARK.exec(line) ?? [];
    if (edge !== undefined) {
      marksSolution ||= what === "SOLUTION";
      // An unclosed answer extends to the end of the cell.
      isInside = edge === "BEGIN";
    } else if (!isInside && !ANSWER_LINE.test(line)) {
      lines.push(line);
      fileLines.push(cell.fileLines[index] ?? 1);
    }
  }
  const isWhole = (cell.isSolution || cell.tags.has("solution")) && !marksSolution;
  return isWhole ? { lines: [], fileLines: [] } : { lines, fileLines };
}
