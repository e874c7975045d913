// The parser's rules for the marks of MDX: what stands between two ends is read as a text of its own.
import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from "markdown-it";
import { findMarkId, HALF_PAIR, metaOf, SIGN, type MdxMark, type MdxMarks } from "../mdx/mdx-marks.ts";

const MARK = /<\ud800(\d+)>/y;
const MARKS = /<\ud800(\d+)>/g;

/**
 * Teaches the parser marks. `marksOf` gives those of the text that is read, undefined where it has none; `isCode` tells of a
 * line of blocks that it is code by its indentation.
 */
export function readMarks(
  parser: MarkdownIt,
  marksOf: (state: { env: unknown }) => MdxMarks | undefined,
  isCode: (state: StateBlock, line: number) => boolean,
): void {
  parser.block.ruler.before(
    "table",
    "mdx_marks",
    (state, startLine, endLine, silent) => {
      const marks = marksOf(state);
      if (marks === undefined || isCode(state, startLine)) return false;
      if (findMark(state, startLine, marks) === undefined) return false;
      if (!silent) new MarkedLines(state, endLine, marks).read(startLine);
      return true;
    },
    { alt: ["paragraph", "reference", "blockquote", "list"] },
  );
  parser.inline.ruler.before("autolink", "mdx_marks", (state, silent) => {
    const marks = marksOf(state);
    return marks !== undefined && readInlineMark(state, silent);
  });
  parser.core.ruler.push("mdx_marks", (state) => {
    const marks = marksOf(state);
    if (marks !== undefined) resolveMarks(state, marks);
  });
}

interface FoundMark {
  id: number;
  mark: MdxMark;
  end: number;
}

/** The mark for a block at the start of a line; undefined when there is none. */
function findMark(state: StateBlock, line: number, marks: MdxMarks): FoundMark | undefined {
  return findMarkAt(state.src, (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), marks);
}

function findMarkAt(text: string, start: number, marks: MdxMarks): FoundMark | undefined {
  if (text[start] !== "<" || text[start + 1] !== "\ud800") return undefined;
  MARK.lastIndex = start;
  const id = Number(MARK.exec(text)?.[1]);
  const mark = marks.get(id);
  return mark?.isBlock === true ? { id, mark, end: MARK.lastIndex } : undefined;
}

/** Lines that begin with marks: what a mark opens is read as a text of its own, up to the mark that closes it. */
class MarkedLines {
  #line = 0;
  #position = 0;

  readonly #state: StateBlock;
  readonly #endLine: number;
  readonly #marks: MdxMarks;

  constructor(state: StateBlock, endLine: number, marks: MdxMarks) {
    this.#state = state;
    this.#endLine = Math.min(endLine, state.lineMax);
    this.#marks = marks;
  }

  read(startLine: number): void {
    const state = this.#state;
    this.#line = startLine;
    this.#position = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
    while (this.#position < (state.eMarks[this.#line] ?? 0)) {
      const found = findMarkAt(state.src, this.#position, this.#marks);
      if (found === undefined) break;
      this.#position = found.end;
      if (found.mark.role === "opening") this.#readInside(found);
      else this.#push(found.id);
      this.#position = state.skipSpaces(this.#position);
    }
    const line = this.#line;
    if (this.#position < (state.eMarks[line] ?? 0)) this.#tokenize(line, this.#position, line + 1, undefined);
    state.line = line + 1;
  }

  /** Without its end in these lines, the mark stays alone; `resolveMarks` finds that out. */
  #readInside({ id, mark, end }: FoundMark): void {
    const closing = mark.closing === undefined ? undefined : this.#findClosing(mark.closing);
    this.#push(id, closing !== undefined);
    if (closing === undefined || mark.closing === undefined) return;
    const { line, start } = closing;
    const state = this.#state;
    state.level++;
    const isTextBefore =
      line === this.#line || start > state.skipSpaces((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0));
    this.#tokenize(this.#line, end, isTextBefore ? line + 1 : line, isTextBefore ? start : undefined);
    state.level--;
    this.#line = line;
    this.#position = start + `${SIGN}${mark.closing}>`.length;
    this.#push(mark.closing, true);
  }

  #findClosing(id: number): { line: number; start: number } | undefined {
    const state = this.#state;
    const start = positionsOf(state).get(id) ?? -1;
    const endLine = this.#findOutside();
    if (start < this.#position || start >= (state.eMarks[endLine - 1] ?? 0)) return undefined;
    let [first, last] = [this.#line, endLine - 1];
    while (first < last) {
      const middle = Math.floor((first + last) / 2);
      if (start < (state.eMarks[middle] ?? 0)) last = middle;
      else first = middle + 1;
    }
    return { line: first, start };
  }

  /** The first line that is no part of the same list item. Looked for once for all the marks in it. */
  #findOutside(): number {
    const state = this.#state;
    const known = outsides.get(state);
    const isKnown = known?.blkIndent === state.blkIndent && known.from <= this.#line && this.#line < known.line;
    if (isKnown) return Math.min(known.line, this.#endLine);
    let line = this.#line + 1;
    while (line < this.#endLine && ((state.sCount[line] ?? 0) >= state.blkIndent || state.isEmpty(line))) line++;
    outsides.set(state, { blkIndent: state.blkIndent, from: this.#line, line });
    return line;
  }

  /** Reads lines from a place in the first, to a place in the last or to its end. */
  #tokenize(startLine: number, start: number, endLine: number, end: number | undefined): void {
    const state = this.#state;
    const { bMarks, tShift, sCount, eMarks, lineMax, parentType } = state;
    const before = [bMarks[startLine], tShift[startLine], sCount[startLine]] as [number, number, number];
    const lastEnd = eMarks[endLine - 1] ?? 0;
    bMarks[startLine] = Math.min(state.skipSpaces(start), end ?? eMarks[startLine] ?? start);
    tShift[startLine] = 0;
    sCount[startLine] = state.blkIndent;
    if (end !== undefined) eMarks[endLine - 1] = end;
    state.lineMax = endLine;
    state.parentType = "root";
    state.md.block.tokenize(state, startLine, endLine);
    state.parentType = parentType;
    state.lineMax = lineMax;
    eMarks[endLine - 1] = lastEnd;
    [bMarks[startLine], tShift[startLine], sCount[startLine]] = before;
  }

  #push(id: number, isPaired = false): void {
    const token = this.#state.push("html_block", "", 0);
    token.map = [this.#line, this.#line + 1];
    token.meta = { mdxMark: id, isPaired };
  }
}

const outsides = new WeakMap<StateBlock, { blkIndent: number; from: number; line: number }>();
const positions = new WeakMap<object, Map<number, number>>();

/** Where each mark stands in the text; found once for each parsing. */
function positionsOf({ src, env }: StateBlock): Map<number, number> {
  const known = positions.get(env);
  if (known !== undefined) return known;
  const found = new Map<number, number>();
  for (const { 1: id, index } of src.matchAll(MARKS)) found.set(Number(id), index);
  positions.set(env, found);
  return found;
}

function readInlineMark(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos + 1] !== "\ud800") return false;
  MARK.lastIndex = state.pos;
  const id = MARK.exec(state.src)?.[1];
  if (id === undefined) return false;
  state.pos = MARK.lastIndex;
  if (silent) return true;
  state.push("html_inline", "", 0).meta = { mdxMark: Number(id) };
  return true;
}

// The HTML of marks becomes that of their tokens. What has lost its other end, because that stands in another part of the
// text, is left out. In other HTML marks are replaced as they are; in code the author's text comes back.
function resolveMarks({ tokens }: StateCore, marks: MdxMarks): void {
  const places = findPlaces(tokens);
  const isPair = new Map<number, boolean>();
  for (const [id, place] of places) {
    const { closing } = marks.get(id) ?? {};
    if (closing === undefined) continue;
    const other = places.get(closing);
    const isRaw = (place === RAW && other === ALONE) || (place === ALONE && other === RAW);
    const fits = isRaw || (place === other && place !== ALONE);
    isPair.set(id, fits).set(closing, fits);
  }
  const toHtml = (id: number): string =>
    isPair.get(id) === false || marks.get(id) === undefined ? "" : (marks.show(id)?.html ?? "");
  visitEach(tokens, (token) => {
    const id = findMarkId(token);
    if (id !== undefined) token.content = toHtml(id);
    else if (token.type === "html_block") token.content = token.content.replace(MARKS, (_, raw) => toHtml(Number(raw)));
    else if (token.type !== "inline") token.content = restore(token.content, marks);
    token.info = restore(token.info, marks);
    if (token.attrs === null) return;
    for (const attribute of token.attrs) attribute[1] = restore(String(attribute[1]), marks);
  });
}

const [RAW, ALONE, PAIRED] = ["in other HTML", "alone", "paired"];

/** Where each mark stands, so that two ends can be compared. */
function findPlaces(tokens: Token[]): Map<number, string> {
  const places = new Map<number, string>();
  visitEach(tokens, (token, block) => {
    const id = findMarkId(token);
    if (id === undefined) {
      if (token.type !== "html_block") return;
      for (const [, raw] of token.content.matchAll(MARKS)) places.set(Number(raw), RAW);
    } else if (block !== undefined) places.set(id, `${block}:${token.level}`);
    else places.set(id, metaOf(token)?.isPaired === true ? PAIRED : ALONE);
  });
  return places;
}

function restore(text: string, marks: MdxMarks): string {
  // Far quicker than the whole sign: most texts hold no half pair, and cannot.
  if (!text.includes(HALF_PAIR)) return text;
  return text.replace(MARKS, (_, id) => marks.show(Number(id))?.source ?? "");
}

/** `block` is the number of the block around inline tokens. */
function visitEach(tokens: Token[], visit: (token: Token, block: number | undefined) => void): void {
  let index = 0;
  for (const token of tokens) {
    visit(token, undefined);
    if (token.children !== null) for (const child of token.children) visit(child, index);
    index++;
  }
}
