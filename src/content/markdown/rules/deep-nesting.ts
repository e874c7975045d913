// Flattens deep lists and quotations: beyond the deepest level, each marked line becomes a paragraph.
import type { MarkdownIt, StateBlock } from "markdown-it";
import { environmentOf } from "../markdown-environment.ts";
import type { BlockState } from "../parser-states.ts";

/** The deepest parser level. A list takes two levels: one for itself and one for its item. */
const MAX_NESTING = 100;
/** Levels reserved for blocks inside the innermost one, such as table cells. */
const SPARE = 10;
const MARK = /(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))[ \t]*/my;
const THEMATIC_BREAK = /([-_*])[ \t]*(?:\1[ \t]*){2,}$/my;
const FENCE = /(?:`{3,}|~{3,})/y;

/** Returns true if blocks must not be nested any deeper. */
export function isInnermost({ level }: StateBlock): boolean {
  return level >= MAX_NESTING;
}

/** Flattens blocks before they reach the parser's depth limit, beyond which the parser drops content silently. */
export function limitNesting(parser: MarkdownIt): void {
  const { block } = parser;
  parser.set({ maxNesting: MAX_NESTING + SPARE });
  const tokenize = block.tokenize.bind(block);
  block.tokenize = (state, startLine, endLine) => {
    const isFlat = isInnermost(state) && flatten(state as BlockState, startLine, endLine);
    tokenize(state, startLine, endLine);
    // Tight lists have no paragraph tags to separate the lines.
    if (isFlat) state.tight = false;
  };
  block.ruler.before(
    "paragraph",
    "flat_line",
    (state, line, _, isSilent) => {
      return isSilent && (state as BlockState).flatLines.has(line);
    },
    { alt: ["paragraph"] },
  );
}

/** Removes markers from lines of the innermost level; returns false if no line has markers. */
function flatten(state: BlockState, startLine: number, endLine: number): boolean {
  const { blkIndent, bMarks, tShift, sCount, eMarks, src } = state;
  let hasMarks = false;
  let fence: { mark: string; indent: number } | undefined;
  for (let line = startLine; line < endLine; line++) {
    if (state.isEmpty(line)) continue;
    if (line > startLine && (sCount[line] ?? 0) < blkIndent) break;
    const indent = tShift[line] ?? 0;
    const start = (bMarks[line] ?? 0) + indent;
    const text = fence === undefined ? skipMarks(src, start) : start;
    if (text > start) {
      if (!hasMarks) reportFlat(state, line);
      hasMarks = true;
      state.flatLines.add(line);
    }
    // Code keeps the indentation that exceeds its fence's; the parser removes that of the innermost level.
    const kept: number = fence === undefined ? 0 : Math.min(indent, Math.max(indent - fence.indent, 0) + blkIndent);
    const mark = matchAt(FENCE, src, text);
    if (fence === undefined) fence = mark === undefined ? undefined : { mark, indent };
    else if (mark?.startsWith(fence.mark) && text + mark.length === eMarks[line]) fence = undefined;
    if (!hasMarks) continue;
    sCount[line] = blkIndent;
    bMarks[line] = text - kept;
    tShift[line] = kept;
  }
  return hasMarks;
}

/** Returns the offset after a line's list and quotation markers. */
function skipMarks(src: string, start: number): number {
  if (matchAt(THEMATIC_BREAK, src, start) !== undefined) return start;
  let position = start;
  for (let mark = matchAt(MARK, src, start); mark !== undefined; mark = matchAt(MARK, src, position)) {
    position += mark.length;
  }
  return position;
}

function matchAt(pattern: RegExp, src: string, start: number): string | undefined {
  pattern.lastIndex = start;
  return pattern.exec(src)?.[0];
}

function reportFlat(state: BlockState, line: number): void {
  const { remarks } = environmentOf(state);
  if (state.isToldFlat) return;
  state.isToldFlat = true;
  const message = "lists and quotations are nested too deeply: the deepest levels are flattened";
  remarks?.push({ line: line + 1, kind: "flattened-outline", message });
}
