// XML as a tree. The five entities of XML are decoded, and characters by number; entities that a document declares are text, and
// nothing that it names is fetched.
import { Parser } from "htmlparser2";
import { describeTooManyNodes, UnreadableText, type SourceLimits } from "../limits.ts";
import { cutText } from "../quote.ts";
import { createLineCounter } from "./source-lines.ts";

/** Far deeper than documents are, and shallow enough for walks that call themselves. */
const MAX_DEPTH = 200;

/** Text of an element; `isRaw` for what stands in CDATA, which may be HTML as a whole. */
export interface XmlText {
  text: string;
  isRaw: boolean;
}

export interface XmlElement {
  /** Without the prefix of a namespace. */
  name: string;
  /** By their names without prefixes; of two the first. */
  attributes: Map<string, string>;
  children: XmlNode[];
  /** On which it begins, from 1. */
  line: number;
}

export type XmlNode = XmlElement | XmlText;

/** True for an element, false for text. */
export function isElement(node: XmlNode): node is XmlElement {
  return "children" in node;
}

/** Parses a document; gives its root. Throws UnreadableText when it is broken, too deep or too large. */
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
  /** The offset of the element that was opened last. */
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
    // What follows the root is not looked at.
    if (this.#open.length > 0 || this.#root === undefined) this.#open.push(element);
    this.#root ??= element;
  }

  close(name: string, isImplied: boolean, offset: number): void {
    const closed = this.#open.pop();
    // One that closes itself ends where it begins.
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
    if (this.#root === undefined) throw new UnreadableText("the file holds no XML element", "syntax");
    return this.#root;
  }

  #count(nodes: number): void {
    this.#nodes += nodes;
    if (this.#nodes > this.#limits.maxNodes) {
      throw new UnreadableText(describeTooManyNodes(this.#limits, "the XML"));
    }
  }
}

function toLocalName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** The elements among the children, of this name where one is given. */
export function listElements({ children }: XmlElement, name?: string): XmlElement[] {
  return children.filter(isElement).filter((child) => name === undefined || child.name === name);
}

/** The first child of this name; undefined when there is none. */
export function findElement(element: XmlElement, name: string): XmlElement | undefined {
  return listElements(element, name)[0];
}

/** The text in an element and all below it, trimmed. */
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
 * Decodes a document: UTF-16 by its byte order mark or its first bytes, else the encoding that it declares, else UTF-8. Throws
 * UnreadableText for an encoding that is not known, and for bytes that it does not allow.
 */
export function decodeXml(bytes: Uint8Array): string {
  const encoding = findEncoding(bytes);
  try {
    return new TextDecoder(encoding as Bun.Encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    const message =
      error instanceof RangeError ? `the encoding ${cutText(encoding)} is not known` : `is not valid ${encoding}`;
    throw new UnreadableText(`${message}; save the file as UTF-8`, "syntax");
  }
}

function findEncoding(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return "utf-16be";
  const opening = String.fromCharCode(...bytes.subarray(0, 200));
  const declared = /^(?:ï»¿)?<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(opening)?.[1]?.toLowerCase();
  // It can be read, so it is not what it says.
  return declared === undefined || declared.startsWith("utf-16") ? "utf-8" : declared;
}
