// Reads LiaScript quizzes: lines of brackets below a question, and gaps in text.
import { UnreadableText } from "../../limits.ts";
import type { QuizChoice, QuizInput } from "../../quiz/quiz-form.ts";

/** A quiz of whole lines; texts are Markdown. */
export interface QuizBlock {
  /** One input, or one for each row of a matrix, each with its label. */
  inputs: { label: string; input: QuizInput }[];
  hints: string[];
  solution: string | undefined;
  /** The first line after the quiz. */
  end: number;
  /** True for a question without a right answer. */
  isSurvey: boolean;
}

const CHOICE = /^\s*(?:[-*+][ \t]+)?\[([[(])[ \t]*(?:([Xx]|-?\d+|:[\w-]+)[ \t]*)?[\])]\][ \t]*(?![ \t])(.*)$/;
/** Matches a matrix's column, which can contain brackets: `[:-)]`, `(f(x))`, `[![a](b.png)]`. */
const COLUMN = String.raw`\[((?:[^[\]]|\[[^[\]]*\])*)\]|\(((?:[^()]|\([^()]*\))*)\)`;
const MATRIX_HEAD = new RegExp(String.raw`^\s*(?:[-*+][ \t]+)?\[((?:[ \t]*(?:${COLUMN})){2,})[ \t]*\]\s*$`);
const MATRIX_ROW = /^\s*(?:[-*+][ \t]+)?\[((?:[ \t]*[[(][ \t]*(?:[Xx][ \t]*)?[\])]){2,})[ \t]*\][ \t]*(?![ \t])(.*)$/;
const HINT = /^\s*(?:[-*+][ \t]+)?\[\[\?\]\][ \t]*(?![ \t])(.*)$/;
/** The maximum number of lines in a solution. */
const MAX_SOLUTION = 1000;
export const STARS = /^\s*\*{3,}\s*$/;
// An answer can contain brackets, such as a[0] and \].
const GAP = /\[(->)?\[([^[\]]+|(?:\\[^]|[^[\]\\]|\[(?:[^[\]]|\[[^[\]]*\])*\]){1,4000})\]\]/y;

/** Returns a line by its number, from 0; undefined after the last line. */
export type Lines = (line: number) => string | undefined;

/** Returns the quiz at a line, if any. Throws UnreadableText if a matrix is too large. */
export function readQuizBlock(lines: Lines, start: number): QuizBlock | undefined {
  const found = readMatrix(lines, start) ?? readChoices(lines, start) ?? readWholeLine(lines, start);
  if (found === undefined) return undefined;
  return { ...found, ...readRest(lines, found.end) };
}

/** What follows a quiz: hints, a script that checks it, and a solution. */
export type QuizRest = Pick<QuizBlock, "hints" | "solution" | "end">;

/** Reads what follows a quiz. */
export function readRest(lines: Lines, start: number): QuizRest {
  const hints: string[] = [];
  let end = start;
  for (let hint = HINT.exec(lines(end) ?? ""); hint !== null; hint = HINT.exec(lines(end) ?? "")) {
    hints.push(hint[1] ?? "");
    end++;
  }
  end = skipScript(lines, end);
  const solution = readSolution(lines, end);
  return { hints, solution: solution?.text, end: solution?.end ?? end };
}

/** Skips the script that checks a quiz. */
function skipScript(lines: Lines, start: number): number {
  if (!/^\s*<script\b/i.test(lines(start) ?? "")) return start;
  for (let line = start; line - start < MAX_SOLUTION; line++) if (/<\/script/i.test(lines(line) ?? "")) return line + 1;
  return start;
}

type FoundQuiz = Omit<QuizBlock, "hints" | "solution">;

// [( )] or [[ ]] precedes each choice; indented lines below belong to the choice.
function readChoices(lines: Lines, start: number): FoundQuiz | undefined {
  const first = CHOICE.exec(lines(start) ?? "");
  if (first === null) return undefined;
  // [[X]] alone is a gap with the answer X.
  if ((first[3] ?? "") === "" && CHOICE.exec(lines(start + 1) ?? "") === null) return undefined;
  const isSingle = first[1] === "(";
  const choices: QuizChoice[] = [];
  let isSurvey = false;
  let end = start;
  for (let line = lines(end); line !== undefined; line = lines(++end)) {
    const choice = CHOICE.exec(line);
    const last = choices.at(-1);
    if (choice !== null && (choice[1] === "(") === isSingle) {
      const mark = choice[2]?.trim() ?? "";
      isSurvey ||= mark !== "" && !/^x$/i.test(mark);
      choices.push({ text: choice[3] ?? "", isCorrect: isSurvey ? undefined : /^x$/i.test(mark), feedback: undefined });
    } else if (last !== undefined && /^(?: {4,}|\t)\S/.test(line) && !HINT.test(line) && !STARS.test(line))
      last.text += `\n${line.trim()}`;
    else break;
  }
  return { inputs: [{ label: "", input: { kind: "choices", isSingle, choices } }], end, isSurvey };
}

/** The maximum number of cells in a matrix, since each row repeats the columns' text. */
const MAX_CELLS = 100_000;
const TOO_MANY_CELLS = "too large: a LiaScript matrix is limited to 100,000 cells";

// Reads a head such as [[a] [b] [c]] above rows such as [[X] [ ] [ ]] and [( ) (X) ( )].
function readMatrix(lines: Lines, start: number): FoundQuiz | undefined {
  const head = MATRIX_HEAD.exec(lines(start) ?? "");
  if (head === null || MATRIX_ROW.exec(lines(start + 1) ?? "") === null) return undefined;
  const columns = Array.from((head[1] ?? "").matchAll(new RegExp(COLUMN, "g")), ([, a, b]) => (a ?? b ?? "").trim());
  const inputs: QuizBlock["inputs"] = [];
  let end = start + 1;
  let cellCount = 0;
  for (let row = MATRIX_ROW.exec(lines(end) ?? ""); row !== null; row = MATRIX_ROW.exec(lines(end) ?? "")) {
    cellCount += columns.length;
    if (cellCount > MAX_CELLS) throw new UnreadableText(TOO_MANY_CELLS);
    const cells = Array.from((row[1] ?? "").matchAll(/([[(])[ \t]*(?:([Xx])[ \t]*)?[\])]/g));
    const choices = columns.map((text, index): QuizChoice => {
      return { text, isCorrect: /x/i.test(cells[index]?.[2] ?? ""), feedback: undefined };
    });
    inputs.push({ label: row[2] ?? "", input: { kind: "choices", isSingle: cells[0]?.[1] === "(", choices } });
    end++;
  }
  return { inputs, end, isSurvey: false };
}

// Reads an input without text beside it: [[answer]], [[(a)|b]] over several lines, [[!]] or [[___ ___]].
function readWholeLine(lines: Lines, start: number): FoundQuiz | undefined {
  const line = lines(start) ?? "";
  if (!/^\s*(?:[-*+][ \t]+)?\[(?:->)?\[(?!\?\])/.test(line)) return undefined;
  let text = line.trim().replace(/^[-*+][ \t]+/, "");
  let end = start + 1;
  // Alternatives can be on separate lines.
  for (; !text.includes("]]") && end - start < 50; end++) {
    const more = (lines(end) ?? "").trim();
    if (more === "" || more.includes("[")) break;
    text += ` ${more}`;
  }
  const gap = readGap(text, 0);
  if (gap === undefined || text.slice(gap.end).trim() !== "") return undefined;
  return { inputs: [{ label: "", input: gap.input }], end, isSurvey: gap.isSurvey };
}

/** Returns true for text with a gap. */
export function hasGap(text: string): boolean {
  return text.matchAll(/\[(?:->)?\[/g).some(({ index }) => readGap(text, index) !== undefined);
}

/** An input within text. */
export interface Gap {
  input: QuizInput;
  end: number;
  isSurvey: boolean;
}

/** Returns the input at `start`; undefined for other brackets. */
export function readGap(text: string, start: number): Gap | undefined {
  GAP.lastIndex = start;
  const gap = GAP.exec(text);
  const inner = gap?.[2]?.trim() ?? "";
  if (gap === null || inner === "" || inner === "?") return undefined;
  const { lastIndex: end } = GAP;
  if (/^_{3,}(?:[ \t]+_{3,})*$/.test(inner)) {
    return { input: { kind: "text", isNumber: false, isLong: inner.includes(" "), answers: [] }, end, isSurvey: true };
  }
  if (inner === "!") return { input: { kind: "text", isNumber: false, answers: [] }, end, isSurvey: false };
  const parts = inner.split(/(?<!\\)\|/).map((part) => part.trim());
  if (parts.length === 1) {
    const answer = unescapeGap(parts[0] ?? "");
    return {
      input: { kind: "text", isNumber: /^-?\d+(?:[.,]\d+)?$/.test(answer), answers: [answer] },
      end,
      isSurvey: false,
    };
  }
  const choices = parts.map((part): QuizChoice => {
    const right = /^\((.*)\)$/s.exec(part);
    return { text: unescapeGap(right?.[1] ?? part), isCorrect: right !== null, feedback: undefined };
  });
  return { input: { kind: "menu", choices }, end, isSurvey: false };
}

function unescapeGap(text: string): string {
  return text.replace(/\\([|()[\]@])/g, "$1");
}

// The solution is between two lines of stars below the quiz.
function readSolution(lines: Lines, start: number): { text: string; end: number } | undefined {
  let at = start;
  while (at - start < 2 && lines(at)?.trim() === "") at++;
  if (!STARS.test(lines(at) ?? "")) return undefined;
  let end = at + 1;
  // Stars farther down belong to another quiz.
  while (end - at < MAX_SOLUTION && !STARS.test(lines(end) ?? "")) end++;
  if (!STARS.test(lines(end) ?? "")) return undefined;
  const text = Array.from({ length: end - at - 1 }, (_, index) => lines(at + 1 + index)).join("\n");
  return { text: text.trim(), end: end + 1 };
}
