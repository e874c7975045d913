import { readHtml, type HtmlTag } from "./read-html.ts";

/** Text between two tags or comments; `start` and `end` are its offsets in the undecoded HTML. */
export interface TextPiece {
  start: number;
  end: number;
  /** "block" inside `pre`, "inline" inside other code elements; undefined elsewhere. */
  code: "block" | "inline" | undefined;
  /** The name of the following tag; "" before a comment and at the end. */
  nextTag: string;
}

const CODE = new Set(["code", "pre", "kbd", "samp", "tt"]);
/** Elements whose text is invisible or has its own notation. */
const HIDDEN = new Set(["script", "style", "textarea", "template", "noscript", "iframe", "title", "svg", "math"]);
const FOREIGN = new Set(["svg", "math"]);
/** Matches the classes of formulas, which readers get as written. */
const IS_FORMULA = /(?:^|\s)(?:math|katex|MathJax)(?:[\s_-]|$)/i;

/** Calls `visit`, in order, for the visible text in HTML other than formulas. */
export function visitText(html: string, visit: (piece: TextPiece) => void): void {
  const reader = new TextReader(visit);
  readHtml(html, {
    isWanted: (_, attribute) => attribute === "class",
    onTag: (tag) => reader.open(tag),
    onEndTag: (name) => reader.close(name),
    onText: (start, end) => reader.addText(start, end),
  });
  reader.flush("");
}

/** Joins adjacent text from a tokenizer into pieces. Tags must include their class attributes. */
export class TextReader {
  #start = 0;
  #end = 0;
  /** The enclosing code, formula or hidden element, and its nesting depth. */
  #special = "";
  #depth = 0;
  #isHidden = false;
  readonly #visit: (piece: TextPiece) => void;

  constructor(visit: (piece: TextPiece) => void) {
    this.#visit = visit;
  }

  addText(start: number, end: number): void {
    if (this.#end === this.#start) this.#start = start;
    // A comment separates two texts.
    else if (start !== this.#end) {
      this.flush("");
      this.#start = start;
    }
    this.#end = end;
  }

  open({ name, attributes, closesItself }: HtmlTag): void {
    this.flush(name);
    const isFormula = attributes.some((each) => each.name === "class" && IS_FORMULA.test(each.value));
    if (this.#depth > 0) {
      if (name === this.#special) this.#depth++;
    } else if (CODE.has(name) || HIDDEN.has(name) || isFormula) {
      this.#special = name;
      this.#depth = 1;
      this.#isHidden = !CODE.has(name);
    }
    if (closesItself && FOREIGN.has(name)) this.close(name);
  }

  close(name: string): void {
    this.flush(name);
    if (this.#depth > 0 && name === this.#special) this.#depth--;
  }

  flush(nextTag: string): void {
    const start = this.#start;
    const end = this.#end;
    this.#start = this.#end = 0;
    const isSpecial = this.#depth > 0;
    if (start === end || (isSpecial && this.#isHidden)) return;
    const code = isSpecial ? (this.#special === "pre" ? "block" : "inline") : undefined;
    this.#visit({ start, end, code, nextTag });
  }
}
