// HTML in Markdown: drops comments and parses Markdown in marked blocks (`<div markdown="1">`).
import type { MarkdownIt, StateBlock, StateCore, Token } from "markdown-it";
import { dropMarkdownAttributes, holdsMarkdown, listComments, type TextRange } from "../../html/author-marks.ts";
import { createLineCounter } from "../../html/source-lines.ts";
import { environmentOf, isIndentedCode, readLine, type TextRemark, startOfLine } from "../markdown-environment.ts";
import { type BlockState, takeRule } from "../parser-states.ts";

export function addHtmlRules({ block, core, inline }: MarkdownIt): void {
  block.ruler.before("html_block", "markdown_in_html", readMarkdownTag, {
    alt: ["paragraph", "reference", "blockquote"],
  });
  keepCommentsWhole(block.ruler);
  inline.ruler.before("html_inline", "odd_tags", (state, isSilent) => {
    if (state.src[state.pos] !== "<" || !beginsTagWithUnicodeBlank(state.src, state.pos)) return false;
    if (!isSilent) state.pending += "<";
    state.pos++;
    return true;
  });
  core.ruler.before("inline", "html_blocks", cleanBlocks);
  core.ruler.push("html_inline", cleanInline);
}

// Unicode spaces do not separate attributes (https://spec.commonmark.org/0.31.2/#open-tag). The parser's pattern
// backtracks exponentially on them, so a tag with a Unicode space outside quotes stays text.
const TAG_WITHOUT_UNICODE_BLANKS = /<[a-z](?:[^\s"'<>=]|[ \t\n\v\f\r]|=[ \t\n\v\f\r]*(?:"[^"]*"?|'[^']*'?)?)*/iy;

/** Returns true for a tag with a Unicode space outside quotes. */
function beginsTagWithUnicodeBlank(text: string, start: number): boolean {
  TAG_WITHOUT_UNICODE_BLANKS.lastIndex = start;
  return TAG_WITHOUT_UNICODE_BLANKS.test(text) && /\s/.test(text[TAG_WITHOUT_UNICODE_BLANKS.lastIndex] ?? "");
}

const OPENING = /^(<([a-z][a-z\d-]*)\s[^<>]*>)(.*)$/i;
const TITLE = /^(<summary(?:\s[^<>]*)?>)(.*)<\/summary>\s*$/i;
const CLOSING = /^<\/([a-z][a-z\d-]*)>\s*$/i;

// Reads each tag of an element with Markdown content as its own block, so that the text between the tags is Markdown.
function readMarkdownTag(state: StateBlock, startLine: number, _endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine)) return false;
  const start = startOfLine(state, startLine);
  if (state.src[start] !== "<") return false;
  const line = state.src.slice(start, state.eMarks[startLine]);
  const { length } = state.tokens;
  const read = line[1] === "/" ? readClosing : TITLE.test(line) ? readTitle : readOpening;
  const isRead = read(state, line, isSilent);
  if (isRead && !isSilent) {
    state.line = startLine + 1;
    for (const token of state.tokens.slice(length)) token.map = [startLine, startLine + 1];
  }
  return isRead;
}

function readClosing(state: StateBlock, line: string, isSilent: boolean): boolean {
  const name = CLOSING.exec(line)?.[1]?.toLowerCase();
  const block = state as BlockState;
  const count = name === undefined ? 0 : (block.openTags.get(name) ?? 0);
  if (name === undefined || count === 0) return false;
  if (isSilent) return true;
  block.openTags.set(name, count - 1);
  block.openTagCount--;
  pushHtml(state, `</${name}>\n`);
  return true;
}

function readOpening(state: StateBlock, line: string, isSilent: boolean): boolean {
  const [, tag = "", written = "", rest = ""] = OPENING.exec(line) ?? [];
  if (!holdsMarkdown(tag)) return false;
  const name = written.toLowerCase();
  if (rest.trim() === "") {
    if (isSilent) return true;
    const block = state as BlockState;
    block.openTags.set(name, (block.openTags.get(name) ?? 0) + 1);
    block.openTagCount++;
    pushHtml(state, `${tag}\n`);
    return true;
  }
  const text = rest.trimEnd();
  const end = `</${name}>`;
  const isWhole = text.toLowerCase().endsWith(end);
  if (!isWhole && !TITLE.test(text.trimStart())) return false;
  if (isSilent) return true;
  if (isWhole) pushInline(state, tag, text.slice(0, -end.length), end);
  else return readOpening(state, tag, false) && readTitle(state, text.trimStart(), false);
  return true;
}

// Reads the text of a summary as Markdown, as Python-Markdown and kramdown do.
function readTitle(state: StateBlock, line: string, isSilent: boolean): boolean {
  const [, tag = "", text = ""] = TITLE.exec(line) ?? [];
  if ((state as BlockState).openTagCount === 0) return false;
  if (!isSilent) pushInline(state, tag, text, "</summary>");
  return true;
}

function pushInline(state: StateBlock, tag: string, text: string, end: string): void {
  pushHtml(state, tag);
  const inline = state.push("inline", "", 0);
  inline.content = text;
  inline.children = [];
  pushHtml(state, `${end}\n`);
}

function pushHtml(state: StateBlock, html: string): void {
  state.push("html_block", "", 0).content = html;
}

// In Markdown, a blank line ends HTML even inside a comment, so the rest of the comment would become visible.
function keepCommentsWhole(ruler: MarkdownIt["block"]["ruler"]): void {
  const readHtml = takeRule(ruler, "html_block");
  ruler.at(
    "html_block",
    (state, startLine, endLine, isSilent) => {
      const line = readLine(state, startLine);
      if (environmentOf(state).readsHtml === true && !ENDS_BY_ITSELF.test(line)) return false;
      if (beginsTagWithUnicodeBlank(line, 0)) return false;
      if (!readHtml(state, startLine, endLine, isSilent)) return false;
      if (isSilent) return true;
      addRestOfComments(state, startLine, endLine);
      return true;
    },
    { alt: ["paragraph", "reference", "blockquote"] },
  );
}

/** Matches HTML that does not end at a blank line. */
const ENDS_BY_ITSELF = /^\s*<(?:script|pre|style|textarea|[!?])/i;

function addRestOfComments(state: StateBlock, startLine: number, endLine: number): void {
  const token = state.tokens.at(-1);
  if (token?.type !== "html_block" || ENDS_BY_ITSELF.test(token.content)) return;
  const firstLine = state.line;
  for (let isOpen = opensComment(token.content); isOpen;) {
    let line = findCommentEnd(state as BlockState, state.line, endLine);
    if (line === undefined) break;
    for (; line < endLine && isInBlock(state, line) && !state.isEmpty(line); line++) {
      const text = state.src.slice(state.bMarks[line], state.eMarks[line]);
      if (text.includes("<!--") || text.includes("-->")) isOpen = opensComment(text);
    }
    state.line = line;
  }
  if (state.line === firstLine) return;
  token.map = [startLine, state.line];
  token.content = state.getLines(startLine, state.line, state.blkIndent, true);
}

type IsEnd = (line: number) => boolean;
type CreateIsEnd = (state: StateBlock, startLine: number) => IsEnd;

const endsOfParsers = new WeakMap<MarkdownIt, CreateIsEnd[]>();

/**
 * Ends HTML above lines of another syntax, such as lines that close open containers. `createIsEnd` returns the function
 * that is called for the lines below `startLine` in order. One search serves all syntaxes, because each would search
 * beyond the end that another finds.
 */
export function endHtmlAt(parser: MarkdownIt, createIsEnd: CreateIsEnd): void {
  const ends = endsOfParsers.get(parser) ?? [];
  ends.push(createIsEnd);
  if (ends.length > 1) return;
  endsOfParsers.set(parser, ends);
  const { ruler } = parser.block;
  const readHtml = takeRule(ruler, "html_block");
  const alt = ["paragraph", "reference", "blockquote"];
  const readUpTo: typeof readHtml = (state, startLine, endLine, isSilent) => {
    if (isSilent || ENDS_BY_ITSELF.test(readLine(state, startLine)))
      return readHtml(state, startLine, endLine, isSilent);
    // Only the rule itself knows whether HTML begins here, so its first line is read alone and then with the others.
    if (!readHtml(state, startLine, startLine + 1, false)) return false;
    state.tokens.pop();
    environmentOf(state).nodes--;
    const areEnds = ends.map((create) => create(state, startLine));
    const end = findHtmlEnd(state, startLine, endLine, (line) => areEnds.some((isEnd) => isEnd(line)));
    return readHtml(state, startLine, end, false);
  };
  ruler.at("html_block", readUpTo, { alt });
}

/** Returns the first line outside comments at which HTML ends because of `isEnd`; `endLine` if there is none. */
function findHtmlEnd(state: StateBlock, startLine: number, endLine: number, isEnd: IsEnd): number {
  let isOpen = opensComment(readLine(state, startLine));
  for (let line = startLine + 1; line < endLine; line++) {
    if (state.isEmpty(line)) {
      const commentEnd = isOpen ? findCommentEnd(state as BlockState, line, endLine) : undefined;
      if (commentEnd === undefined) return endLine;
      line = commentEnd;
    } else if (!isInBlock(state, line)) return endLine;
    else if (!isOpen && isEnd(line)) return line;
    const text = readLine(state, line);
    if (text.includes("<!--") || text.includes("-->")) isOpen = opensComment(text);
  }
  return endLine;
}

function opensComment(html: string): boolean {
  const opened = html.lastIndexOf("<!--");
  return opened !== -1 && !html.includes("-->", opened);
}

/** Returns the line that ends an open comment; undefined if the comment does not end in the block. */
function findCommentEnd(state: BlockState, from: number, endLine: number): number | undefined {
  let line = Math.max(from, state.noCommentEndTo);
  for (; line < endLine && (state.isEmpty(line) || isInBlock(state, line)); line++) {
    if (state.src.slice(state.bMarks[line], state.eMarks[line]).includes("-->")) return line;
  }
  state.noCommentEndTo = line;
  return undefined;
}

function isInBlock(state: StateBlock, line: number): boolean {
  return (state.sCount[line] ?? 0) >= state.blkIndent;
}

function cleanBlocks(state: StateCore): void {
  if (!state.tokens.some(({ type }) => type === "html_block")) return;
  state.tokens = state.tokens.flatMap((token) => (token.type === "html_block" ? cleanBlock(token, state) : [token]));
}

// Removes comments. Each part around them gets a line map of its own, so that the locations of links and scripts stay
// correct.
function cleanBlock(token: Token, state: StateCore): Token[] {
  const { Token: TokenClass } = state;
  const html = token.content;
  token.content = dropMarkdownAttributes(html);
  const comments = listComments(html);
  if (comments.length === 0) return [token];
  const lineAt = createLineCounter(html);
  const firstLine = token.map?.[0] ?? 0;
  reportOpenComment(html, comments, firstLine, environmentOf(state).remarks);
  const left: Token[] = [];
  let endsLine = true;
  for (const [index, start] of [0, ...comments.map(({ end }) => end)].entries()) {
    let text = html.slice(start, comments[index]?.start);
    const line = firstLine + lineAt(start) - 1;
    // If the line contains only the comment, removes its line break, too.
    const lineEnd = endsLine ? /^[ \t]*\r?\n/.exec(text)?.[0].length : undefined;
    if (lineEnd !== undefined) text = text.slice(lineEnd);
    if (text.trim() === "") continue;
    const part = new TokenClass("html_block", "", 0);
    part.content = dropMarkdownAttributes(text);
    part.map = [line + (lineEnd === undefined ? 0 : 1), token.map?.[1] ?? line + 1];
    part.block = true;
    left.push(part);
    endsLine = text.endsWith("\n");
  }
  return left;
}

// https://html.spec.whatwg.org/multipage/parsing.html#comment-end-bang-state
function reportOpenComment(
  html: string,
  comments: readonly TextRange[],
  firstLine: number,
  remarks: TextRemark[] | undefined,
): void {
  const last = comments.at(-1);
  if (last?.end !== html.length || /--!?>$|^<!--->?$/.test(html.slice(last.start).trimEnd())) return;
  const message = 'readers do not see the text after "<!--": no --> closes the comment';
  remarks?.push({ line: firstLine + createLineCounter(html)(last.start), kind: "leftover-syntax", message });
}

function cleanInline({ tokens }: StateCore): void {
  for (const token of tokens) {
    if (token.children?.some(({ type }) => type === "html_inline") !== true) continue;
    token.children = token.children.filter(
      ({ type, content }) => type !== "html_inline" || !content.startsWith("<!--"),
    );
    for (const child of token.children) {
      if (child.type === "html_inline") child.content = dropMarkdownAttributes(child.content);
    }
  }
}
