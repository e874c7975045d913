// Elements of HTML as MDX writes them: `<div className="a" style={{color: "red"}} />`. Browsers know neither values in braces nor
// an end within the tag: they would take all that follows to be in the element.
import { escapeHtml } from "../../html/escape.ts";
import { createLineCounter } from "../../html/line-counter.ts";
import { cutText } from "../../quote.ts";
import { NoLiteral, parseLiteral, toShownValue, type LiteralValue } from "./js-literal.ts";
import type { MarkdownSyntax } from "../markdown-environment.ts";
import { isComponent } from "./mdx-components.ts";
import { ComponentCode, findBraceEnd, findTagEnd, MAY_BEGIN_FENCE } from "./mdx-scanner.ts";

export interface HtmlElements {
  /** With as many lines as the text has. */
  text: string;
  /** What only a program could carry out: its first line, and how often it stood in the text. */
  dropped: { name: string; line: number; count: number }[];
}

/** As in the list of items: each tag that is not closed costs a look through the rest of the text. */
const MAX_UNCLOSED = 10;

// Most lines begin with nothing of interest.
const STOP = new RegExp(`[\`<{$\\\\]|\\n(?=${MAY_BEGIN_FENCE})`, "g");
const TAG = /<([a-z][a-z\d-]*|[A-Z][\w.]*)(?=[\s/>])/y;
const BLANK_TEXT = /(?<![\^_])\{[ \t]*(["'])[ ]*\1[ \t]*\}/y;
/** Before a > that begins a line, which would begin a quotation there. CommonMark 0.31 §4.8: a paragraph goes on at any indentation. */
const NO_QUOTATION = "    ";
/** HTML has no ends of these. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;

/** Makes the elements of MDX those of HTML. */
export function readElements(text: string, syntax: MarkdownSyntax | undefined): HtmlElements {
  return new ElementReader(text, syntax).read();
}

class ElementReader {
  #unclosed = 0;
  #copiedTo = 0;
  readonly #parts: string[] = [];
  readonly #dropped = new Map<string, HtmlElements["dropped"][number]>();
  readonly #lineAt: (offset: number) => number;
  readonly #code: ComponentCode;

  readonly #text: string;

  constructor(text: string, syntax: MarkdownSyntax | undefined) {
    this.#text = text;
    this.#lineAt = createLineCounter(text);
    this.#code = new ComponentCode(text, syntax);
  }

  read(): HtmlElements {
    let position = this.#code.findBlockEnd(0) ?? 0;
    while (position < this.#text.length) {
      STOP.lastIndex = position;
      const stop = STOP.exec(this.#text);
      if (stop === null) break;
      position = this.#readAt(stop.index, stop[0]);
    }
    this.#parts.push(this.#text.slice(this.#copiedTo));
    return { text: this.#parts.join(""), dropped: [...this.#dropped.values()] };
  }

  #readAt(start: number, char: string): number {
    if (char === "\n") return this.#code.findBlockEnd(start + 1) ?? start + 1;
    const codeEnd = this.#code.findEnd(start);
    if (codeEnd !== undefined) return codeEnd;
    if (char !== "<" && char !== "{") return start + 1;
    return char === "<" ? this.#readTag(start) : this.#readBrace(start);
  }

  // What Prettier writes for a blank at the end of a line.
  #readBrace(start: number): number {
    BLANK_TEXT.lastIndex = start;
    if (BLANK_TEXT.test(this.#text)) {
      this.#replace(start, BLANK_TEXT.lastIndex, " ");
      return BLANK_TEXT.lastIndex;
    }
    return start + 1;
  }

  #readTag(start: number): number {
    if (this.#text.startsWith("<!--", start)) {
      const end = this.#text.indexOf("-->", start);
      return end === -1 ? this.#text.length : end + 3;
    }
    TAG.lastIndex = start;
    const name = TAG.exec(this.#text)?.[1];
    if (name === undefined || this.#unclosed >= MAX_UNCLOSED) return start + 1;
    const end = findTagEnd(this.#text, start);
    if (end === undefined) this.#unclosed++;
    if (end === undefined || end === start) return start + 1;
    // What a component is given is read with it.
    if (isComponent(name) && name !== "img") return end;
    this.#readAttributes(name, start + 1 + name.length, end - 1);
    if (this.#text[end - 2] === "/" && !VOID.test(name)) this.#replace(end - 2, end, `></${name}>`);
    else if (this.#startsLine(end - 1)) this.#replace(end - 1, end, `${NO_QUOTATION}>`);
    return end;
  }

  #startsLine(offset: number): boolean {
    let before = offset - 1;
    while (this.#text[before] === " " || this.#text[before] === "\t") before--;
    return this.#text[before] === "\n";
  }

  #readAttributes(element: string, start: number, end: number): void {
    const name = /[^\s=/"'{}<>]+/y;
    for (let position = start; position < end;) {
      const char = this.#text[position] ?? "";
      if (char === "{") {
        const valueEnd = Math.min(findBraceEnd(this.#text, position) ?? end, end);
        this.#drop(element, this.#text.slice(position, valueEnd), position, valueEnd);
        position = valueEnd;
        continue;
      }
      if (char === '"' || char === "'") {
        position = this.#findQuoteEnd(position, end);
        continue;
      }
      name.lastIndex = position;
      const written = name.exec(this.#text)?.[0];
      position = written === undefined ? position + 1 : this.#readAttribute(element, written, position, end);
    }
  }

  /** Answers where the attribute ends. */
  #readAttribute(element: string, name: string, start: number, end: number): number {
    const nameEnd = start + name.length;
    const shown = name === "className" ? "class" : name === "htmlFor" ? "for" : name;
    if (!this.#text.startsWith("={", nameEnd)) {
      if (shown !== name) this.#replace(start, nameEnd, shown);
      const quote = this.#text[nameEnd] === "=" ? (this.#text[nameEnd + 1] ?? "") : "";
      return quote === '"' || quote === "'" ? this.#findQuoteEnd(nameEnd + 1, end) : nameEnd;
    }
    const valueEnd = Math.min(findBraceEnd(this.#text, nameEnd + 1) ?? end, end);
    const written = this.#text.slice(nameEnd + 1, valueEnd);
    const html = toAttribute(shown, written);
    if (html === undefined) this.#drop(element, name, start, valueEnd);
    else this.#replace(start, valueEnd, html);
    return valueEnd;
  }

  #findQuoteEnd(start: number, end: number): number {
    const close = this.#text.indexOf(this.#text.charAt(start), start + 1);
    return close === -1 || close >= end ? end : close + 1;
  }

  #drop(element: string, name: string, start: number, end: number): void {
    const label = `attribute ${cutText(name.replace(/\s+/g, " "))} of <${cutText(element)}>`;
    const known = this.#dropped.get(label);
    if (known !== undefined) known.count++;
    else this.#dropped.set(label, { name: label, line: this.#lineAt(start), count: 1 });
    this.#replace(start, end, toFiller(this.#text.slice(start, end)));
  }

  #replace(start: number, end: number, by: string): void {
    this.#parts.push(this.#text.slice(this.#copiedTo, start), by);
    this.#copiedTo = end;
  }
}

/** As many lines, of which none is blank: that would end the tag. They begin as they did, as in a quotation or a list. */
function toFiller(dropped: string): string {
  const filled = listBeginnings(dropped).map((beginning) => `\n${beginning};`);
  return filled.length === 0 ? "" : `data-dropped="${filled.join("")}"`;
}

/** What indents each line after the first, or makes it one of a quotation. */
function listBeginnings(text: string): string[] {
  return Array.from(text.matchAll(/\n([ \t>]*)/g), ([, beginning = ""]) => beginning);
}

/** An attribute whose value is written in braces, with as many lines; undefined where only a program has the value. */
function toAttribute(name: string, written: string): string | undefined {
  const value = readValue(written);
  const beginnings = listBeginnings(written);
  if (name === "style" && value instanceof Map) return toStyle(value, beginnings);
  if (beginnings.length > 0) return undefined;
  if (value === true) return name;
  if (value === false || value === null) return "";
  return typeof value === "string" || typeof value === "number" ? `${name}="${escapeHtml(String(value))}"` : undefined;
}

function readValue(written: string): LiteralValue {
  try {
    return toShownValue(parseLiteral(written, 1, written.length - 1));
  } catch (error) {
    if (!(error instanceof NoLiteral)) throw error;
    return undefined;
  }
}

/** Numbers of these are no lengths. */
const UNITLESS =
  /^(?:opacity|order|orphans|widows|zoom|z-index|line-height|tab-size|font-weight|aspect-ratio|column-count|flex(?:-grow|-shrink)?|(?:fill|stroke)-opacity|grid-(?:row|column|area)(?:-start|-end)?|--.*)$/;

function toStyle(style: Map<string, LiteralValue>, beginnings: string[]): string | undefined {
  const declarations: string[] = [];
  for (const [name, value] of style) {
    const property = name.startsWith("--") ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    const unit = typeof value === "number" && value !== 0 && !UNITLESS.test(property) ? "px" : "";
    declarations.push(escapeHtml(`${property}: ${value}${unit}`.replace(/\s+/g, " ")));
  }
  if (beginnings.length === 0) return `style="${declarations.join("; ")}"`;
  // No line of it may be blank, which would end the tag.
  const breaks = beginnings.map((beginning, line) => `${line <= declarations.length ? "" : ";"}\n${beginning}`);
  const texts = declarations.map((declaration, index) => `${breaks[index] ?? " "}${declaration};`);
  return `style="${texts.join("")}${breaks.slice(declarations.length).join("")}"`;
}
