// Where the code of a Markdown text stands, as the parser has it that renders the text: what is carried out before leaves it alone.
import type { MarkdownSyntax } from "./markdown-environment.ts";
import { parseBlocks } from "./create-parser.ts";

/** Lines of a text that are no list or quotation of others. */
interface Part {
  start: number;
  end: number;
  kind: "code" | "text" | "row";
  /** The code between back-ticks, in order; undefined until it is looked for. */
  spans?: Span[];
}

interface Span {
  start: number;
  end: number;
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

  readonly #text: string;
  readonly #syntax: MarkdownSyntax;
  readonly #isText: (block: string) => boolean;

  /** `isText` tells of an indented block that the format reads it all the same. */
  constructor(text: string, syntax: MarkdownSyntax, isText: (block: string) => boolean = () => false) {
    this.#text = text;
    this.#syntax = syntax;
    this.#isText = isText;
  }

  /** In the order of the text. Throws UnreadableText. */
  listFences(): readonly FencedCode[] {
    this.#read();
    return this.#fences;
  }

  /** The offset after the block of code, or the comment, that an offset is in; undefined for one in neither. Throws UnreadableText. */
  findBlockEnd(offset: number): number | undefined {
    const part = this.#findPart(offset);
    return part?.kind === "code" ? part.end : undefined;
  }

  /** The offset after the code that an offset is in, of a block or between back-ticks; undefined outside code. Throws UnreadableText. */
  findEnd(offset: number): number | undefined {
    const part = this.#findPart(offset);
    if (part === undefined || part.kind === "code") return part?.end;
    part.spans ??= listCodeSpans(this.#text.slice(part.start, part.end), part.kind === "row");
    const span = findAround(part.spans, offset - part.start);
    return span && part.start + span.end;
  }

  #findPart(offset: number): Part | undefined {
    return findAround(this.#read(), offset);
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
      else if (type === "fence" || (type === "code_block" && !this.#isText(content)))
        parts.push({ start, end, kind: "code" });
      else if (type === "inline") parts.push({ start, end, kind: "text" });
    }
    this.#parts = parts;
    return parts;
  }

  #readHtml(start: number, end: number, html: string): Part[] {
    if (!html.startsWith("<!--")) {
      return [{ start, end, kind: VERBATIM.test(html) ? "code" : "text" }];
    }
    const closing = this.#text.slice(start, end).indexOf("-->");
    const commentEnd = closing === -1 ? end : start + closing + "-->".length;
    return [
      { start, end: commentEnd, kind: "code" },
      { start: commentEnd, end, kind: "text" },
    ];
  }
}

/** The one of `ordered` that an offset is in. */
function findAround<Each extends Span>(ordered: readonly Each[], offset: number): Each | undefined {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ordered[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const found = ordered[low];
  return found !== undefined && found.start <= offset ? found : undefined;
}

// CommonMark 0.31 §6.1. Runs of back-ticks are told from each other by their length; in a row of a table each cell is by itself.
function listCodeSpans(text: string, isRow: boolean): Span[] {
  if (!text.includes("`")) return [];
  const spans: Span[] = [];
  let cell: Span[] = [];
  for (const { 0: sign, index } of text.matchAll(isRow ? /`+|\|/g : /`+/g)) {
    if (sign !== "|") cell.push({ start: index, end: index + sign.length });
    else if (!isEscaped(text, index)) {
      pairRuns(text, cell, spans);
      cell = [];
    }
  }
  pairRuns(text, cell, spans);
  return spans;
}

function pairRuns(text: string, runs: readonly Span[], spans: Span[]): void {
  const lengthOf = ({ start, end }: Span): number => end - start;
  const last = new Map(runs.map((run, at) => [lengthOf(run), at]));
  for (let at = 0; at < runs.length; at++) {
    const run = runs[at] as Span;
    // A backslash escapes the first of what opens code; in code it is itself.
    const start = run.start + (isEscaped(text, run.start) ? 1 : 0);
    if ((last.get(run.end - start) ?? -1) <= at) continue;
    do at++;
    while (lengthOf(runs[at] as Span) !== run.end - start);
    spans.push({ start, end: (runs[at] as Span).end });
  }
}

function isEscaped(text: string, position: number): boolean {
  let first = position;
  while (text[first - 1] === "\\") first--;
  return (position - first) % 2 === 1;
}

// As the parser counts lines.
function listLineStarts(text: string): number[] {
  const starts = [0];
  for (const { index, 0: lineBreak } of text.matchAll(/\r\n?|\n/g)) starts.push(index + lineBreak.length);
  return starts;
}
