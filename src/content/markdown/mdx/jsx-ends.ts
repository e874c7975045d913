// Where tags and braces of MDX end. Both hold JavaScript, so braces and quotes count.

const TAG_STOP = /[<>"'{]/g;

/**
 * The offset after the tag that begins at `start` with `<`; `~offset` of the sign because of which what begins there is text, such
 * as the second `<` of `i <n and j <m`. Undefined when it is never closed.
 */
export function findTagEnd(text: string, start: number): number | undefined {
  let position = findNext(TAG_STOP, text, start + 1);
  while (position < text.length) {
    const char = text[position] ?? "";
    if (char === ">") return position + 1;
    if (char === "<" || (char !== "{" && !isValueStart(text, position))) return ~position;
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

/** The offset after `*\/}`, which ends a comment; undefined when it is never closed. */
export function findCommentEnd(text: string, start: number): number | undefined {
  const end = text.indexOf("*/}", start);
  return end === -1 ? undefined : end + 3;
}

/**
 * The end of the line on which the import or export at `start` has all its brackets closed; that of its first line when they never
 * are.
 */
export function findStatementEnd(text: string, start: number, budget: SearchBudget): number {
  const lineBreak = text.indexOf("\n", start);
  const findEnd = (): number | undefined => {
    let depth = 0;
    let position = start;
    while (position < text.length && (depth > 0 || text[position] !== "\n")) {
      const char = text[position];
      if (char === "[" || char === "(") depth++;
      if ((char === "]" || char === ")") && depth > 0) depth--;
      const find = char === "{" ? findBraceEnd : char === "`" ? findTemplateEnd : undefined;
      position = (find === undefined ? undefined : budget.find(find, text, position)) ?? position + 1;
    }
    return depth === 0 ? position : undefined;
  };
  return budget.find(findEnd, text, start) ?? (lineBreak === -1 ? text.length : lineBreak);
}

/** How much of a text is looked through for ends that it does not have. Beyond it, what would have to end is text. */
export class SearchBudget {
  #characters: number;

  constructor(textLength: number) {
    this.#characters = 1_000_000 + textLength * 10;
  }

  /** The end that `find` finds; undefined also where too much was looked through without finding. */
  find(find: (text: string, start: number) => number | undefined, text: string, start: number): number | undefined {
    const found = this.#characters > 0 ? find(text, start) : undefined;
    if (found !== undefined && found >= 0) return found;
    this.#characters -= (found === undefined ? text.length : ~found) - start;
    return undefined;
  }
}
