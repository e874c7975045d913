// Where the tags, comments and control lines of MDX end. Their attributes hold JavaScript, so braces and quotes count.

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

const FENCE = /(?:[ \t]|>|[-*+][ \t]|\d+[.)][ \t])*(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})[^\n]*(?:\n|$)/y;

/** The source of a pattern for what may begin a fenced code block at the start of a line. */
export const MAY_BEGIN_FENCE = "[ \\t>*+.)\\d-]*(?:`{3}|~{3})";

/** The offset after the fenced code block that begins at `start`, the start of a line; undefined when none does. */
export function findFenceEnd(text: string, start: number): number | undefined {
  FENCE.lastIndex = start;
  const fence = FENCE.exec(text)?.[1];
  if (fence === undefined) return undefined;
  // CommonMark 0.31 §4.5: closed by at least as many of the same character, or by the end of the text.
  const closing = new RegExp(`^[ \\t>]*${fence[0] === "~" ? "~" : "`"}{${fence.length},}[ \\t\\r]*$`, "gm");
  closing.lastIndex = FENCE.lastIndex;
  return closing.exec(text) === null ? text.length : closing.lastIndex;
}

/** The offset after what the backslash at `start` escapes: no line break, behind which code may begin. */
export function findEscapeEnd(text: string, start: number): number {
  return text[start + 1] === "\n" ? start + 1 : start + 2;
}

/** Finds where inline code ends. Asked in the order of the text, it looks through each paragraph once. */
export class InlineCode {
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
