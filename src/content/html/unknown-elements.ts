// Tags that no browser knows: mostly text that was meant to be seen, such as Vec<String>, and components of other programs.
import { visitTags } from "./html-tags.ts";

/** Distinct names that are told of one text. */
const MAX_NAMES = 20;

/** All that HTML has, or once had. */
const NAMES = (
  "a abbr acronym address animate applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br button " +
  "canvas caption center cite code col colgroup command content data datalist dd del details dfn dialog dir div dl dt em embed " +
  "fencedframe fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i " +
  "iframe image img input ins isindex kbd keygen label legend li link listing main map mark marquee math menu menuitem meta " +
  "meter multicol nav nextid nobr noembed noframes noscript object ol optgroup option output p param picture plaintext " +
  "portal pre progress q rb rbc rp rt rtc ruby s samp script search section select selectedcontent slot small source spacer " +
  "span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul " +
  "var video wbr xmp"
).split(" ");
const KNOWN = new Set(NAMES);
/** A search tries one name after the other: nearly all tags are one of these. */
const FREQUENT = "p li a code em strong h2 h3 ul ol pre img td tr br span div";
// Lets most HTML pass without being parsed.
const MAY_BE_UNKNOWN = new RegExp(
  `<(?!(?:${[...FREQUENT.split(" "), ...NAMES].join("|")})[\\s/>])[a-z][a-z\\d]*[\\s/>]`,
  "i",
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

/** Lists the elements of HTML that browsers do not know, in the order in which they first stand there; custom elements are known. */
export function listUnknownElements(html: string): UnknownElement[] {
  if (!MAY_BE_UNKNOWN.test(html)) return [];
  const found = new Map<string, UnknownElement>();
  visitTags(
    html,
    () => false,
    ({ name, offset }) => {
      if (KNOWN.has(name) || !/^[a-z][a-z\d]*$/.test(name)) return;
      const known = found.get(name);
      if (known !== undefined) known.count++;
      else if (found.size < MAX_NAMES) {
        found.set(name, { written: html.slice(offset, offset + 1 + name.length), offset, count: 1 });
      }
    },
  );
  return [...found.values()].filter(({ offset }) => !isWithin(html, "svg", offset) && !isWithin(html, "math", offset));
}

function isWithin(html: string, name: string, offset: number): boolean {
  const opened = html.lastIndexOf(`<${name}`, offset);
  return opened !== -1 && html.lastIndexOf(`</${name}`, offset) < opened;
}
