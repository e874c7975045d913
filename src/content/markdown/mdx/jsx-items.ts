// Reads MDX items: component tags, control lines, comments and imports.
import { isComponent } from "./mdx-components.ts";

/** A part of MDX that is not Markdown. */
export interface JsxItem {
  /** A tag; a control line, which begins, continues or ends a group or stands alone; a comment; an import or export. */
  kind: "open" | "empty" | "close" | "begin" | "next" | "end" | "alone" | "comment" | "module";
  /** The component's name, the control word, or the builder's whole directive. */
  name: string;
  /** The rest of a control line. */
  condition: string | undefined;
  /** The item as written. */
  source: string;
  /** The item's first line, from 1. */
  line: number;
  /** True if the item stands on lines of its own, false if it is part of a sentence. */
  isBlock: boolean;
  /**
   * The items of the same group: two for a tag, two or more for `{#if}`. Undefined for a single or unmatched item;
   * empty if only the opening item is to be reported.
   */
  group?: readonly JsxItem[] | undefined;
}

/** An item before its line is known, with its end offset. */
export type FoundItem = Pick<JsxItem, "kind" | "name" | "condition"> & { end: number };

/** Returns true for an item without content. */
export function isWhole({ kind }: Pick<JsxItem, "kind">): boolean {
  return kind === "empty" || kind === "alone" || kind === "comment" || kind === "module";
}

const TAG = /<\/?([A-Za-z][\w.]*)(?=[\s/>])/y;
const CONTROL = /\{([#:/@])(if|else|each|key|await|then|catch|html|const|snippet|render)(?![\w-])/y;
const CONTROL_KINDS = { "#": "begin", ":": "next", "/": "end", "@": "alone" } as const;
// The documentation builder's directives for links and code references.
const BUILDER_LINE = /(\[\[(?:open-in-colab|autodoc)\]\])[^\n]*(?:\n[ \t]+- [^\n]*)*/y;
const MODULE_LINE =
  /(?:import\s+(?:["'{*]|[\w$]+\s*,|[\w$]+\s+from\b)|export\s+(?:default|const|let|var|function|class|async)\b|export\s*[{*])/y;

// In the middle of the text, only unambiguous statements count: `import torch` can be prose.
const NAMES = String.raw`(?:[\w$]+|(?:[\w$]+[ \t]*,[ \t]*)?(?:\{[\w$,\s]{0,500}\}|\*[ \t]+as[ \t]+[\w$]+))`;
const IMPORT = String.raw`import[ \t]+(?:(?:type[ \t]+)?${NAMES}[ \t]*(?<![\w$])from[ \t]+)?(?:"[^"\n]+"|'[^'\n]+');?[ \t]*(?=\r?\n|$)`;
const EXPORT = String.raw`export\s+(?:(?:const|let|var)\s+[\w$]+\s*=|(?:default\s+)?(?:async\s+)?function\s*[\w$]*\s*\()`;
const MODULE_STATEMENT = new RegExp(`${IMPORT}|${EXPORT}`, "y");

/** Returns the item at `start`, if any. An unclosed item is text. */
export function readItem(text: string, start: number, budget: SearchBudget): FoundItem | undefined {
  if (text[start] === "<") return readTag(text, start, budget);
  return text[start] === "{" ? readBrace(text, start, budget) : undefined;
}

function readTag(text: string, start: number, budget: SearchBudget): FoundItem | undefined {
  TAG.lastIndex = start;
  const name = TAG.exec(text)?.[1];
  // <<SYS>> in prose is not a tag.
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

/**
 * Returns an import, export or builder directive at a line start. Above the first content, even a line that could be
 * prose counts as an import or export.
 */
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
 * Returns the offset after the tag at `start`; undefined if the tag is unclosed. If a character shows that this is
 * text, such as the second `<` of `i <n and j <m`, returns the `~offset` of that character.
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

/** Returns the offset after the `}` that matches the `{` at `start`; undefined if there is none. */
export function findBraceEnd(text: string, start: number): number | undefined {
  // For each quote character, the offset before which its strings are known to be unclosed.
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

/** Returns the offset after the template literal at `start`; undefined if the literal is unclosed. */
function findTemplateEnd(text: string, start: number): number | undefined {
  const { isClosed, end } = findStringEnd(text, start, "`");
  return isClosed ? end : undefined;
}

const STRING_STOP = { '"': /[\\"\n]/g, "'": /[\\'\n]/g, "`": /[\\`]/g };

// A quote that is not closed on its line is an apostrophe: <p>don't</p>.
function findStringEnd(text: string, start: number, quote: '"' | "'" | "`"): { isClosed: boolean; end: number } {
  const stop = STRING_STOP[quote];
  let position = findNext(stop, text, start + 1);
  for (; text[position] === "\\"; position = findNext(stop, text, position + 2));
  return text[position] === quote ? { isClosed: true, end: position + 1 } : { isClosed: false, end: position };
}

/** Returns the offset of the next match from `start` on; the text's end if there is none. */
function findNext(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.exec(text)?.index ?? text.length;
}

/** Returns the offset after a comment's closing marker; undefined if the comment is unclosed. */
export function findCommentEnd(text: string, start: number): number | undefined {
  const end = text.indexOf("*/}", start);
  return end === -1 ? undefined : end + 3;
}

/**
 * Returns the end of the statement at `start`: the end of the line that closes its brackets, or of its first line if
 * they are never closed.
 */
function findStatementEnd(text: string, start: number, budget: SearchBudget): number {
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

/** Limits failed and unused searches for closing marks; beyond the limit, opening marks are plain text. */
export class SearchBudget {
  #characters: number;

  constructor(textLength: number) {
    this.#characters = 1_000_000 + textLength * 10;
  }

  /** Returns the offset that `find` returns; undefined if the search fails or the budget is spent. */
  find(find: (text: string, start: number) => number | undefined, text: string, start: number): number | undefined {
    const found = this.#characters > 0 ? find(text, start) : undefined;
    if (found !== undefined && found >= 0) return found;
    this.chargeUnused(start, found === undefined ? text.length : ~found);
    return undefined;
  }

  /** Charges for a search that found `end` but whose text is searched again, since its result does not consume it. */
  chargeUnused(start: number, end: number): void {
    this.#characters -= end - start;
  }
}
