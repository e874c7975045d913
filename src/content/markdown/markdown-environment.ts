// The parser's environment: facts about the text that the rules need.
import type { StateBlock } from "markdown-it";
import { describeTooLarge, describeTooManyNodes, UnreadableText, type SourceLimits } from "../limits.ts";
import type { Problem } from "../source.ts";
import type { Answers } from "../quiz/answers.ts";
import type { MarkdownDialect } from "./dialects.ts";
import type { ChunkReading } from "./rules/chunks.ts";
import type { Cells } from "./rules/cells.ts";
import type { ComponentReading } from "./mdx/component-reading.ts";

/** A remark for the author; lines count from 1. */
export type TextRemark = { line: number } & Pick<Problem, "kind" | "message" | "tally" | "answers">;

/** What a text adds to its lesson besides HTML. */
export interface ReadParts {
  /** The quiz; "" without questions. */
  quizHtml: string;
  /** The URL of the video, if any. */
  videoUrl: string | undefined;
  /** A remark on the whole text, if any. */
  remark: Pick<Problem, "kind" | "message" | "tally" | "answers"> | undefined;
}

/** Collects one format's findings during parsing. */
export interface TextReading {
  /** Call this method after parsing. */
  finish: () => ReadParts;
}

/** A text's syntax and limits. */
export interface MarkdownSyntax {
  dialect: MarkdownDialect;
  limits: SourceLimits;
  /** The course's language (BCP 47), for default callout titles; English if undefined. */
  language?: string | undefined;
  /** Collects findings on components; undefined leaves components as text. Create one per parse. */
  components?: ComponentReading | undefined;
  /** Receives the rules' remarks, if given. */
  remarks?: TextRemark[] | undefined;
  /** Receives the text of each label, if given. */
  labels?: Map<string, string> | undefined;
  /** Collects the findings of the format's own rules. Create one per parse. */
  reading?: TextReading | undefined;
  /** True to parse Markdown in HTML, except comments and code. */
  readsHtml?: boolean | undefined;
  /** Which questions publish their answers; `self-check` by default. */
  answers?: Answers | undefined;
  /** The notebook cells in the text; undefined for text that is not a notebook. */
  cells?: Cells | undefined;
  /** Collects findings on R Markdown's code; undefined for other text. */
  chunks?: ChunkReading | undefined;
}

/** Create an environment for each parse, since it counts the nodes of that parse. */
export type MarkdownEnvironment = MarkdownSyntax & {
  nodes: number;
  /** The length of the texts that rules repeat. */
  repeated?: number | undefined;
  /** The state of `footnotes.ts`. */
  footnotes?: object | undefined;
};

export function environmentOf({ env }: { env: unknown }): MarkdownEnvironment {
  return env as MarkdownEnvironment;
}

/** The indentation of indented code (CommonMark 0.31 §4.4). */
export const CODE_INDENT = 4;

/** Returns true for a line of indented code. */
export function isIndentedCode(state: StateBlock, line: number): boolean {
  return environmentOf(state).dialect.hasIndentedCode && (state.sCount[line] ?? 0) - state.blkIndent >= CODE_INDENT;
}

/** Returns the offset after a line's indentation. */
export function startOfLine(state: StateBlock, line: number): number {
  return (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
}

/** Returns a line without its indentation. */
export function readLine(state: StateBlock, line: number): string {
  return state.src.slice(startOfLine(state, line), state.eMarks[line]);
}

/** Matches the start of blocks other than paragraphs. */
const BEGINS_OTHER = /^(?:[#>|<]|[-*+][ \t]|\d{1,9}[.)][ \t]|```|~~~)/;

/** Keeps an indented line below a paragraph from becoming code. */
export function keepWithText(state: StateBlock, line: number): void {
  const { sCount, blkIndent } = state;
  if (BEGINS_OTHER.test(readLine(state, line - 1))) return;
  sCount[line] = Math.min(sCount[line] ?? 0, Math.max(sCount[line - 1] ?? 0, blkIndent));
}

/** Counts a node, which takes twice the memory of one in YAML. Throws UnreadableText beyond half of the limit. */
export function countNode(environment: MarkdownEnvironment): void {
  const maxNodes = environment.limits.maxNodes / 2;
  if (++environment.nodes <= maxNodes) return;
  throw new UnreadableText(describeTooManyNodes(maxNodes, "the Markdown", "half of --max-nodes"));
}

/** Counts a text that a rule repeats, such as that of a label at each link. Throws UnreadableText beyond the limit. */
export function countRepeated(environment: MarkdownEnvironment, { length }: Pick<string, "length">): void {
  const { maxLessonBytes } = environment.limits;
  environment.repeated = (environment.repeated ?? 0) + length;
  if (environment.repeated <= maxLessonBytes) return;
  const what = "the texts that a lesson repeats";
  throw new UnreadableText(describeTooLarge(environment.repeated, maxLessonBytes, what, "max-lesson-size"));
}
