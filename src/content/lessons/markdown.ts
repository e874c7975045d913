// Markdown to HTML, and the places of its links.
import type { Token } from "markdown-it";
import type { LinedLink } from "../placed/placed-course.ts";
import { LinkMarks } from "./link-marks.ts";
import { placeQuestions, type QuizPlace } from "./mdx-quiz.ts";
import { parseMarkdown, renderTokens, visitTokens, type MarkdownSyntax } from "./markdown-parser.ts";

export interface RenderedMarkdown {
  /** With its links as they were written. */
  html: string;
  /** Those of them that are relative, in their order; lines count from 1 at the start of the Markdown. */
  links: LinedLink[];
  /** The text of the first level-1 heading; undefined when there is none. */
  title: string | undefined;
  /** "" where the text has no questions. */
  quizHtml: string;
}

export interface MarkdownOptions extends MarkdownSyntax {
  /** Where questions are shown that the text holds; "quiz" where absent. */
  quizPlace?: QuizPlace;
}

/** Renders Markdown with HTML, tables and fenced code. Throws UnreadableText. */
export function renderMarkdown(markdown: string, options: MarkdownOptions): RenderedMarkdown {
  const tokens = parseMarkdown(markdown, options);
  const title = findTitle(tokens);
  const { marks, quizPlace = "quiz" } = options;
  const quizHtml = marks === undefined ? "" : placeQuestions(tokens, { ...options, marks }, quizPlace);
  const linkMarks = new LinkMarks();
  visitTokens(tokens, options, (token, line) => linkMarks.mark(token, line));
  return { ...linkMarks.take(renderTokens(tokens)), title, quizHtml };
}

function findTitle(tokens: Token[]): string | undefined {
  const heading = tokens.findIndex((token) => token.type === "heading_open" && token.tag === "h1");
  const title = toText(tokens[heading + 1]?.children ?? []).trim();
  return heading === -1 || title === "" ? undefined : title;
}

/** The text of inline tokens, without their markup. */
export function toText(tokens: Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === "text" || token.type === "text_special" || token.type === "code_inline") return token.content;
      if (token.type === "image") return toText(token.children ?? []);
      return token.type === "softbreak" || token.type === "hardbreak" ? " " : "";
    })
    .join("");
}
