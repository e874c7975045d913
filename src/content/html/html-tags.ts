import { Tokenizer, type QuoteType } from "htmlparser2";

/** An attribute with its decoded value; `start` and `end` are where the value stands in the HTML, without quotes. */
export interface HtmlAttribute {
  name: string;
  value: string;
  start: number;
  end: number;
}

/** An opening tag; `offset` is that of its `<`, `end` behind its `>`: undefined where it has none. Names are in lower case. */
export interface HtmlTag {
  name: string;
  offset: number;
  end: number | undefined;
  attributes: HtmlAttribute[];
}

/**
 * Calls `visit` for each opening tag of HTML in its order, also for one that the text does not close, with the attributes
 * that are wanted. Comments and scripts hold no tags. Holds one tag at a time: a text may be full of them.
 */
export function visitTags(
  html: string,
  isWanted: (tag: string, attribute: string) => boolean,
  visit: (tag: HtmlTag) => void,
): void {
  let tag = undefined as HtmlTag | undefined;
  let attributes: HtmlAttribute[] | undefined;
  let name = "";
  let nameEnd = 0;
  let value = "";
  // Entities come without their place.
  let dataStart: number | undefined;
  const ignore = (): void => undefined;
  const close = (endIndex: number): void => {
    if (tag !== undefined) tag.end = endIndex + 1;
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname: (start, end) => {
        if (tag !== undefined) visit(tag);
        tag = { name: html.slice(start, end).toLowerCase(), offset: start - 1, end: undefined, attributes: [] };
      },
      onattribname: (start, end) => {
        name = html.slice(start, end).toLowerCase();
        attributes = tag !== undefined && isWanted(tag.name, name) ? tag.attributes : undefined;
        nameEnd = end;
        value = "";
        dataStart = undefined;
      },
      onattribdata: (start, end) => {
        if (attributes === undefined) return;
        if (value === "") dataStart = start;
        value += html.slice(start, end);
      },
      onattribentity: (codePoint) => (value += String.fromCodePoint(codePoint)),
      onattribend: (quote, endIndex) => {
        if (attributes === undefined) return;
        const end = endIndex - closingQuoteLength(quote);
        const start = value === "" ? end : (dataStart ?? findValueStart(html, nameEnd));
        attributes.push({ name, value, start, end });
      },
      oncdata: ignore,
      onclosetag: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: close,
      onprocessinginstruction: ignore,
      onselfclosingtag: close,
      ontext: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  if (tag !== undefined) visit(tag);
}

function findValueStart(html: string, nameEnd: number): number {
  const beforeValue = /\s*=\s*["']?/y;
  beforeValue.lastIndex = nameEnd;
  return nameEnd + (beforeValue.exec(html)?.[0].length ?? 0);
}

function closingQuoteLength(quote: QuoteType): number {
  const unquoted: QuoteType.Unquoted = 1;
  return quote <= unquoted ? 0 : 1;
}
