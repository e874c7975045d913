// Values that are written as JavaScript, read without running any: what a component of MDX is given.

/** Markup in place of a value: `<p>don't</p>`, with its tags but for those of a fragment. */
export class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

export type LiteralValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | Markup
  | LiteralValue[]
  | Map<string, LiteralValue>;

/** The text is no literal: what was expected, and the offset where it is not. */
export class NoLiteral extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

const MAX_DEPTH = 100;
const MAX_VALUES = 10_000;

const BLANK = /(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
const NUMBER = /[+-]?(?:0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w$])/y;
const ASCII_WORD = /[A-Za-z$_][\w$]*(?![\w$]|[^\0-\x7f])/y;
const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const PLAIN = { '"': /[^"\\\n\r]*/y, "'": /[^'\\\n\r]*/y, "`": /[^`\\$]*/y };
const ESCAPE = /\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|(\r\n|[^]))/y;
const ESCAPED = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
  ["0", "\0"],
]);
const WORDS = new Map<string, LiteralValue>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["undefined", undefined],
]);

/**
 * Reads the literal between two offsets of a text: texts in any quotes, numbers, lists, objects, markup, with comments and
 * commas at the end. Throws NoLiteral for all else, such as names, calls and templates with values in them.
 */
export function parseLiteral(text: string, start: number, end: number): LiteralValue {
  const reader = new LiteralReader(text.slice(start, end), start);
  const value = reader.readSum(0);
  reader.expectEnd();
  return value;
}

/** The same value without what HTML cannot hold: U+0000 and halves of pairs, with which the parser's own marks are written. */
export function toShownValue(value: LiteralValue): LiteralValue {
  if (typeof value === "string") return toShownText(value);
  if (Array.isArray(value)) return value.map(toShownValue);
  if (value instanceof Map) return new Map([...value].map(([name, each]) => [name, toShownValue(each)]));
  return value instanceof Markup ? new Markup(toShownText(value.html)) : value;
}

function toShownText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

class LiteralReader {
  #position = 0;
  #values = 0;

  readonly #text: string;
  /** Where the text begins in the one that offsets are told of. */
  readonly #start: number;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#start = start;
  }

  expectEnd(): void {
    this.#skipBlank();
    if (this.#position < this.#text.length) this.#fail("one value is expected");
  }

  /** Long texts are written as a sum: `"one " + "two"`. */
  readSum(depth: number): LiteralValue {
    let value = this.#readValue(depth);
    this.#skipBlank();
    const parts: string[] = [];
    while (this.#text[this.#position] === "+") {
      if (typeof value !== "string") this.#fail("only texts can be added");
      if (parts.length === 0) parts.push(value);
      this.#position++;
      const next = this.#readValue(depth);
      if (typeof next !== "string") this.#fail("only texts can be added");
      parts.push(next);
      this.#skipBlank();
    }
    if (parts.length > 0) value = parts.join("");
    return value;
  }

  #readValue(depth: number): LiteralValue {
    if (depth > MAX_DEPTH || ++this.#values > MAX_VALUES) this.#fail("the value is too large");
    this.#skipBlank();
    const char = this.#text[this.#position];
    if (char === '"' || char === "'" || char === "`") return this.#readText(char);
    if (char === "[") return this.#readList(depth);
    if (char === "{") return this.#readObject(depth);
    if (char === "<") return this.#readMarkup();
    if (char === "(") return this.#readGroup(depth);
    const number = this.#take(NUMBER);
    if (number !== undefined) return Number(number);
    const at = this.#position;
    const word = this.#take(ASCII_WORD) ?? this.#take(WORD);
    if (word !== undefined && WORDS.has(word)) return WORDS.get(word);
    this.#position = at;
    return this.#fail("a text, number, list or object is expected");
  }

  #readGroup(depth: number): LiteralValue {
    this.#position++;
    const value = this.readSum(depth + 1);
    if (!this.#skip(")")) this.#fail("a ) is expected");
    return value;
  }

  #readList(depth: number): LiteralValue[] {
    const list: LiteralValue[] = [];
    this.#position++;
    while (!this.#skip("]")) {
      list.push(this.readSum(depth + 1));
      if (this.#skip(",")) continue;
      if (this.#skip("]")) break;
      this.#fail("a comma or ] is expected");
    }
    return list;
  }

  #readObject(depth: number): Map<string, LiteralValue> {
    const object = new Map<string, LiteralValue>();
    this.#position++;
    while (!this.#skip("}")) {
      const name = this.#readName();
      if (!this.#skip(":")) this.#fail("a colon is expected");
      // As in JavaScript the last of two wins.
      object.set(name, this.readSum(depth + 1));
      if (this.#skip(",")) continue;
      if (this.#skip("}")) break;
      this.#fail("a comma or } is expected");
    }
    return object;
  }

  #readName(): string {
    this.#skipBlank();
    const char = this.#text[this.#position];
    if (char === '"' || char === "'") return this.#readText(char);
    const number = this.#take(NUMBER);
    if (number !== undefined) return String(Number(number));
    return this.#take(ASCII_WORD) ?? this.#take(WORD) ?? this.#fail("the name of a field is expected");
  }

  #readText(quote: keyof typeof PLAIN): string {
    const start = this.#position;
    const parts: string[] = [];
    this.#position++;
    for (;;) {
      const plain = this.#take(PLAIN[quote]) ?? "";
      // A template has the line breaks of every system as \n.
      parts.push(quote === "`" ? plain.replace(/\r\n?/g, "\n") : plain);
      const char = this.#text[this.#position];
      if (char === quote) break;
      if (char === "\\") parts.push(this.#readEscape());
      else if (char === "$" && this.#text[this.#position + 1] !== "{") parts.push(this.#takeChar());
      else if (char === "$") this.#fail("a template with a value in it cannot be read");
      else this.#fail("the text is not closed", start);
    }
    this.#position++;
    return parts.join("");
  }

  #readEscape(): string {
    ESCAPE.lastIndex = this.#position;
    const escape = ESCAPE.exec(this.#text);
    if (escape === null) return this.#fail("the text is not closed");
    const [whole, braced, four, two, char = ""] = escape;
    const digits = braced ?? four ?? two;
    if (digits === undefined && (char === "u" || char === "x")) this.#fail("the escape cannot be read");
    if (digits !== undefined && Number.parseInt(digits, 16) > 0x10ffff) this.#fail("the escape cannot be read");
    this.#position += whole.length;
    if (digits !== undefined) return String.fromCodePoint(Number.parseInt(digits, 16));
    // A break after a backslash goes on with the text.
    return /^[\r\n\u2028\u2029]/.test(char) ? "" : (ESCAPED.get(char) ?? char);
  }

  /** One element with all that is in it, or a fragment. */
  #readMarkup(): Markup {
    const start = this.#position;
    let html = "";
    let depth = 0;
    do {
      const tag = this.#take(/<(\/?)([a-zA-Z][\w.-]*)?(?:[^<>"'{}]|"[^"]*"|'[^']*')*>/y);
      if (tag !== undefined) {
        const isClosing = tag.startsWith("</");
        const isAlone = tag.endsWith("/>") || /^<(?:br|hr|img|wbr)\b/i.test(tag);
        depth += isClosing ? -1 : isAlone ? 0 : 1;
        if (!/^<\/?>$/.test(tag)) html += tag.replace(/(\s)className=/g, "$1class=");
      } else if (this.#text[this.#position] === "{") {
        html += this.#readValueInMarkup();
      } else {
        const written = this.#take(/[^<{]+/y);
        if (written === undefined) this.#fail("the markup cannot be read", start);
        html += written;
      }
    } while (depth > 0);
    return new Markup(html);
  }

  /** `{" "}` and `{/* a note *\/}`. */
  #readValueInMarkup(): string {
    this.#position++;
    if (this.#skip("}")) return "";
    const quote = this.#text[this.#position];
    if (quote !== '"' && quote !== "'" && quote !== "`") return this.#fail("only a text can stand in markup");
    const text = this.#readText(quote);
    if (!this.#skip("}")) this.#fail("a } is expected");
    return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  }

  #skipBlank(): void {
    const char = this.#text.charCodeAt(this.#position);
    // All that is blank, but for what only other scripts have, comes before the first sign that is none.
    if (char <= 0x20 || char === 0x2f || char > 0x7f) this.#take(BLANK);
  }

  #skip(char: string): boolean {
    this.#skipBlank();
    if (this.#text[this.#position] !== char) return false;
    this.#position++;
    return true;
  }

  #takeChar(): string {
    return this.#text.charAt(this.#position++);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position;
    const taken = pattern.exec(this.#text)?.[0];
    this.#position += taken?.length ?? 0;
    return taken;
  }

  #fail(message: string, offset = this.#position): never {
    throw new NoLiteral(message, this.#start + offset);
  }
}
