// Tags that no browser knows: mostly text that was meant to be seen, such as Vec<String>, and components of other programs.
import type { HtmlTag } from "./read-html.ts";

/** Distinct names that are told of one text. */
const MAX_NAMES = 20;
const FOREIGN = new Set(["svg", "math"]);

/** All that HTML has, or once had. */
const KNOWN = new Set(
  (
    "a abbr acronym address animate applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br button " +
    "canvas caption center cite code col colgroup command content data datalist dd del details dfn dialog dir div dl dt em embed " +
    "fencedframe fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i " +
    "iframe image img input ins isindex kbd keygen label legend li link listing main map mark marquee math menu menuitem meta " +
    "meter multicol nav nextid nobr noembed noframes noscript object ol optgroup option output p param picture plaintext " +
    "portal pre progress q rb rbc rp rt rtc ruby s samp script search section select selectedcontent slot small source spacer " +
    "span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul " +
    "var video wbr xmp"
  ).split(" "),
);

/** True for a name that an element of HTML has, or once had. */
export function isHtmlElement(name: string): boolean {
  return KNOWN.has(name.toLowerCase());
}

/** A name that is no element's, as it is written first, and how often it is opened. */
export interface UnknownElement {
  /** `<` and the name. */
  written: string;
  /** Of the first in the HTML. */
  offset: number;
  count: number;
}

/** Collects the elements of HTML that browsers do not know; custom elements are known, and SVG and MathML have their own. */
export class UnknownElements {
  readonly #found = new Map<string, UnknownElement>();
  readonly #html: string;
  #isForeign = false;

  constructor(html: string) {
    this.#html = html;
  }

  openTag({ name, offset, closesItself }: HtmlTag): void {
    if (FOREIGN.has(name)) this.#isForeign = !closesItself;
    if (this.#isForeign || KNOWN.has(name) || !/^[a-z][a-z\d]*$/.test(name)) return;
    const known = this.#found.get(name);
    if (known !== undefined) known.count++;
    else if (this.#found.size < MAX_NAMES) {
      this.#found.set(name, { written: this.#html.slice(offset, offset + 1 + name.length), offset, count: 1 });
    }
  }

  closeTag(name: string): void {
    if (FOREIGN.has(name)) this.#isForeign = false;
  }

  /** In the order in which they first stand there. */
  list(): UnknownElement[] {
    return [...this.#found.values()];
  }
}
