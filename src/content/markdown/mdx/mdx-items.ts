// The tags, control lines, comments and imports of MDX, in their order; code holds none.
import type { MarkdownSyntax } from "../markdown-environment.ts";
import { isComponent } from "./mdx-components.ts";
import { ComponentCode, findBraceEnd, findTagEnd, findTemplateEnd, MAY_BEGIN_FENCE } from "./mdx-scanner.ts";

/** Something in the text that is no Markdown; `end` is the offset after it. */
export interface MdxItem {
  /** A tag; a control line that begins a group, goes on with it, ends it, or stands alone; what readers never see. */
  kind: "open" | "empty" | "close" | "begin" | "next" | "end" | "alone" | "comment" | "module";
  /** Of a component, the word of a control line, or all of an order to the documentation builder. */
  name: string;
  /** What follows the word of a control line. */
  condition: string | undefined;
  start: number;
  end: number;
}

/**
 * Each that is never closed costs a look through the rest of the text. After so many, and with a long text after so many
 * looks through it, the rest is Markdown as it stands.
 */
const MAX_UNCLOSED = 100;
const MAX_LOOKS = 10;
const LONG_TEXT = 100_000;

// Most lines begin with nothing of interest.
const STOP = new RegExp(`[\`<{$\\\\]|\\n(?=(?:import|export)\\s|[ \\t]*\\[\\[|${MAY_BEGIN_FENCE})`, "g");
const TAG = /<\/?([A-Za-z][\w.]*)(?=[\s/>])/y;
const CONTROL = /\{([#:/@])(if|else|each|key|await|then|catch|html|const|snippet|render)(?![\w-])/y;
const CONTROL_KINDS = { "#": "begin", ":": "next", "/": "end", "@": "alone" } as const;
// What the documentation builder writes in their places: links, and what it reads in the code of a program.
const BUILDER_LINE = /[ \t]*(\[\[(?:open-in-colab|autodoc)\]\])[^\n]*(?:\n[ \t]+- [^\n]*)*/y;
const MODULE_LINE =
  /(?:import\s+(?:["'{*]|[\w$]+\s*,|[\w$]+\s+from\b)|export\s+(?:default|const|let|var|function|class|async)\b|export\s*[{*])/y;

// In the middle of a text only what is plainly a statement counts: `import torch` is prose there.
const NAMES = String.raw`(?:[\w$]+|(?:[\w$]+[ \t]*,[ \t]*)?(?:\{[\w$,\s]{0,500}\}|\*[ \t]+as[ \t]+[\w$]+))`;
const IMPORT = String.raw`import[ \t]+(?:(?:type[ \t]+)?${NAMES}[ \t]*(?<![\w$])from[ \t]+)?(?:"[^"\n]+"|'[^'\n]+');?[ \t]*(?=\r?\n|$)`;
const EXPORT = String.raw`export\s+(?:(?:const|let|var)\s+[\w$]+\s*=|(?:default\s+)?(?:async\s+)?function\s*[\w$]*\s*\()`;
const MODULE_STATEMENT = new RegExp(`${IMPORT}|${EXPORT}`, "y");

/** Lists what a program would read in MDX. An end that is never found makes none: then it is text. */
export function listItems(text: string, syntax: MarkdownSyntax | undefined): MdxItem[] {
  return new ItemReader(text, syntax).read();
}

class ItemReader {
  #position = 0;
  #unclosed = 0;
  readonly #items: MdxItem[] = [];
  readonly #code: ComponentCode;

  readonly #text: string;

  constructor(text: string, syntax: MarkdownSyntax | undefined) {
    this.#text = text;
    this.#code = new ComponentCode(text, syntax);
  }

  read(): MdxItem[] {
    this.#readModuleLines();
    this.#position = this.#readLineStart(this.#position);
    while (this.#position < this.#text.length) {
      STOP.lastIndex = this.#position;
      const stop = STOP.exec(this.#text);
      if (stop === null) break;
      this.#position = this.#readAt(stop.index, stop[0]);
    }
    return this.#items;
  }

  /** Reads what begins at `start`, and answers where to go on. */
  #readAt(start: number, char: string): number {
    if (char === "\n") return this.#readLineStart(start + 1);
    const codeEnd = this.#code.findEnd(start);
    if (codeEnd !== undefined) return codeEnd;
    if (char !== "<" && char !== "{") return start + 1;
    return char === "<" ? this.#readTag(start) : this.#readBrace(start);
  }

  #readLineStart(start: number): number {
    const codeEnd = this.#code.findBlockEnd(start);
    if (codeEnd !== undefined) return codeEnd;
    MODULE_STATEMENT.lastIndex = start;
    if (MODULE_STATEMENT.test(this.#text) && this.#startsBlock(start)) {
      return this.#addModule(start);
    }
    BUILDER_LINE.lastIndex = start;
    const name = BUILDER_LINE.exec(this.#text)?.[1];
    if (name === undefined) return start;
    return this.#add({ kind: "alone", name, condition: undefined, start, end: BUILDER_LINE.lastIndex });
  }

  #readTag(start: number): number {
    if (this.#text.startsWith("<!--", start)) {
      const end = this.#text.indexOf("-->", start);
      return end === -1 ? this.#text.length : end + 3;
    }
    TAG.lastIndex = start;
    const name = TAG.exec(this.#text)?.[1];
    // <<SYS>> in prose is no tag.
    if (name === undefined || !isComponent(name) || this.#text[start - 1] === "<") return start + 1;
    const end = this.#findEnd(findTagEnd, start);
    if (end === undefined || end === start) return start + 1;
    const isEmpty = this.#text[end - 2] === "/" || name === "img";
    const kind = this.#text[start + 1] === "/" ? "close" : isEmpty ? "empty" : "open";
    return this.#add({ kind, name, condition: undefined, start, end });
  }

  #readBrace(start: number): number {
    CONTROL.lastIndex = start;
    const [, sign, name = ""] = CONTROL.exec(this.#text) ?? [];
    if (sign === undefined && !this.#text.startsWith("{/*", start)) return start + 1;
    const end = this.#findEnd(sign === undefined ? findCommentEnd : findBraceEnd, start);
    if (end === undefined) return start + 1;
    const kind = sign === undefined ? "comment" : CONTROL_KINDS[sign as keyof typeof CONTROL_KINDS];
    const condition = this.#text.slice(start + name.length + 2, end - 1).replace(/^\s*if\b/, "");
    return this.#add({ kind, name, condition: condition.trim() === "" ? undefined : condition, start, end });
  }

  /** True behind a blank line, and behind another statement. */
  #startsBlock(start: number): boolean {
    const last = this.#items.at(-1);
    const before = this.#text.slice(Math.max(0, start - 100), start);
    return /\n[ \t\r]*\n$/.test(before) || (last?.kind === "module" && this.#text.slice(last.end, start).trim() === "");
  }

  #addModule(start: number): number {
    const end = this.#findStatementEnd(start);
    return this.#add({ kind: "module", name: "", condition: undefined, start, end });
  }

  /** Before the first content all imports and exports count as such. */
  #readModuleLines(): void {
    for (;;) {
      const start = this.#position + (/^\s*/.exec(this.#text.slice(this.#position))?.[0].length ?? 0);
      MODULE_LINE.lastIndex = start;
      if (!MODULE_LINE.test(this.#text)) return;
      this.#position = this.#addModule(start);
    }
  }

  // A statement ends with the line on which its brackets are closed, or its first where they never are.
  #findStatementEnd(start: number): number {
    const lineBreak = this.#text.indexOf("\n", start);
    const lineEnd = lineBreak === -1 ? this.#text.length : lineBreak;
    return this.#findEnd((text) => findBracketsEnd(text, start, this.#findPartEnd), start) ?? lineEnd;
  }

  readonly #findPartEnd = (start: number): number | undefined =>
    this.#findEnd(this.#text[start] === "{" ? findBraceEnd : findTemplateEnd, start);

  #findEnd(find: (text: string, start: number) => number | undefined, start: number): number | undefined {
    const { length } = this.#text;
    const most = length > LONG_TEXT ? MAX_LOOKS : MAX_UNCLOSED;
    const end = this.#unclosed < most ? find(this.#text, start) : undefined;
    if (end === undefined) this.#unclosed++;
    return end;
  }

  #add(item: MdxItem): number {
    this.#items.push(item);
    return item.end;
  }
}

function findCommentEnd(text: string, start: number): number | undefined {
  const end = text.indexOf("*/}", start);
  return end === -1 ? undefined : end + 3;
}

/**
 * The end of the first line at which no bracket is open; undefined when there is none. `findPartEnd` is asked for what braces and
 * back-ticks open, which has lines of its own.
 */
function findBracketsEnd(
  text: string,
  start: number,
  findPartEnd: (start: number) => number | undefined,
): number | undefined {
  let depth = 0;
  let position = start;
  while (position < text.length && (depth > 0 || text[position] !== "\n")) {
    const char = text[position];
    if (char === "[" || char === "(") depth++;
    if ((char === "]" || char === ")") && depth > 0) depth--;
    position = (char === "{" || char === "`" ? findPartEnd(position) : undefined) ?? position + 1;
  }
  return depth === 0 ? position : undefined;
}
