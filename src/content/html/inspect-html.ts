import { addIds } from "./fragments.ts";
import { LeftoverReader, type Leftover } from "./leftovers.ts";
import { addLinks, type HtmlLink } from "./links.ts";
import { readHtml } from "./read-html.ts";
import { addScripts, listForeignScripts, mayHoldForeign, type ScriptUse } from "./scripts.ts";

/** Facts about an HTML text. Each list is in document order. */
export interface HtmlFacts {
  /** The attributes with relative URLs or fragments. */
  links: HtmlLink[];
  /** The values of `id` attributes and of anchors' `name` attributes. */
  ids: Set<string>;
  /** The tags and attributes that would run scripts in the page. */
  scripts: ScriptUse[];
  /** Unknown elements, and visible syntax of other programs. */
  leftovers: Leftover[];
}

/** The attributes that `HtmlFacts` depends on, besides event handlers and the sizes of images. */
const FACT_ATTRIBUTES = new Set(
  "class id name href src srcset style poster data data-lesson-id type srcdoc sandbox action formaction xlink:href to from values".split(
    " ",
  ),
);

const SIZES = new Set(["width", "height"]);

/** Collects the facts in one pass. HTML that can contain SVG or similar content needs a second pass for its scripts. */
export function inspectHtml(html: string): HtmlFacts {
  if (html === "") return { links: [], ids: new Set(), scripts: [], leftovers: [] };
  const links: HtmlLink[] = [];
  const ids = new Set<string>();
  const scripts: ScriptUse[] = [];
  const leftovers = new LeftoverReader(html);
  const isForeign = mayHoldForeign(html);
  readHtml(html, {
    isWanted: (tag, name) => FACT_ATTRIBUTES.has(name) || name.startsWith("on") || (tag === "img" && SIZES.has(name)),
    onTag(tag) {
      if (tag.attributes.length > 0) {
        addLinks(tag, links);
        addIds(tag, ids);
      }
      if (!isForeign) addScripts(tag, scripts);
      leftovers.openTag(tag);
    },
    onEndTag: (name) => leftovers.closeTag(name),
    onText: (start, end) => leftovers.addText(start, end),
  });
  return { links, ids, scripts: isForeign ? listForeignScripts(html) : scripts, leftovers: leftovers.finish() };
}
