// Reads the cells of notebooks in text form: code cells, and Markdown cells separated by `+++`.
// https://jupytext.readthedocs.io/en/latest/formats-markdown.html#myst-markdown
import type { Token } from "markdown-it";
import { holdsAnswer, isAnswerMark, withoutAnswers } from "../../lesson-files/notebook-answers.ts";
import { readDirective, readWords, type Directive } from "./myst-syntax.ts";

const toTags = (list: string): Set<string> => new Set(readWords(list.toLowerCase().replaceAll("_", "-")));

/** Reads a code cell: all its lines, and the lines to publish if answers are withheld. */
export function readCodeCell({ options, body }: Directive) {
  const lines = body.split("\n");
  // mystmd also accepts options in comments: `#| tags: hide-input`
  const above = lines.findIndex((line) => !line.startsWith("#|"));
  const written = lines.splice(0, Math.max(above, 0)).map((line) => /^#\|\s*tags:(.*)$/.exec(line)?.[1] ?? "");
  const tags = toTags([options.get("tags") ?? "", ...written].join(" "));
  const isSolution = options.get("solution") === "true" || isMarked(options.get("nbgrader") ?? "");
  const cell = { lines, fileLines: [], tags, isSolution };
  return { tags, lines, isAnswer: holdsAnswer(cell), published: withoutAnswers(cell).lines };
}

const isMarked = (metadata: string): boolean => /["']?\bsolution["']?\s*:\s*true\b/.test(metadata);

/** Tokens that readers see only if answers are published, or never. */
export interface Hidden {
  end: number;
  isAnswer: boolean;
}

/**
 * Finds a Markdown cell with `+++ {"tags": ["remove-cell"]}`, one that is an answer, or text between an answer's marks.
 * The end of a published answer is its start.
 */
export function readHidden(tokens: readonly Token[], start: number, publishesAnswers: boolean): Hidden | undefined {
  const { type, content, level } = tokens[start] as Token;
  const isMark = type === "heading_open" && isAnswerMark(`#${tokens[start + 1]?.content}`);
  if (type !== "myst_break" && !isMark) return undefined;
  const tags = toTags(/"tags"\s*:\s*\[([^\]]*)/.exec(content)?.[1] ?? "");
  const isAnswer = isMark || tags.has("solution") || isMarked(content);
  if (!isAnswer && !tags.has("remove-cell") && !tags.has("remove-input")) return undefined;
  if (isAnswer && publishesAnswers) return { end: start, isAnswer };
  let end = start + 1;
  for (; end < tokens.length; end++) {
    const token = tokens[end] as Token;
    if (token.level < level) break;
    if (isMark && token.type === "heading_close" && isEnd(tokens[end - 1])) return { end: end + 1, isAnswer };
    if (token.level !== level) continue;
    if (token.type === "myst_break" || (token.type === "fence" && readDirective(token, 0)?.name === "code-cell")) break;
  }
  return { end, isAnswer };
}

const isEnd = (heading: Token | undefined): boolean => heading !== undefined && /^END\b/.test(heading.content);
