// Tokenizes MDX components, control lines and elements; `jsx-groups.ts` groups them.
import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from "markdown-it";
import { createLineCounter } from "../../html/source-lines.ts";
import { environmentOf, isIndentedCode, startOfLine } from "../markdown-environment.ts";
import type { ComponentReading } from "../mdx/component-reading.ts";
import { findTagEnd, isWhole, readItem, readStatement, type FoundItem, type JsxItem } from "../mdx/jsx-items.ts";
import { findForm, isComponent } from "../mdx/mdx-components.ts";
import { toHtmlTag, type DroppedAttribute } from "../mdx/mdx-elements.ts";
import { toPicture } from "../mdx/mdx-html.ts";
import type { JsxMeta } from "../mdx/show-components.ts";
import { endHtmlAt } from "./html-rules.ts";

const ELEMENT = /<([a-z][a-z\d-]*|[A-Z][\w.]*)(?=[\s/>])/y;
const BLANK_TEXT = /(?<![\^_])\{[ \t]*(["'])[ ]*\1[ \t]*\}/y;
const BETWEEN_TWINS = /[ \t]*(?:\r?\n[ \t]*)?(?=<img\s)/y;
/** Elements with raw text. */
const RAW_TEXT = /^\s*<(?:script|style|textarea)\b/i;

export function addJsxRules(parser: MarkdownIt): void {
  const { block, core, inline } = parser;
  const alt = ["paragraph", "reference", "blockquote", "list"];
  block.ruler.before("indented_block", "jsx_lines", keepTagWhole, { alt });
  block.ruler.before("indented_block", "jsx_block", readBlock, { alt });
  block.ruler.before("markdown_in_html", "jsx_element", readElementBlock);
  endHtmlAt(parser, (state) => (line) => endsComponent(state, line));
  inline.ruler.before("autolink", "jsx", readInline);
  core.ruler.before("html_blocks", "jsx_html", splitHtml);
}

function toItem({ kind, name, condition, end }: FoundItem, text: string, start: number, isBlock: boolean): JsxItem {
  return { kind, name, condition, source: text.slice(start, end), line: 0, isBlock };
}

// A line of a multi-line tag can begin with `>`, which also marks quotations; indenting the line keeps it in its
// paragraph.
function keepTagWhole(state: StateBlock, startLine: number, endLine: number): boolean {
  const reading = environmentOf(state).components;
  if (reading === undefined || isIndentedCode(state, startLine)) return false;
  const lineStart = startOfLine(state, startLine);
  const start = lineStart + state.src.slice(lineStart, state.eMarks[startLine]).lastIndexOf("<");
  ELEMENT.lastIndex = start;
  if (start < lineStart || !ELEMENT.test(state.src)) return false;
  const end = reading.budget.find(findTagEnd, state.src, start) ?? 0;
  if (end > (state.eMarks[startLine] ?? 0)) reading.budget.chargeUnused(start, end);
  let line = startLine;
  while (line + 1 < endLine && (state.eMarks[line] ?? 0) < end && !state.isEmpty(line + 1)) line++;
  if (end <= (state.eMarks[line] ?? 0)) state.sCount.fill(state.blkIndent + 4, startLine + 1, line + 1);
  return false;
}

interface FoundLine {
  found: FoundItem;
  start: number;
  line: number;
}

// Reads lines that begin with items. Text after the last item is parsed as a new line.
function readBlock(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  const reading = environmentOf(state).components;
  if (reading === undefined || reading.isDeep || isIndentedCode(state, startLine)) return false;
  // The first characters of tags, control lines, imports, exports and builder directives.
  if (!"<{ie[".includes(state.src.charAt(startOfLine(state, startLine)))) return false;
  const { items, line, position } = readItems(state, reading, { startLine, endLine, isSilent });
  if (items.length === 0) return false;
  if (isSilent) return true;
  for (const { found, start, line: itemLine } of items) {
    const token = state.push("html_block", "", 0);
    token.map = [itemLine, itemLine + 1];
    token.meta = { item: toItem(found, state.src, start, true) } satisfies JsxMeta;
    reading.countBlock(found, state.tokens.length);
  }
  state.line = line + 1;
  if (position < (state.eMarks[line] ?? 0)) reading.nest(() => readRest(state, line, position, endLine));
  return true;
}

function readItems(
  state: StateBlock,
  reading: ComponentReading,
  { startLine, endLine, isSilent }: { startLine: number; endLine: number; isSilent: boolean },
): { items: FoundLine[]; line: number; position: number } {
  const { src, eMarks } = state;
  const items: FoundLine[] = [];
  const lastLine = Math.min(endLine, state.lineMax) - 1;
  let line = startLine;
  let position = startOfLine(state, startLine);
  for (;;) {
    const found =
      readItem(src, position, reading.budget) ?? (items.length === 0 ? readLine(state, reading, startLine) : undefined);
    if (found === undefined) break;
    let to = line;
    while (to < lastLine && (eMarks[to] ?? 0) < found.end) to++;
    const lineEnd = eMarks[to] ?? 0;
    const next = Math.min(state.skipSpaces(found.end), lineEnd);
    const isFirst = items.length === 0 && !isSilent && isBehindBlank(state, startLine);
    if (found.end > lineEnd || !standsApart(state, found, reading, { next, line: to, isFirst })) {
      reading.budget.chargeUnused(position, found.end);
      break;
    }
    items.push({ found, start: position, line });
    [line, position] = [to, next];
    if (next === lineEnd) return { items, line, position };
  }
  // If text follows an item without content, the item belongs to that text.
  for (let last = items.at(-1); last !== undefined && isWhole(last.found); last = items.at(-1)) {
    [line, position] = [last.line, last.start];
    reading.budget.chargeUnused(position, last.found.end);
    items.pop();
  }
  return { items, line, position };
}

/** Returns true for a line that begins with the end, or the next branch, of an open block component. */
function endsComponent(state: StateBlock, line: number): boolean {
  const reading = environmentOf(state).components;
  const start = startOfLine(state, line);
  if (reading === undefined || !/^(?:<\/|\{[:/])/.test(state.src.slice(start, start + 2))) return false;
  const found = readItem(state.src, start, reading.budget);
  if (found === undefined) return false;
  const isEnd = found.kind !== "comment" && reading.isOpen(found);
  if (!isEnd) reading.budget.chargeUnused(start, found.end);
  return isEnd;
}

function isBehindBlank(state: StateBlock, line: number): boolean {
  return line === 0 || state.isEmpty(line - 1);
}

function readLine(state: StateBlock, reading: ComponentReading, line: number): FoundItem | undefined {
  const start = startOfLine(state, line);
  const { length } = state.tokens;
  return readStatement(state.src, start, {
    budget: reading.budget,
    isTop: length === reading.moduleCount,
    isModule: isBehindBlank(state, line) || reading.lastModule === length,
  });
}

/** Returns false for an item within a sentence; `next` is the offset after the item, and `line` is its last line. */
function standsApart(
  state: StateBlock,
  found: FoundItem,
  reading: ComponentReading,
  { next, line, isFirst }: { next: number; line: number; isFirst: boolean },
): boolean {
  const { src, eMarks } = state;
  const lineEnd = eMarks[line] ?? 0;
  const goesOn = (at: number): boolean => at >= lineEnd || /[<{]/.test(src.charAt(at));
  const { kind, name } = found;
  if (kind === "close") return goesOn(next) || reading.isOpen(found);
  if (kind === "next" || kind === "end") return reading.isOpen(found);
  if (next >= lineEnd || isWhole(found)) return true;
  const end = kind === "open" ? `</${name}>` : "{/if}";
  const rest = src.slice(next, lineEnd);
  const endAt = rest.indexOf(end);
  const behind = state.skipSpaces(next + endAt + end.length);
  if (kind === "open") return findForm(name) !== undefined && (endAt === -1 || goesOn(behind));
  return isFirst && (endAt === -1 || (behind >= lineEnd && (line + 1 >= state.lineMax || state.isEmpty(line + 1))));
}

function readRest(state: StateBlock, line: number, position: number, endLine: number): void {
  const { bMarks, tShift, sCount } = state;
  const before = [bMarks[line] ?? 0, tShift[line] ?? 0, sCount[line] ?? 0] as const;
  [bMarks[line], tShift[line], sCount[line]] = [position, 0, state.blkIndent];
  state.md.block.ruler.getRules("").some((read) => read(state, line, endLine, false));
  [bMarks[line], tShift[line], sCount[line]] = before;
}

// Reads a tag that is alone on its line (CommonMark 0.31 §4.6, condition 7) and contains braces.
function readElementBlock(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  const reading = environmentOf(state).components;
  const start = startOfLine(state, startLine);
  if (reading === undefined || isSilent || state.src[start] !== "<" || isIndentedCode(state, startLine)) return false;
  ELEMENT.lastIndex = start;
  if (!ELEMENT.test(state.src)) return false;
  const end = reading.budget.find(findTagEnd, state.src, start);
  if (end === undefined) return false;
  if (state.skipSpaces(end) !== state.eMarks[startLine] || !state.src.slice(start, end).includes("{")) {
    reading.budget.chargeUnused(start, end);
    return false;
  }
  let line = startLine + 1;
  const isWithin = (each: number): boolean => !state.isEmpty(each) && (state.sCount[each] ?? 0) >= state.blkIndent;
  while (line < endLine && isWithin(line) && !endsComponent(state, line)) line++;
  state.line = line;
  const token = state.push("html_block", "", 0);
  token.map = [startLine, line];
  token.content = state.getLines(startLine, line, state.blkIndent, true);
  return true;
}

function readInline(state: StateInline, isSilent: boolean): boolean {
  const reading = environmentOf(state).components;
  const { src, pos, posMax } = state;
  if (reading === undefined || (src[pos] !== "<" && src[pos] !== "{")) return false;
  BLANK_TEXT.lastIndex = pos;
  if (BLANK_TEXT.test(src) && BLANK_TEXT.lastIndex <= posMax) {
    if (!isSilent) state.pending += " ";
    state.pos = BLANK_TEXT.lastIndex;
    return true;
  }
  const found = readItem(src, pos, reading.budget);
  const element = found === undefined ? readElement(src, pos, reading) : undefined;
  const end = (found ?? element)?.end;
  if (end === undefined || end > posMax) return false;
  if (!isSilent) {
    const token = state.push("html_inline", "", 0);
    if (found !== undefined) token.meta = { item: toItem(found, src, pos, false) } satisfies JsxMeta;
    else if (element !== undefined) {
      token.content = element.html;
      token.meta = { dropped: element.dropped } satisfies JsxMeta;
      if (/^<a\s[^]*[^/]>$/.test(element.html)) state.linkLevel++;
    }
  }
  state.pos = end;
  return true;
}

interface FoundElement {
  html: string;
  dropped: DroppedAttribute[];
  end: number;
}

/** Returns an element's tag if it needs conversion, or a pair of light and dark images. */
function readElement(text: string, start: number, reading: ComponentReading): FoundElement | undefined {
  ELEMENT.lastIndex = start;
  const name = ELEMENT.exec(text)?.[1];
  const isElement = name !== undefined && (name === "img" || !isComponent(name));
  const end = !isElement ? undefined : reading.budget.find(findTagEnd, text, start);
  if (end === undefined) return undefined;
  const tag = text.slice(start, end);
  const { html, dropped } = toHtmlTag(tag);
  BETWEEN_TWINS.lastIndex = end;
  if (name === "img" && BETWEEN_TWINS.test(text)) {
    const otherStart = BETWEEN_TWINS.lastIndex;
    const otherEnd = reading.budget.find(findTagEnd, text, otherStart);
    const other = otherEnd === undefined ? undefined : toHtmlTag(text.slice(otherStart, otherEnd)).html;
    const picture = other === undefined ? undefined : toPicture(html, other);
    if (picture !== undefined && otherEnd !== undefined)
      return { html: picture + text.slice(end, otherStart), dropped, end: otherEnd };
  }
  return html === tag ? undefined : { html, dropped, end };
}

// Splits HTML at the component tags and MDX elements that it contains.
function splitHtml(state: StateCore): void {
  const reading = environmentOf(state).components;
  if (reading === undefined || !state.tokens.some(({ type }) => type === "html_block")) return;
  state.tokens = state.tokens.flatMap((token) =>
    token.type === "html_block" && token.meta === null && !RAW_TEXT.test(token.content)
      ? splitToken(token, reading, state)
      : [token],
  );
}

function splitToken(token: Token, reading: ComponentReading, { Token: TokenClass }: StateCore): Token[] {
  const { content, map } = token;
  const parts: Token[] = [];
  const lineAt = createLineCounter(content);
  let copiedTo = 0;
  const push = (html: string, start: number, meta: JsxMeta | null): void => {
    const part = new TokenClass("html_block", "", 0);
    const line = (map?.[0] ?? 0) + lineAt(start) - 1;
    Object.assign(part, { content: html, map: [line, line + 1], block: true, meta, level: token.level });
    parts.push(part);
  };
  const replace = (start: number, end: number, html: string, meta: JsxMeta | null): void => {
    if (start > copiedTo) push(content.slice(copiedTo, start), copiedTo, null);
    if (html !== "" || meta !== null) push(html, start, meta);
    copiedTo = end;
  };
  const stop = /<!--[^]*?(?:-->|$)|[<{]/g;
  for (let at = stop.exec(content); at !== null; at = stop.exec(content)) {
    const start = at.index;
    BLANK_TEXT.lastIndex = start;
    const found = readItem(content, start, reading.budget);
    const element = found === undefined ? readElement(content, start, reading) : undefined;
    if (found !== undefined) {
      const isBlock = hasLine(content, start, found);
      replace(start, found.end, "", { item: toItem(found, content, start, isBlock) });
    } else if (element !== undefined) replace(start, element.end, element.html, { dropped: element.dropped });
    else if (BLANK_TEXT.test(content)) replace(start, BLANK_TEXT.lastIndex, " ", null);
    stop.lastIndex = Math.max(copiedTo, stop.lastIndex);
  }
  if (parts.length === 0) return [token];
  replace(content.length, content.length, "", null);
  return parts;
}

/**
 * Returns true for an opening item that begins a line, a closing item that ends a line, or any other item on lines of
 * its own.
 */
function hasLine(text: string, start: number, { kind, end }: FoundItem): boolean {
  const begins = /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, start - 200), start));
  const ends = /^[ \t\r]*(?:\n|$)/.test(text.slice(end, end + 200));
  if (kind === "open" || kind === "begin") return begins;
  return kind === "close" || kind === "end" ? ends : begins && ends;
}
