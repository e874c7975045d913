// Where the code of a Markdown text stands, as the parser has it that renders the text: what is carried out before leaves it alone.
import type { MarkdownSyntax } from "./markdown-environment.ts";
import { parseBlocks } from "./markdown-parser.ts";

/** Lines of a text that are no list or quotation of others. */
interface Part {
  start: number;
  end: number;
  kind: "code" | "text" | "row";
}

/** A fenced code block; `start` and `end` are offsets of whole lines. */
export interface FencedCode {
  start: number;
  end: number;
  /** From 0. */
  firstLine: number;
  /** What stands behind the fence. */
  info: string;
}

/** Elements whose content is no text. */
const VERBATIM = /^<(?:pre|style|textarea)[\s>]/i;

/** The code of a text: blocks, what stands between back-ticks, comments, and HTML for code. Reads the text when it is first asked. */
export class MarkdownCode {
  /** In the order of the text, without what stands between them. */
  #parts: Part[] | undefined;
  readonly #fences: FencedCode[] = [];
  /** Up to where the runs of back-ticks are known: the end of a paragraph or cell. */
  #knownTo = 0;
  /** Where the last run of so many back-ticks begins. */
  readonly #lastRuns = new Map<number, number>();

  readonly #text: string;
  readonly #syntax: MarkdownSyntax;
  readonly #isText: (line: string) => boolean;

  /** `isText` tells of the first line of an indented block that the format reads it all the same. */
  constructor(text: string, syntax: MarkdownSyntax, isText: (line: string) => boolean = () => false) {
    this.#text = text;
    this.#syntax = syntax;
    this.#isText = isText;
  }

  /** In the order of the text. Throws UnreadableText. */
  listFences(): readonly FencedCode[] {
    this.#read();
    return this.#fences;
  }

  /**
   * The offset after the code that an offset is in, or after the back-ticks there that begin none; undefined outside code. Inline
   * code is found where it begins, by offsets in the order of the text. Throws UnreadableText.
   */
  findEnd(offset: number): number | undefined {
    const part = this.#findPart(offset);
    if (part?.kind === "code") return part.end;
    return this.#text[offset] === "`" ? this.#findInlineEnd(offset, part) : undefined;
  }

  #findInlineEnd(start: number, part: Part | undefined): number {
    const text = this.#text;
    let open = start;
    while (text[open] === "`") open++;
    if (start >= this.#knownTo) this.#readRuns(start, part);
    const ticks = open - start;
    if ((this.#lastRuns.get(ticks) ?? -1) < open) return open;
    const runs = /`+/g;
    runs.lastIndex = open;
    for (let run = runs.exec(text); run !== null; run = runs.exec(text)) {
      if (run[0].length === ticks) return runs.lastIndex;
    }
    return open;
  }

  #readRuns(start: number, part: Part | undefined): void {
    const end = part?.end ?? (this.#text.indexOf("\n", start) + 1 || this.#text.length);
    const runs = part?.kind === "row" ? /`+|\\\||\|/g : /`+/g;
    runs.lastIndex = start;
    this.#lastRuns.clear();
    let run = runs.exec(this.#text);
    for (; run !== null && run.index < end && run[0] !== "|"; run = runs.exec(this.#text)) {
      if (run[0].startsWith("`")) this.#lastRuns.set(run[0].length, run.index);
    }
    this.#knownTo = Math.min(run?.index ?? end, end);
  }

  #findPart(offset: number): Part | undefined {
    const parts = this.#read();
    let low = 0;
    let high = parts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((parts[middle]?.end ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    const part = parts[low];
    return part !== undefined && part.start <= offset ? part : undefined;
  }

  #read(): readonly Part[] {
    if (this.#parts !== undefined) return this.#parts;
    const parts: Part[] = [];
    const lineStarts = listLineStarts(this.#text);
    const offsetOf = (line: number): number => lineStarts[line] ?? this.#text.length;
    for (const { type, map, info, content } of parseBlocks(this.#text, this.#syntax)) {
      if (map === null) continue;
      const [start, end] = [offsetOf(map[0]), offsetOf(map[1])];
      if (type === "fence") this.#fences.push({ start, end, firstLine: map[0], info });
      if (type === "html_block") parts.push(...this.#readHtml(start, end, content.trimStart()));
      else if (type === "tr_open") parts.push({ start, end, kind: "row" });
      else if (type === "fence" || (type === "code_block" && !this.#isText(content.split("\n", 1)[0] ?? "")))
        parts.push({ start, end, kind: "code" });
      else if (type === "inline") parts.push({ start, end, kind: "text" });
    }
    this.#parts = parts;
    return parts;
  }

  #readHtml(start: number, end: number, html: string): Part[] {
    if (!html.startsWith("<!--")) {
      const isCode = !this.#syntax.dialect.hasComponents && VERBATIM.test(html);
      return [{ start, end, kind: isCode ? "code" : "text" }];
    }
    const closing = this.#text.slice(start, end).indexOf("-->");
    const commentEnd = closing === -1 ? end : start + closing + "-->".length;
    return [
      { start, end: commentEnd, kind: "code" },
      { start: commentEnd, end, kind: "text" },
    ];
  }
}

// As the parser counts lines.
function listLineStarts(text: string): number[] {
  const starts = [0];
  for (const { index, 0: lineBreak } of text.matchAll(/\r\n?|\n/g)) starts.push(index + lineBreak.length);
  return starts;
}
