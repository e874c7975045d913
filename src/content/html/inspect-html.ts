import { addIds } from "./fragments.ts";
import { LeftoverReader, type Leftover } from "./leftovers.ts";
import { addLinks, type HtmlLink } from "./links.ts";
import { readHtml } from "./read-html.ts";
import { addScripts, listForeignScripts, mayHoldForeign, type ScriptUse } from "./scripts.ts";

/** What is to be known of a text, each in the order in which it stands there. */
export interface HtmlFacts {
  /** Its attributes that hold relative URLs, or lead to a place in the page. */
  links: HtmlLink[];
  /** Its ids, and the names of its anchors. */
  ids: Set<string>;
  /** What would run scripts in the page that shows it. */
  scripts: ScriptUse[];
  /** The syntax of other programs that readers see, and tags that no browser knows. */
  leftovers: Leftover[];
}

/** The attributes that tell any of it. */
const TOLD = new Set(
  "class id name href src srcset style poster data data-lesson-id type srcdoc sandbox action formaction xlink:href to from values".split(
    " ",
  ),
);

const SIZES = new Set(["width", "height"]);

/** Reads a text once for all that is to be known of it. */
export function inspectHtml(html: string): HtmlFacts {
  if (html === "") return { links: [], ids: new Set(), scripts: [], leftovers: [] };
  const links: HtmlLink[] = [];
  const ids = new Set<string>();
  const scripts: ScriptUse[] = [];
  const leftovers = new LeftoverReader(html);
  const isForeign = mayHoldForeign(html);
  readHtml(html, {
    isWanted: (tag, name) => TOLD.has(name) || name.startsWith("on") || (tag === "img" && SIZES.has(name)),
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
