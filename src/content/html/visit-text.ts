import { Tokenizer } from "htmlparser2";

/** A piece of text between two tags; `start` and `end` are its offsets in the HTML, in which entities are written. */
export interface TextPiece {
  start: number;
  end: number;
  /** In `pre`, or in another element for code. */
  code: "block" | "inline" | undefined;
  /** The tag that comes after it; "" at the end. */
  nextTag: string;
}

const CODE = new Set(["code", "pre", "kbd", "samp", "tt"]);
/** What is in them is no text for readers, or a notation of its own. */
const HIDDEN = new Set(["script", "style", "textarea", "template", "noscript", "iframe", "title", "svg", "math"]);
const FOREIGN = new Set(["svg", "math"]);
/** What `class` says of formulas, which are delivered as they were written. */
const IS_FORMULA = /(?:^|\s)(?:math|katex|MathJax)(?:[\s_-]|$)/i;

/** Calls `visit` for the text of HTML that readers see, in its order; formulas are left out. */
export function visitText(html: string, visit: (piece: TextPiece) => void): void {
  const reader = new TextReader(visit);
  const ignore = (): void => undefined;
  let attribute = "";
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      ontext: (start, end) => reader.addText(start, end),
      onopentagname: (start, end) => reader.open(html.slice(start, end).toLowerCase()),
      onattribname: (start, end) => (attribute = html.slice(start, end).toLowerCase()),
      onattribdata: (start, end) => {
        if (attribute === "class" && IS_FORMULA.test(html.slice(start, end))) reader.skipOpened();
      },
      onselfclosingtag: () => reader.closeItself(),
      onclosetag: (start, end) => reader.close(html.slice(start, end).toLowerCase()),
      onattribend: ignore,
      onattribentity: ignore,
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onprocessinginstruction: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  reader.flush("");
}

class TextReader {
  #start = 0;
  #end = 0;
  #opened = "";
  /** The element whose text is code or not seen, and how many of its name are open in it. */
  #special = "";
  #depth = 0;
  #isHidden = false;
  readonly #visit: (piece: TextPiece) => void;

  constructor(visit: (piece: TextPiece) => void) {
    this.#visit = visit;
  }

  addText(start: number, end: number): void {
    if (this.#end === this.#start) this.#start = start;
    // A comment between two texts.
    else if (start !== this.#end) {
      this.flush("");
      this.#start = start;
    }
    this.#end = end;
  }

  open(name: string): void {
    this.flush(name);
    this.#opened = name;
    if (this.#depth > 0) {
      if (name === this.#special) this.#depth++;
    } else if (CODE.has(name) || HIDDEN.has(name)) this.#enter(HIDDEN.has(name));
  }

  /** The element that was opened last is none whose text is looked at. */
  skipOpened(): void {
    if (this.#depth === 0) this.#enter(true);
  }

  closeItself(): void {
    if (FOREIGN.has(this.#opened)) this.close(this.#opened);
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

  #enter(isHidden: boolean): void {
    this.#special = this.#opened;
    this.#depth = 1;
    this.#isHidden = isHidden;
  }
}
