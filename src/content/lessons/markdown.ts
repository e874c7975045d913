// Markdown to HTML, and the places of its links.
import type { Token } from "markdown-it";
import type { LinedLink } from "../placed/placed-course.ts";
import { LinkMarks } from "./link-marks.ts";
import { parseMarkdown, renderTokens, visitTokens, type MarkdownSyntax } from "./markdown-parser.ts";

export interface RenderedMarkdown {
  /** With its links as they were written. */
  html: string;
  /** Those of them that are relative, in their order; lines count from 1 at the start of the Markdown. */
  links: LinedLink[];
  /** The text of the first level-1 heading; undefined when there is none. */
  title: string | undefined;
}

/** Renders Markdown with HTML, tables and fenced code. Throws UnreadableText. */
export function renderMarkdown(markdown: string, syntax: MarkdownSyntax): RenderedMarkdown {
  const tokens = parseMarkdown(markdown, syntax);
  const title = findTitle(tokens);
  const marks = new LinkMarks();
  visitTokens(tokens, syntax, (token, line) => marks.mark(token, line));
  return { ...marks.take(renderTokens(tokens)), title };
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
