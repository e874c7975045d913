// Markdown to HTML, with its links resolved.
import type { Token } from "markdown-it";
import { createLineCounter } from "../html/line-counter.ts";
import { resolveLinks, resolveUrl, type RelativeLink } from "../html/links.ts";
import { parseMarkdown, renderTokens, visitTokens, type MarkdownSyntax } from "./markdown-parser.ts";

export interface RenderedMarkdown {
  html: string;
  /** The text of the first level-1 heading; undefined when there is none. */
  title: string | undefined;
}

export interface MarkdownOptions extends MarkdownSyntax {
  linkBase: URL | undefined;
  /** Called with each relative link and its line, from 1 at the start of the Markdown. */
  onRelative: (link: RelativeLink, line: number) => void;
}

/** Renders Markdown with HTML, tables and fenced code; links are resolved as `resolveLinks` does. Throws UnreadableText. */
export function renderMarkdown(markdown: string, options: MarkdownOptions): RenderedMarkdown {
  const tokens = parseMarkdown(markdown, options);
  visitTokens(tokens, options, (token, line) => resolveTokenLinks(token, line, options));
  return { html: renderTokens(tokens), title: findTitle(tokens) };
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

function resolveTokenLinks(token: Token, line: number, { linkBase, onRelative }: MarkdownOptions): void {
  const resolveAttribute = (tag: string, attribute: string): void => {
    const url = String(token.attrGet(attribute) ?? "");
    const onRelativeUrl = (isResolved: boolean): void =>
      onRelative({ tag, attribute, value: decodeForPeople(url), isResolved }, line);
    token.attrSet(attribute, resolveUrl(url, linkBase, onRelativeUrl));
  };
  if (token.type === "link_open") resolveAttribute("a", "href");
  if (token.type === "image") resolveAttribute("img", "src");
  if (token.type !== "html_block" && token.type !== "html_inline") return;
  const lineAt = createLineCounter(token.content);
  token.content = resolveLinks(token.content, linkBase, (link, offset) => onRelative(link, line + lineAt(offset) - 1));
}

// The parser percent-encodes; authors look for what they typed.
function decodeForPeople(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}
