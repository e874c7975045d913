// Syntax that Python-Markdown accepts and CommonMark does not: `#Heading`, blanks in URLs, tags without blanks.
import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";
import { isIndentedCode, readLine } from "../../markdown/markdown-environment.ts";

export function addLenientText({ block, inline, helpers }: MarkdownIt): void {
  block.ruler.before("heading", "tight_heading", readTightHeading, { alt: ["paragraph", "reference", "blockquote"] });
  inline.ruler.before("html_inline", "tight_tag", readTightTag);
  const { parseLinkDestination } = helpers;
  helpers.parseLinkDestination = (text, start, max) => {
    SPACED_URL.lastIndex = start;
    const url = SPACED_URL.exec(text.slice(0, max))?.[0].trimEnd() ?? "";
    if (!/[ \t]/.test(url) || !/[./#]/.test(url)) return parseLinkDestination(text, start, max);
    return { ok: true, pos: start + url.length, str: url.replaceAll(/[ \t]/g, "%20") };
  };
}

/** Up to the end of a link, or its title. */
const SPACED_URL = /[^\s<>()"'][^<>()"'\n]{0,500}(?=\)|["'])/y;

const TIGHT_HEADING = /^(#{1,6})([^#\s.)].*)$/;

function readTightHeading(state: StateBlock, line: number, _end: number, isSilent: boolean): boolean {
  const [, signs = "", text = ""] = isIndentedCode(state, line)
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
/** `<img class="leaf"src="leaf.png">` */
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
