// What MDX adds to Markdown, one piece at a time: tags of components, control lines, comments, imports.
import { isComponent } from "./mdx-components.ts";

/** Something in the text that is no Markdown. */
export interface JsxItem {
  /** A tag; a control line that begins a group, goes on with it, ends it, or stands alone; what readers never see. */
  kind: "open" | "empty" | "close" | "begin" | "next" | "end" | "alone" | "comment" | "module";
  /** Of a component, the word of a control line, or all of an order to the documentation builder. */
  name: string;
  /** What follows the word of a control line. */
  condition: string | undefined;
  /** What the author wrote. */
  source: string;
  /** The line of the text on which it begins, from 1. */
  line: number;
  /** True where it stands in lines of its own, and not in a sentence. */
  isBlock: boolean;
  /** What belongs together: two of a tag, two or more of `{#if}`. Undefined for what is alone, or not closed where it was opened. */
  group?: readonly JsxItem[] | undefined;
}

/** An item without its line, and the offset after it. */
export type FoundItem = Pick<JsxItem, "kind" | "name" | "condition"> & { end: number };

/** True for what encloses nothing. */
export function isWhole({ kind }: Pick<JsxItem, "kind">): boolean {
  return kind === "empty" || kind === "alone" || kind === "comment" || kind === "module";
}

const TAG = /<\/?([A-Za-z][\w.]*)(?=[\s/>])/y;
const CONTROL = /\{([#:/@])(if|else|each|key|await|then|catch|html|const|snippet|render)(?![\w-])/y;
const CONTROL_KINDS = { "#": "begin", ":": "next", "/": "end", "@": "alone" } as const;
// What the documentation builder writes in their places: links, and what it reads in the code of a program.
const BUILDER_LINE = /(\[\[(?:open-in-colab|autodoc)\]\])[^\n]*(?:\n[ \t]+- [^\n]*)*/y;
const MODULE_LINE =
  /(?:import\s+(?:["'{*]|[\w$]+\s*,|[\w$]+\s+from\b)|export\s+(?:default|const|let|var|function|class|async)\b|export\s*[{*])/y;

// In the middle of a text only what is plainly a statement counts: `import torch` is prose there.
const NAMES = String.raw`(?:[\w$]+|(?:[\w$]+[ \t]*,[ \t]*)?(?:\{[\w$,\s]{0,500}\}|\*[ \t]+as[ \t]+[\w$]+))`;
const IMPORT = String.raw`import[ \t]+(?:(?:type[ \t]+)?${NAMES}[ \t]*(?<![\w$])from[ \t]+)?(?:"[^"\n]+"|'[^'\n]+');?[ \t]*(?=\r?\n|$)`;
const EXPORT = String.raw`export\s+(?:(?:const|let|var)\s+[\w$]+\s*=|(?:default\s+)?(?:async\s+)?function\s*[\w$]*\s*\()`;
const MODULE_STATEMENT = new RegExp(`${IMPORT}|${EXPORT}`, "y");

/** The tag of a component, control line or comment that begins at `start`. Undefined where none does: an end that is not found makes none. */
export function readItem(text: string, start: number, budget: SearchBudget): FoundItem | undefined {
  if (text[start] === "<") return readTag(text, start, budget);
  return text[start] === "{" ? readBrace(text, start, budget) : undefined;
}

function readTag(text: string, start: number, budget: SearchBudget): FoundItem | undefined {
  TAG.lastIndex = start;
  const name = TAG.exec(text)?.[1];
  // <<SYS>> in prose is no tag.
  if (name === undefined || name === "img" || !isComponent(name) || text[start - 1] === "<") return undefined;
  const end = budget.find(findTagEnd, text, start);
  if (end === undefined) return undefined;
  const kind = text[start + 1] === "/" ? "close" : text[end - 2] === "/" ? "empty" : "open";
  return { kind, name, condition: undefined, end };
}

function readBrace(text: string, start: number, budget: SearchBudget): FoundItem | undefined {
  CONTROL.lastIndex = start;
  const [, sign, name = ""] = CONTROL.exec(text) ?? [];
  if (sign === undefined && !text.startsWith("{/*", start)) return undefined;
  const end = budget.find(sign === undefined ? findCommentEnd : findBraceEnd, text, start);
  if (end === undefined) return undefined;
  const kind = sign === undefined ? "comment" : CONTROL_KINDS[sign as keyof typeof CONTROL_KINDS];
  const condition = text.slice(start + name.length + 2, end - 1).replace(/^\s*if\b/, "");
  return { kind, name, condition: condition.trim() === "" ? undefined : condition, end };
}

/** An import, an export, or an order to the documentation builder, which begins a line. Above the first content all imports and exports count as such. */
export function readStatement(
  text: string,
  start: number,
  { budget, isModule, isTop }: { budget: SearchBudget; isModule: boolean; isTop: boolean },
): FoundItem | undefined {
  BUILDER_LINE.lastIndex = start;
  const name = BUILDER_LINE.exec(text)?.[1];
  if (name !== undefined) return { kind: "alone", name, condition: undefined, end: BUILDER_LINE.lastIndex };
  const pattern = isTop ? MODULE_LINE : MODULE_STATEMENT;
  pattern.lastIndex = start;
  if (!isModule || !pattern.test(text)) return undefined;
  return { kind: "module", name: "", condition: undefined, end: findStatementEnd(text, start, budget) };
}

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
