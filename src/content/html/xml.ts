// Parses XML into a tree. Decodes the five predefined entities and numeric references; declared entities stay text, and
// the parser fetches nothing.
import { Parser } from "htmlparser2";
import { describeTooManyNodes, UnreadableText, type SourceLimits } from "../limits.ts";
import { cutText } from "../quote.ts";
import { createLineCounter } from "./source-lines.ts";

/** The maximum depth of elements, which limits recursion. Real documents are far less deep. */
const MAX_DEPTH = 200;

/** An element's text; `isRaw` marks CDATA, which can contain HTML. */
export interface XmlText {
  text: string;
  isRaw: boolean;
}

export interface XmlElement {
  /** The name without its namespace prefix. */
  name: string;
  /** Attributes by name without the prefix; the first of several with the same name wins. */
  attributes: Map<string, string>;
  children: XmlNode[];
  /** The line of the opening tag, from 1. */
  line: number;
}

export type XmlNode = XmlElement | XmlText;

export function isElement(node: XmlNode): node is XmlElement {
  return "children" in node;
}

/** Parses a document and returns its root. Throws UnreadableText if the document is broken, too deep or too large. */
export function parseXml(text: string, limits: SourceLimits): XmlElement {
  const builder = new TreeBuilder(text, limits);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => builder.open(name, attributes, parser.startIndex),
      onclosetag: (name, isImplied) => builder.close(name, isImplied, parser.startIndex),
      ontext: (data) => builder.addText(data),
      oncdatastart: () => builder.beginRaw(),
      oncdataend: () => builder.endRaw(),
    },
    { xmlMode: true },
  );
  parser.end(text);
  return builder.finish();
}

class TreeBuilder {
  #root: XmlElement | undefined;
  readonly #open: XmlElement[] = [];
  #isRaw = false;
  /** The offset of the last opened element. */
  #lastOpened = -1;
  #nodes = 0;
  readonly #lineOf: (offset: number) => number;
  readonly #limits: SourceLimits;

  constructor(text: string, limits: SourceLimits) {
    this.#lineOf = createLineCounter(text);
    this.#limits = limits;
  }

  open(name: string, attributes: Record<string, string>, offset: number): void {
    const line = this.#lineOf(offset);
    this.#lastOpened = offset;
    this.#count(1 + Object.keys(attributes).length);
    if (this.#open.length >= MAX_DEPTH) {
      throw new UnreadableText(`elements are nested more than ${MAX_DEPTH} levels deep`, "too-large", line);
    }
    const element: XmlElement = { name: toLocalName(name), attributes: new Map(), children: [], line };
    for (const [attribute, value] of Object.entries(attributes)) {
      const local = toLocalName(attribute);
      if (!element.attributes.has(local)) element.attributes.set(local, value);
    }
    this.#open.at(-1)?.children.push(element);
    // Ignores content after the root.
    if (this.#open.length > 0 || this.#root === undefined) this.#open.push(element);
    this.#root ??= element;
  }

  close(name: string, isImplied: boolean, offset: number): void {
    const closed = this.#open.pop();
    // The parser reports the same offset for both ends of a self-closing element.
    if (!isImplied || closed === undefined || offset === this.#lastOpened) return;
    throw new UnreadableText(`<${cutText(name)}> is not closed`, "syntax", closed.line);
  }

  addText(text: string): void {
    const children = this.#open.at(-1)?.children;
    const last = children?.at(-1);
    if (last !== undefined && !isElement(last) && last.isRaw === this.#isRaw) last.text += text;
    else if (children !== undefined) {
      this.#count(1);
      children.push({ text, isRaw: this.#isRaw });
    }
  }

  beginRaw(): void {
    this.#isRaw = true;
  }

  endRaw(): void {
    this.#isRaw = false;
  }

  finish(): XmlElement {
    if (this.#root === undefined) throw new UnreadableText("the file contains no XML element", "syntax");
    return this.#root;
  }

  #count(nodes: number): void {
    this.#nodes += nodes;
    if (this.#nodes > this.#limits.maxNodes) {
      throw new UnreadableText(describeTooManyNodes(this.#limits.maxNodes, "the XML"));
    }
  }
}

function toLocalName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Returns the child elements; with `name`, only those of that name. */
export function listElements({ children }: XmlElement, name?: string): XmlElement[] {
  return children.filter(isElement).filter((child) => name === undefined || child.name === name);
}

/** Returns the first child element of that name, if any. */
export function findElement(element: XmlElement, name: string): XmlElement | undefined {
  return listElements(element, name)[0];
}

/** Returns the trimmed text of an element and its descendants. */
export function textOf(element: XmlElement): string {
  const parts: string[] = [];
  const visit = ({ children }: XmlElement): void => {
    for (const child of children)
      if (isElement(child)) visit(child);
      else parts.push(child.text);
  };
  visit(element);
  return parts.join("").trim();
}

/**
 * Decodes a document as UTF-16 if its first bytes or byte order mark indicate that, else in the declared encoding, else
 * as UTF-8. Throws UnreadableText for unknown encodings and invalid bytes.
 */
export function decodeXml(bytes: Uint8Array): string {
  const encoding = findEncoding(bytes);
  try {
    return new TextDecoder(encoding as Bun.Encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    const message =
      error instanceof RangeError ? `the encoding ${cutText(encoding)} is not supported` : `is not valid ${encoding}`;
    throw new UnreadableText(`${message}; save the file as UTF-8`, "syntax");
  }
}

function findEncoding(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return "utf-16be";
  const opening = String.fromCharCode(...bytes.subarray(0, 200));
  const declared = /^(?:ï»¿)?<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(opening)?.[1]?.toLowerCase();
  // A declaration readable as single bytes is not in UTF-16, whatever it declares.
  return declared === undefined || declared.startsWith("utf-16") ? "utf-8" : declared;
}
