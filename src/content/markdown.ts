// Markdown to HTML, with two things that course repositories use beyond CommonMark: anchors and alerts.
import createMarkdownIt, { type MarkdownIt, type StateCore, type Token } from "markdown-it";
import { createLineCounter } from "./line-counter.ts";
import { resolveLinks, resolveUrl } from "./links.ts";

/** A relative link that stays one; `line` counts from 1 at the start of the Markdown. */
export interface MarkdownLink {
  tag: string;
  attribute: string;
  value: string;
  line: number;
}

export interface RenderedMarkdown {
  html: string;
  /** The text of the first level-1 heading; undefined when there is none. */
  title: string | undefined;
}

export interface MarkdownOptions {
  /** MDX has no code by indentation: children of a component are often indented. */
  hasIndentedCode: boolean;
  linkBase: URL | undefined;
  onRelative: (link: MarkdownLink) => void;
}

const withIndentedCode = createParser();
const withoutIndentedCode = createParser().disable("code");

/** Renders Markdown with HTML, tables and fenced code; links are resolved as `resolveLinks` does. */
export function renderMarkdown(markdown: string, options: MarkdownOptions): RenderedMarkdown {
  const parser = options.hasIndentedCode ? withIndentedCode : withoutIndentedCode;
  const env = {};
  const tokens = parser.parse(markdown, env);
  resolveTokenLinks(tokens, options);
  return { html: parser.renderer.render(tokens, parser.options, env), title: findTitle(tokens) };
}

function createParser(): MarkdownIt {
  const parser = createMarkdownIt({ html: true });
  parser.core.ruler.before("inline", "heading_anchors", readHeadingAnchors);
  parser.core.ruler.before("inline", "alerts", readAlerts);
  return parser;
}

// `## Decks and cards[[decks]]` names the heading's anchor.
function readHeadingAnchors({ tokens }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    const content = tokens[index + 1];
    if (token.type !== "heading_open" || content === undefined) continue;
    const anchor = /\s*\[\[([^[\]]+)\]\]\s*$/.exec(content.content);
    if (anchor?.[1] === undefined) continue;
    token.attrSet("id", anchor[1].trim());
    content.content = content.content.slice(0, anchor.index);
  }
}

// `> [!TIP]` above the text of a quotation, as GitHub renders it.
function readAlerts(state: StateCore): void {
  const tokens: Token[] = [];
  for (let index = 0; index < state.tokens.length; index++) {
    const [opening, paragraph, text] = state.tokens.slice(index, index + 3);
    if (opening === undefined) break;
    tokens.push(opening);
    if (opening.type !== "blockquote_open" || paragraph?.type !== "paragraph_open" || text === undefined) continue;
    const mark = ALERT_MARK.exec(text.content);
    if (mark?.[1] === undefined) continue;
    tokens.push(...createAlertTitle(state, mark[1].toLowerCase(), paragraph));
    text.content = text.content.slice(mark[0].length);
    if (text.map !== null) text.map = [text.map[0] + 1, text.map[1]];
    // The paragraph and its end go too where the mark was all of its text.
    if (text.content === "") index += 3;
  }
  state.tokens = tokens;
}

const ALERT_MARK = /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i;

function createAlertTitle(state: StateCore, kind: string, paragraph: Token): Token[] {
  const open = new state.Token("paragraph_open", "p", 1);
  const title = new state.Token("inline", "", 0);
  const close = new state.Token("paragraph_close", "p", -1);
  title.content = `<strong>${kind.charAt(0).toUpperCase()}${kind.slice(1)}</strong>`;
  title.children = [];
  open.block = title.block = close.block = true;
  open.map = title.map = paragraph.map;
  open.level = close.level = paragraph.level;
  title.level = paragraph.level + 1;
  return [open, title, close];
}

function findTitle(tokens: Token[]): string | undefined {
  const heading = tokens.findIndex((token) => token.type === "heading_open" && token.tag === "h1");
  const title = toText(tokens[heading + 1]?.children ?? []).trim();
  return heading === -1 || title === "" ? undefined : title;
}

function toText(tokens: Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === "text" || token.type === "text_special" || token.type === "code_inline") return token.content;
      if (token.type === "image") return toText(token.children ?? []);
      return token.type === "softbreak" || token.type === "hardbreak" ? " " : "";
    })
    .join("");
}

function resolveTokenLinks(tokens: Token[], options: MarkdownOptions): void {
  // Cells of tables have no lines of their own: the row's count.
  let line = 1;
  for (const token of tokens) {
    if (token.map !== null) line = token.map[0] + 1;
    if (token.type === "html_block") resolveHtml(token, line, options);
    if (token.type === "inline") resolveInline(token.children ?? [], line, options);
  }
}

function resolveInline(tokens: Token[], firstLine: number, options: MarkdownOptions): void {
  let line = firstLine;
  for (const token of tokens) {
    if (token.type === "softbreak" || token.type === "hardbreak") line++;
    if (token.type === "link_open") resolveAttribute(token, "a", "href", line, options);
    if (token.type === "image") resolveAttribute(token, "img", "src", line, options);
    if (token.type !== "html_inline") continue;
    const nextLine = line + countLineBreaks(token.content);
    resolveHtml(token, line, options);
    line = nextLine;
  }
}

function resolveHtml(token: Token, line: number, { linkBase, onRelative }: MarkdownOptions): void {
  const html = token.content;
  const lineAt = createLineCounter(html);
  token.content = resolveLinks(html, linkBase, ({ offset, ...link }) =>
    onRelative({ ...link, line: line + lineAt(offset) - 1 }),
  );
}

function resolveAttribute(token: Token, tag: string, attribute: string, line: number, options: MarkdownOptions): void {
  const url = String(token.attrGet(attribute) ?? "");
  const onLeft = (value: string): void => options.onRelative({ tag, attribute, value: decodeForPeople(value), line });
  token.attrSet(attribute, resolveUrl(url, options.linkBase, onLeft));
}

// The parser percent-encodes; authors look for what they typed.
function decodeForPeople(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

function countLineBreaks(text: string): number {
  return text.split("\n").length - 1;
}
