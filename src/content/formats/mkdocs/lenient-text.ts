// Reads syntax that Python-Markdown accepts but CommonMark does not: `#Heading`, blanks in URLs, tags without blanks
// between attributes, and inline tags alone on a line.
import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";
import { isIndentedCode, readLine } from "../../markdown/markdown-environment.ts";
import { endHtmlAt } from "../../markdown/rules/html-rules.ts";
import { hasExtension } from "./mkdocs-extensions.ts";
import { takeRule, type BlockState } from "../../markdown/parser-states.ts";

export function addLenientText(parser: MarkdownIt): void {
  const { block, inline, helpers } = parser;
  block.ruler.before("heading", "tight_heading", readTightHeading, { alt: ["paragraph", "reference", "blockquote"] });
  inline.ruler.before("html_inline", "tight_tag", readTightTag);
  endHtmlAt(parser, endBelowElement);
  const readHtml = takeRule(block.ruler, "html_block");
  const readBlockHtml: typeof readHtml = (state, startLine, ...more) =>
    !INLINE_TAG.test(readLine(state, startLine)) && readHtml(state, startLine, ...more);
  block.ruler.at("html_block", readBlockHtml, { alt: ["paragraph", "reference", "blockquote"] });
  const tokenize = block.tokenize.bind(block);
  block.tokenize = (state, startLine, endLine) => {
    endItemsAtTags(state as BlockState, startLine, endLine);
    tokenize(state, startLine, endLine);
  };
  const { parseLinkDestination } = helpers;
  helpers.parseLinkDestination = (text, start, max) => {
    SPACED_URL.lastIndex = start;
    const url = SPACED_URL.exec(text.slice(0, max))?.[0].trimEnd() ?? "";
    if (!/[ \t]/.test(url) || !/[./#]/.test(url)) return parseLinkDestination(text, start, max);
    return { ok: true, pos: start + url.length, str: url.replaceAll(/[ \t]/g, "%20") };
  };
}

/** Matches the tag of an inline element, whose content is Markdown. */
const INLINE_TAG =
  /^\s*<\/?(?:a|abbr|b|big|br|cite|code|del|em|font|i|img|ins|kbd|label|mark|q|s|small|span|strong|sub|sup|u)[\s/>]/i;

// Text below an element is Markdown even without a blank line in between.
function endBelowElement(state: StateBlock, startLine: number): (line: number) => boolean {
  const [, name] = /^<([a-z][a-z\d-]*)(?:[\s>]|$)/i.exec(readLine(state, startLine)) ?? [];
  if (name === undefined) return () => false;
  const tags = new RegExp(`<(/?)${name}(?![\\w-])`, "gi");
  let depth = 0;
  let next = startLine;
  return (line) => {
    for (; next < line; next++) {
      for (const [, slash] of readLine(state, next).matchAll(tags)) depth += slash === "" ? 1 : -1;
    }
    return depth <= 0;
  };
}

// A closing tag ends the lists inside its element, however far the tag is indented.
function endItemsAtTags(state: BlockState, startLine: number, endLine: number): void {
  const { openTags, openTagCount, blkIndent, sCount } = state;
  if (blkIndent === 0 || openTagCount === 0) return;
  const opened = new Map<string, number>();
  let isCode = false;
  for (let line = startLine; line < endLine; line++) {
    if (state.isEmpty(line)) continue;
    if (line > startLine && (sCount[line] ?? 0) < blkIndent) return;
    const text = readLine(state, line);
    if (/^\s*(?:```|~~~)/.test(text)) isCode = !isCode;
    const [, slash, written = ""] = isCode ? [] : (/^\s*<(\/?)([a-z][a-z\d-]*)(?:\s[^<>]*)?>\s*$/i.exec(text) ?? []);
    const name = written.toLowerCase();
    if (name === "" || !openTags.get(name)) continue;
    const depth = (opened.get(name) ?? 0) + (slash === "" ? 1 : -1);
    opened.set(name, depth);
    if (depth >= 0) continue;
    sCount[line] = blkIndent - 1;
    return;
  }
}

/** Matches the URL of a link, which can contain blanks. */
const SPACED_URL = /[^\s<>()"'][^<>()"'\n]{0,500}(?=\)|["'])/y;

const TIGHT_HEADING = /^(#{1,6})([^#\s.)].*)$/;

function readTightHeading(state: StateBlock, line: number, _end: number, isSilent: boolean): boolean {
  const [, signs = "", text = ""] =
    isIndentedCode(state, line) || hasExtension(state, "pymdownx.saneheaders")
      ? []
      : (TIGHT_HEADING.exec(readLine(state, line)) ?? []);
  if (signs === "") return false;
  if (isSilent) return true;
  state.line = line + 1;
  const tag = `h${signs.length}`;
  const opening = state.push("heading_open", tag, 1);
  const content = state.push("inline", "", 0);
  content.content = text
    .trimEnd()
    .replace(/#{1,100}$/, "")
    .trimEnd();
  content.children = [];
  state.push("heading_close", tag, -1);
  opening.map = content.map = [line, line + 1];
  return true;
}

const ATTRIBUTE = String.raw`[a-z][\w-]{0,50}=(?:"[^"<>\n]{0,2000}"|'[^'<>\n]{0,2000}')`;
/** Matches a tag such as `<img class="leaf"src="leaf.png">`. */
const TIGHT_TAG = new RegExp(
  String.raw`<[a-z][a-z\d]{0,20}[ \t\n]+${ATTRIBUTE}(?:[ \t\n]*${ATTRIBUTE})*[ \t\n]*/?>`,
  "iy",
);

function readTightTag(state: StateInline, isSilent: boolean): boolean {
  TIGHT_TAG.lastIndex = state.pos;
  const tag = state.src[state.pos] === "<" ? TIGHT_TAG.exec(state.src)?.[0] : undefined;
  if (tag === undefined || TIGHT_TAG.lastIndex > state.posMax) return false;
  if (!isSilent) state.push("html_inline", "", 0).content = tag;
  state.pos += tag.length;
  return true;
}
