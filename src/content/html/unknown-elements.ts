// Finds unknown elements. Many are text, such as `Vec<String>`, or components of other programs.
import type { HtmlTag } from "./read-html.ts";

/** The maximum number of distinct names reported per text. */
const MAX_NAMES = 20;
const FOREIGN = new Set(["svg", "math"]);

/** Current and former HTML elements. */
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

/** Returns true for a current or former HTML element. */
export function isHtmlElement(name: string): boolean {
  return KNOWN.has(name.toLowerCase());
}

/** An unknown element as first written, with the number of its uses. */
export interface UnknownElement {
  /** `<` and the name, as written. */
  written: string;
  /** The offset of the first use. */
  offset: number;
  count: number;
}

/** Collects unknown elements, except custom elements and the content of SVG and MathML. */
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

  /** Lists the elements in order of first use. */
  list(): UnknownElement[] {
    return [...this.#found.values()];
  }
}
