// What MDX adds to Markdown, one piece at a time: tags of components, control lines, comments, imports.
import { isComponent } from "./mdx-components.ts";
import { findBraceEnd, findCommentEnd, findStatementEnd, findTagEnd, type SearchBudget } from "./jsx-ends.ts";

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
