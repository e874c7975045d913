// Where the tags, comments and control lines of MDX end. Their attributes hold JavaScript, so braces and quotes count.
import { MarkdownCode } from "../markdown-code.ts";
import type { MarkdownSyntax } from "../markdown-environment.ts";
import { Formulas } from "../rules/math.ts";

const TAG_STOP = /[<>"'{]/g;

/**
 * The offset after the tag that begins at `start` with `<`; `start` where what follows can be in no tag, so that it is text, such
 * as `i <n and j <m`. Undefined when it is never closed.
 */
export function findTagEnd(text: string, start: number): number | undefined {
  let position = findNext(TAG_STOP, text, start + 1);
  while (position < text.length) {
    const char = text[position] ?? "";
    if (char === ">") return position + 1;
    if (char === "<" || (char !== "{" && !isValueStart(text, position))) return start;
    const end = char === "{" ? findBraceEnd(text, position) : text.indexOf(char, position + 1) + 1;
    if (end === undefined || end === 0) return undefined;
    position = findNext(TAG_STOP, text, end);
  }
  return undefined;
}

function isValueStart(text: string, position: number): boolean {
  let before = position - 1;
  while (/\s/.test(text.charAt(before))) before--;
  return text[before] === "=";
}

const BRACE_STOP = /[{}"'`]/g;

/** The offset after the `}` that closes the `{` at `start`; undefined when it is never closed. */
export function findBraceEnd(text: string, start: number): number | undefined {
  // For each quote, up to where one that opens is known not to be closed: then neither is any between.
  const unclosedTo = { '"': 0, "'": 0, "`": 0 };
  let depth = 0;
  let position = start;
  while (position < text.length) {
    const char = text[position];
    let next = position + 1;
    if (char === "{") depth++;
    if (char === "}" && --depth === 0) return next;
    if ((char === '"' || char === "'" || char === "`") && position >= unclosedTo[char]) {
      const { isClosed, end } = findStringEnd(text, position, char);
      if (isClosed) next = end;
      else unclosedTo[char] = end;
    }
    position = findNext(BRACE_STOP, text, next);
  }
  return undefined;
}

/** The offset after the template (text in back-ticks) that begins at `start`; undefined when it is never closed. */
export function findTemplateEnd(text: string, start: number): number | undefined {
  const { isClosed, end } = findStringEnd(text, start, "`");
  return isClosed ? end : undefined;
}

const STRING_STOP = { '"': /[\\"\n]/g, "'": /[\\'\n]/g, "`": /[\\`]/g };

// A quote that is not closed on its line is an apostrophe in text: <p>don't</p>.
function findStringEnd(text: string, start: number, quote: '"' | "'" | "`"): { isClosed: boolean; end: number } {
  const stop = STRING_STOP[quote];
  let position = findNext(stop, text, start + 1);
  for (; text[position] === "\\"; position = findNext(stop, text, position + 2));
  return text[position] === quote ? { isClosed: true, end: position + 1 } : { isClosed: false, end: position };
}

/** Where a global pattern is found next from `start` on; the end of the text where it is not. */
function findNext(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.exec(text)?.index ?? text.length;
}

const FENCE = /((?:[ \t]|>|[-*+][ \t]|\d+[.)][ \t])*)(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})[^\n]*(?:\n|$)/y;
const CODE_LINE = /([ \t>]*)([^\n]*)(?:\n|$)/y;
/** CommonMark 0.31 §4.4, §4.5: so far in, a line of hyphens, back-ticks or text is code. */
const CODE_INDENT = 4;

/** The source of a pattern for what may begin a fenced code block at the start of a line. */
export const MAY_BEGIN_FENCE = "[ \\t>*+.)\\d-]*(?:`{3}|~{3})";

/** The offset after the fenced code block that begins at `start`, the start of a line; undefined when none does. */
export function findFenceEnd(text: string, start: number): number | undefined {
  FENCE.lastIndex = start;
  const [, prefix = "", fence] = FENCE.exec(text) ?? [];
  if (fence === undefined) return undefined;
  const from = FENCE.lastIndex;
  const opening = measurePrefix(prefix);
  const isInItem = /[^ \t>]/.test(prefix);
  const column = isInItem ? opening.column : opening.column - CODE_INDENT + 1;
  if (column > 0 || opening.quotes > 0) return findEnclosedEnd(text, from, { ...opening, fence, least: column });
  // CommonMark 0.31 §4.5: closed by at least as many of the same character, or by the end of what it stands in.
  const closing = new RegExp(`^([ \\t>]*)${fence[0] === "~" ? "~" : "`"}{${fence.length},}[ \\t\\r]*$`, "gm");
  closing.lastIndex = from;
  for (let found = closing.exec(text); found !== null; found = closing.exec(text)) {
    if (measurePrefix(found[1] ?? "").column < opening.column + CODE_INDENT) return closing.lastIndex;
  }
  return text.length;
}

interface EnclosedFence {
  fence: string;
  column: number;
  /** How many quotations a line is in that belongs to it. */
  quotes: number;
  /** The column at which such a line begins at least. */
  least: number;
}

// A line that is not in the item of a list, or in the quotation, in which a code block begins ends that too. What is indented as
// code, and reads like a fence, ends so as well. No line is looked at twice: a text may be full of what ends at once.
function findEnclosedEnd(text: string, from: number, { fence, column, quotes, least }: EnclosedFence): number {
  CODE_LINE.lastIndex = from;
  for (let start = from; start < text.length; start = CODE_LINE.lastIndex) {
    const [line = "", prefix = "", rest = ""] = CODE_LINE.exec(text) ?? [];
    const measured = measurePrefix(prefix);
    const written = rest.trimEnd();
    if (measured.quotes < quotes || (written !== "" && measured.column < least)) return start;
    const isClosing = written.startsWith(fence) && written.replaceAll(fence.charAt(0), "") === "";
    if (isClosing && measured.column < column + CODE_INDENT) return start + line.replace(/\n$/, "").length;
  }
  return text.length;
}

/** The column behind what stands before a line's text, from 0, and how many quotations it opens. */
function measurePrefix(prefix: string): { column: number; quotes: number } {
  let column = 0;
  let quotes = 0;
  for (const char of prefix) {
    column += char === "\t" ? CODE_INDENT - (column % CODE_INDENT) : 1;
    if (char === ">") quotes++;
  }
  return { column, quotes };
}

/** The offset after what the backslash at `start` escapes: no line break, behind which code may begin. */
export function findEscapeEnd(text: string, start: number): number {
  return text[start + 1] === "\n" ? start + 1 : start + 2;
}

/** Finds the code, formulas and escapes among components. Asked in the order of the text, it looks through each part once. */
export class ComponentCode {
  readonly #text: string;
  /** Undefined where components hide from the parser what is code: in MDX, whose code is no matter of indentation. */
  readonly #code: MarkdownCode | undefined;
  readonly #inlineCode: InlineCode;
  readonly #formulas: Formulas;

  constructor(text: string, syntax: MarkdownSyntax | undefined) {
    this.#text = text;
    this.#code = syntax?.dialect.hasIndentedCode === true ? new MarkdownCode(text, syntax) : undefined;
    this.#inlineCode = new InlineCode(text);
    this.#formulas = new Formulas(text, syntax?.dialect.hasTexMath === true);
  }

  /** The offset after the block of code that a line begins or is in; undefined for other lines. */
  findBlockEnd(lineStart: number): number | undefined {
    return this.#code === undefined ? findFenceEnd(this.#text, lineStart) : this.#code.findBlockEnd(lineStart);
  }

  /** The offset after what begins at `start` and holds no components; undefined where nothing does. */
  findEnd(start: number): number | undefined {
    const codeEnd = this.#code?.findEnd(start);
    if (codeEnd !== undefined) return codeEnd;
    const sign = this.#text[start];
    if (sign === "`") return this.#code === undefined ? this.#inlineCode.findEnd(start) : start + 1;
    const formulaEnd = this.#formulas.findEnd(start);
    return formulaEnd ?? (sign === "\\" ? findEscapeEnd(this.#text, start) : undefined);
  }
}

/** Finds where inline code ends. Asked in the order of the text, it looks through each paragraph once. */
class InlineCode {
  /** Up to where the runs of backticks are known: the end of a paragraph. */
  #knownTo = 0;
  /** Where the last run of so many backticks begins. */
  readonly #lastRuns = new Map<number, number>();

  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The offset after the inline code whose backticks begin at `start`; after the backticks when they open none. */
  findEnd(start: number): number {
    const text = this.#text;
    let open = start;
    while (text[open] === "`") open++;
    if (start >= this.#knownTo) this.#readParagraph(start);
    const ticks = open - start;
    if ((this.#lastRuns.get(ticks) ?? -1) < open) return open;
    const runs = /`+/g;
    runs.lastIndex = open;
    for (let run = runs.exec(text); run !== null; run = runs.exec(text)) {
      if (run[0].length === ticks) return runs.lastIndex;
    }
    return open;
  }

  #readParagraph(start: number): void {
    this.#lastRuns.clear();
    const runs = /`+|\n[ \t]*\r?\n/g;
    runs.lastIndex = start;
    let run = runs.exec(this.#text);
    for (; run?.[0].startsWith("`") === true; run = runs.exec(this.#text)) this.#lastRuns.set(run[0].length, run.index);
    this.#knownTo = run?.index ?? this.#text.length;
  }
}
