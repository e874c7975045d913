// Tokenizes HTML and passes its parts to a visitor.
import { decodeHTMLAttribute } from "entities";
import { Tokenizer } from "htmlparser2";

/** An attribute with its decoded value; `start` and `end` are its offsets in the HTML, without quotes. */
export interface HtmlAttribute {
  name: string;
  value: string;
  start: number;
  end: number;
  nameStart: number;
  /** The offset after the value and its quote. */
  outerEnd: number;
}

/**
 * An opening tag. `offset` is the offset of its `<`; `end` is the offset after its `>`, or undefined if `>` is missing.
 * Names are in lower case.
 */
export interface HtmlTag {
  name: string;
  offset: number;
  end: number | undefined;
  attributes: HtmlAttribute[];
  /** True for a tag such as `<br/>`. Only SVG and MathML respect the slash. */
  closesItself: boolean;
}

/** Callbacks for parts of HTML, with offsets in the undecoded HTML. */
export interface HtmlVisitor {
  /** Selects the attributes to pass to onTag; without this function, onTag gets none. */
  isWanted?: (tag: string, attribute: string) => boolean;
  /** Called for each opening tag, even if its `>` is missing, but not inside comments and scripts. */
  onTag?: (tag: HtmlTag) => void;
  onEndTag?: (name: string) => void;
  /** Called with a range of text; a text can arrive in several ranges. */
  onText?: (start: number, end: number) => void;
  /** Called with the range from `<!--` through `-->`, or to the end of the HTML if the comment is unclosed. */
  onComment?: (start: number, end: number) => void;
}

const HAS_UPPER_CASE = /[A-Z\u0080-\uffff]/;
const ignore = (): void => undefined;

/** Calls the visitor in document order. Keeps only one tag in memory. */
export function readHtml(html: string, { isWanted, onTag, onEndTag, onText, onComment }: HtmlVisitor): void {
  let tag = undefined as HtmlTag | undefined;
  let nameStart = 0;
  let nameEnd = 0;
  let start = -1;
  let end = -1;
  const nameOf = (from: number, to: number): string => {
    const name = html.slice(from, to);
    // Nearly all names are in lower case already; converting every name would add 50 % to the reading time.
    return HAS_UPPER_CASE.test(name) ? name.toLowerCase() : name;
  };
  const close = (endIndex: number, closesItself: boolean): void => {
    if (tag === undefined) return;
    const closed = tag;
    tag = undefined;
    closed.end = endIndex + 1;
    closed.closesItself = closesItself;
    onTag?.(closed);
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname: (from, to) => {
        tag = { name: nameOf(from, to), offset: from - 1, end: undefined, attributes: [], closesItself: false };
      },
      onattribname: (from, to) => {
        nameStart = from;
        nameEnd = to;
        start = -1;
      },
      onattribdata: (from, to) => {
        start = from;
        end = to;
      },
      onattribend: (_, outerEnd) => {
        if (tag === undefined || isWanted === undefined) return;
        const name = nameOf(nameStart, nameEnd);
        if (!isWanted(tag.name, name)) return;
        if (start === -1) start = end = outerEnd;
        const written = html.slice(start, end);
        const value = written.includes("&") ? decodeHTMLAttribute(written) : written;
        tag.attributes.push({ name, value, start, end, nameStart, outerEnd });
      },
      onopentagend: (endIndex) => close(endIndex, false),
      onselfclosingtag: (endIndex) => close(endIndex, true),
      onclosetag: (from, to) => onEndTag?.(nameOf(from, to)),
      ontext: onText ?? ignore,
      oncomment: (from, to) => onComment?.(from - "<!--".length, Math.min(to + 1, html.length)),
      oncdata: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onprocessinginstruction: ignore,
      onattribentity: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  if (tag !== undefined) onTag?.(tag);
}
