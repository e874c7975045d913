// What the rules of the parser know of the text that they read.
import type { StateBlock } from "markdown-it";
import { describeTooManyNodes, UnreadableText, type SourceLimits } from "../limits.ts";
import type { Problem } from "../source.ts";
import type { Answers } from "../quiz/answers.ts";
import type { MarkdownDialect } from "./dialects.ts";
import type { ChunkReading } from "./rules/chunks.ts";
import type { Cells } from "./rules/cells.ts";
import type { ComponentReading } from "./mdx/component-reading.ts";

/** Something to tell the author of a text; lines count from 1 at its start. */
export type TextRemark = { line: number } & Pick<Problem, "kind" | "message" | "tally" | "answers">;

/** What a text is to its lesson besides its HTML. */
export interface ReadParts {
  /** "" where it has no questions. */
  quizHtml: string;
  /** Undefined where the text gives none. */
  videoUrl: string | undefined;
  /** What to tell of the whole text; undefined for nothing. */
  remark: Pick<Problem, "kind" | "message" | "tally" | "answers"> | undefined;
}

/** What the rules of one format find out of a text. */
export interface TextReading {
  /** To be asked when the text is parsed. */
  finish: () => ReadParts;
}

/** What a text is written in, and how much of it is read. */
export interface MarkdownSyntax {
  dialect: MarkdownDialect;
  limits: SourceLimits;
  /** The language of the course (BCP 47), in which callouts get the titles that authors leave out. Undefined: English. */
  language?: string | undefined;
  /** What is found out of components; undefined where they are text. A new one for each parsing. */
  components?: ComponentReading | undefined;
  /** Takes what rules have to tell; undefined where nobody asks. */
  remarks?: TextRemark[] | undefined;
  /** What the rules of one format find out; undefined where nobody asks. A new one for each parsing. */
  reading?: TextReading | undefined;
  /** True where HTML holds Markdown, all but comments and code. */
  readsHtml?: boolean | undefined;
  /** Which questions tell their answers; `self-check` where absent. */
  answers?: Answers | undefined;
  /** The cells that the text consists of; undefined where it is one. */
  cells?: Cells | undefined;
  /** What is found out of the code of R Markdown; undefined where that is Markdown. */
  chunks?: ChunkReading | undefined;
}

/** A new one for each parsing, since it counts. */
export type MarkdownEnvironment = MarkdownSyntax & {
  nodes: number;
  /** What `footnotes.ts` knows of them; undefined as long as the text has none. */
  footnotes?: object | undefined;
};

/** The environment of a state of the parser. */
export function environmentOf({ env }: { env: unknown }): MarkdownEnvironment {
  return env as MarkdownEnvironment;
}

/** CommonMark 0.31 §4.4: so far in, a line is code. */
export const CODE_INDENT = 4;

/** True for a line that is code by its indentation. */
export function isIndentedCode(state: StateBlock, line: number): boolean {
  return environmentOf(state).dialect.hasIndentedCode && (state.sCount[line] ?? 0) - state.blkIndent >= CODE_INDENT;
}

/** Where a line begins behind its indentation. */
export function startOfLine(state: StateBlock, line: number): number {
  return (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
}

/** A line of a text without its indentation. */
export function readLine(state: StateBlock, line: number): string {
  return state.src.slice(startOfLine(state, line), state.eMarks[line]);
}

/** A line with which no paragraph begins. */
const BEGINS_OTHER = /^(?:[#>|<]|[-*+][ \t]|\d{1,9}[.)][ \t]|```|~~~)/;

/** Makes a line no code by its indentation where it stands below a paragraph, and would end that. */
export function keepWithText(state: StateBlock, line: number): void {
  const { sCount, blkIndent } = state;
  if (BEGINS_OTHER.test(readLine(state, line - 1))) return;
  sCount[line] = Math.min(sCount[line] ?? 0, Math.max(sCount[line - 1] ?? 0, blkIndent));
}

/** Counts a part of a text. Throws UnreadableText where it has more than it may. */
export function countNode(environment: MarkdownEnvironment): void {
  if (++environment.nodes <= environment.limits.maxNodes) return;
  throw new UnreadableText(describeTooManyNodes(environment.limits, "the Markdown"));
}
