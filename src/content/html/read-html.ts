// The one tokenizer of HTML: each text is read once, for all who ask about it.
import { decodeHTMLAttribute } from "entities";
import { Tokenizer } from "htmlparser2";

/** An attribute with its decoded value. `start` and `end` are where the value stands in the HTML, without quotes. */
export interface HtmlAttribute {
  name: string;
  value: string;
  start: number;
  end: number;
  /** Where its name begins. */
  nameStart: number;
  /** Behind the value and its quote. */
  outerEnd: number;
}

/** An opening tag; `offset` is that of its `<`, `end` behind its `>`: undefined where it has none. Names are in lower case. */
export interface HtmlTag {
  name: string;
  offset: number;
  end: number | undefined;
  attributes: HtmlAttribute[];
  /** True for `<br/>`: only in SVG and MathML it says anything. */
  closesItself: boolean;
}

/** What somebody asks about a text. Offsets are those of the HTML, in which entities are written. */
export interface HtmlVisitor {
  /** The attributes with which tags are given; none where it is absent. */
  isWanted?: (tag: string, attribute: string) => boolean;
  /** Each opening tag, also one that the text does not close. Comments and scripts hold none. */
  onTag?: (tag: HtmlTag) => void;
  onEndTag?: (name: string) => void;
  /** A text may come in parts. */
  onText?: (start: number, end: number) => void;
  /** From `<!--` to behind `-->`; one that is not closed goes to the end. */
  onComment?: (start: number, end: number) => void;
}

const HAS_UPPER_CASE = /[A-Z\u0080-\uffff]/;
const ignore = (): void => undefined;

/** Calls the visitor for what HTML holds, in its order. Holds one tag at a time: a text may be full of them. */
export function readHtml(html: string, { isWanted, onTag, onEndTag, onText, onComment }: HtmlVisitor): void {
  let tag = undefined as HtmlTag | undefined;
  let nameStart = 0;
  let nameEnd = 0;
  let start = -1;
  let end = -1;
  const nameOf = (from: number, to: number): string => {
    const name = html.slice(from, to);
    // Nearly all are in lower case; to make it takes half as long as to read the text.
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
