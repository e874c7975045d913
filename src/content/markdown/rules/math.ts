// Formulas reach readers as written. CommonMark alone would drop the backslashes of `\_` and `\\`, and parse `_` and
// backticks as markup.
import type { MarkdownIt, StateBlock, StateCore, StateInline } from "markdown-it";
import { environmentOf, isIndentedCode, startOfLine } from "../markdown-environment.ts";
import type { BlockState, InlineState, KnownCloses } from "../parser-states.ts";

interface Delimiters {
  open: string;
  close: string;
  isDisplay: boolean;
  /** True if ordinary Markdown uses the delimiters as text, as in prices and escaped brackets. */
  isTexOnly: boolean;
}

// Longer delimiters precede their prefixes.
const DELIMITERS: readonly Delimiters[] = [
  { open: "$$", close: "$$", isDisplay: true, isTexOnly: false },
  { open: "\\\\(", close: "\\\\)", isDisplay: false, isTexOnly: false },
  { open: "\\\\[", close: "\\\\]", isDisplay: true, isTexOnly: false },
  { open: "$", close: "$", isDisplay: false, isTexOnly: true },
  { open: "\\(", close: "\\)", isDisplay: false, isTexOnly: true },
  { open: "\\[", close: "\\]", isDisplay: true, isTexOnly: true },
];

/** Adds rules that parse formulas as tokens `math_block` and `math_inline`. */
export function addMathRules(parser: MarkdownIt): void {
  parser.block.ruler.before("fence", "math_block", readMathBlock, {
    alt: ["paragraph", "reference", "blockquote", "list"],
  });
  parser.inline.ruler.before("escape", "math_inline", readMathInline);
  parser.inline.ruler.before("math_inline", "math_code", readMathCode);
  parser.core.ruler.after("block", "math_fences", readMathFences);
  const { escapeHtml } = parser.utils;
  parser.renderer.rules["math_block"] = (tokens, index) =>
    `<div class="math display">${escapeHtml(tokens[index]?.content ?? "")}</div>\n`;
  parser.renderer.rules["math_inline"] = (tokens, index) =>
    `<span class="math ${tokens[index]?.info ?? ""}">${escapeHtml(tokens[index]?.content ?? "")}</span>`;
}

// GitHub's other forms: $`x_1`$, and code blocks in the language `math`.
const MATH_CODE = /\$`([^`]+)`\$/y;

function readMathCode(state: StateInline, isSilent: boolean): boolean {
  if (state.src[state.pos] !== "$") return false;
  MATH_CODE.lastIndex = state.pos;
  const [written = "", tex = ""] = MATH_CODE.exec(state.src) ?? [];
  if (written === "" || tex.trim() === "" || MATH_CODE.lastIndex > state.posMax) return false;
  if (!isSilent) {
    const token = state.push("math_inline", "", 0);
    token.content = tex;
    token.info = "inline";
    token.markup = "$`";
  }
  state.pos += written.length;
  return true;
}

function readMathFences({ tokens }: StateCore): void {
  for (const token of tokens) {
    if (token.type !== "fence" || token.info.trim() !== "math") continue;
    token.type = "math_block";
    token.info = "";
  }
}

function findDelimiters(text: string, start: number, hasTexMath: boolean): Delimiters | undefined {
  const first = text[start];
  if (first !== "$" && first !== "\\") return undefined;
  return DELIMITERS.find(({ open, isTexOnly }) => (hasTexMath || !isTexOnly) && text.startsWith(open, start));
}

/** Returns the offset of the next unescaped `close` from `start` on; -1 if there is none. */
function findClose(text: string, close: string, start: number): number {
  let found = text.indexOf(close, start);
  while (found !== -1 && isEscaped(text, found, start)) found = text.indexOf(close, found + 1);
  return found;
}

// An odd number of backslashes escapes a delimiter, as in `\$$`; two are a TeX line break.
function isEscaped(text: string, position: number, start: number): boolean {
  let first = position;
  while (first > start && text[first - 1] === "\\") first--;
  return (position - first) % 2 === 1;
}

// Caches searches, since each search for a missing delimiter scans the rest of the text.
function findKnownClose(closes: KnownCloses, text: string, close: string, start: number): number {
  const last = closes.get(close);
  if (last !== undefined && last.from <= start && (last.found === -1 || start <= last.found)) return last.found;
  const found = findClose(text, close, start);
  closes.set(close, { from: start, found });
  return found;
}

function readMathInline(state: StateInline, isSilent: boolean): boolean {
  const { src, pos, posMax } = state;
  const { hasTexMath, hasSpacedMath = false } = environmentOf(state).dialect;
  const delimiters = findDelimiters(src, pos, hasTexMath);
  if (delimiters === undefined) return false;
  const { open, close, isDisplay } = delimiters;
  if (open === "$$" && src[pos + 2] === "$") return skipDollars(state, isSilent);
  const start = pos + open.length;
  const end = findKnownClose((state as InlineState).mathCloses, src, close, start);
  if (end === -1 || end + close.length > posMax || src.slice(start, end).trim() === "") return false;
  const isMath = isDollarMath(src, start, end) || (hasSpacedMath && isSpacedMath(src.slice(start, end)));
  if (open === "$" && !isMath) return false;
  if (!isSilent) {
    const token = state.push("math_inline", "", 0);
    token.content = src.slice(start, end);
    token.info = isDisplay ? "display" : "inline";
    token.markup = open;
  }
  state.pos = end + close.length;
  return true;
}

// Pandoc's rule, which keeps "from $5 to $10" as text.
function isDollarMath(text: string, start: number, end: number): boolean {
  return !/\s/.test(text.charAt(start)) && !/\s/.test(text.charAt(end - 1)) && !/\d/.test(text.charAt(end + 1));
}

// `$ a_1 $`, as in LiaScript.
function isSpacedMath(written: string): boolean {
  return /^[ \t][^\n]*[ \t]$/.test(written);
}

// Three or more dollars are text.
function skipDollars(state: StateInline, isSilent: boolean): boolean {
  let end = state.pos;
  while (end < state.posMax && state.src[end] === "$") end++;
  if (!isSilent) state.pending += state.src.slice(state.pos, end);
  state.pos = end;
  return true;
}

// Displayed formulas have their own lines, which can look like lists or headings. Allows blank lines only if the
// opening delimiter is alone on its line.
function readMathBlock(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine)) return false;
  const start = startOfLine(state, startLine);
  const delimiters = findDelimiters(state.src, start, environmentOf(state).dialect.hasTexMath);
  if (delimiters?.isDisplay !== true) return false;
  const { open, close } = delimiters;
  if (state.src[start + open.length] === "$") return false;
  const closeLine = findCloseLine(state, startLine, endLine, delimiters);
  if (closeLine === undefined) return false;
  const text = state.getLines(startLine, closeLine + 1, state.sCount[startLine] ?? 0, false).trim();
  const content = text.slice(open.length, text.length - close.length);
  if (content.trim() === "") return false;
  if (isSilent) return true;
  state.line = closeLine + 1;
  const token = state.push("math_block", "", 0);
  token.content = content;
  token.markup = open;
  token.map = [startLine, state.line];
  return true;
}

/**
 * Returns the line that ends with the closing delimiter; undefined if there is no such delimiter or if text follows it.
 */
function findCloseLine(
  state: StateBlock,
  startLine: number,
  endLine: number,
  { open, close }: Delimiters,
): number | undefined {
  const start = startOfLine(state, startLine) + open.length;
  const rest = state.src.slice(start, state.eMarks[startLine]);
  const closeInRest = findClose(rest, close, 0);
  if (closeInRest !== -1) return rest.slice(closeInRest + close.length).trim() === "" ? startLine : undefined;

  const standsAlone = rest.trim() === "";
  const known = (state as BlockState).unclosedMath;
  const key = `${open}${standsAlone}`;
  const last = known.get(key);
  const indent = state.blkIndent;
  if (last !== undefined && last.from <= startLine && startLine < last.to && indent >= last.indent) return undefined;

  let line = startLine + 1;
  for (; line < endLine; line++) {
    if (state.isEmpty(line)) {
      if (standsAlone) continue;
      break;
    }
    if ((state.sCount[line] ?? 0) < indent) break;
    const lineStart = startOfLine(state, line);
    const lineEnd = state.eMarks[line] ?? lineStart;
    const text = state.src.slice(lineStart, lineEnd);
    const found = findClose(text, close, 0);
    if (found === -1) continue;
    if (text.slice(found + close.length).trim() === "") return line;
    break;
  }
  known.set(key, { from: startLine, to: line, indent });
  return undefined;
}
