// Relative URLs in a lesson's HTML: readers get the HTML without its folder, so they are resolved or reported.
import { cutText } from "../quote.ts";
import type { Problem } from "../source.ts";
import { escapeAttribute, escapeHtml } from "./escape.ts";
import { readHtml, type HtmlTag } from "./read-html.ts";

/** A relative URL, and where it is used. */
export interface RelativeLink {
  tag: string;
  attribute: string;
  /** As browsers read it. */
  url: string;
  /** As its author wrote it: for messages. */
  value: string;
  /** True where readers get it alone, and not in HTML. */
  needsHost?: boolean;
}

/** An attribute that holds relative URLs. Offsets are those of the HTML. */
export interface HtmlLink {
  tag: string;
  attribute: string;
  /** What the attribute says, decoded. */
  value: string;
  /** Where the value stands, without quotes. */
  start: number;
  end: number;
  /** After the name of the tag, where more attributes can stand. */
  nameEnd: number;
  /** The value as its author wrote it in Markdown, of which the renderer made this one. Undefined in HTML. */
  written?: string;
  /** True where the author gave the tag a size. */
  isSized?: boolean;
}

/** What an anchor says that leads to a lesson. */
const RESOLVED = "data-lesson-id";

const EMPTY_ANCHOR = /"(?: [a-z-]+="[^"<>]{0,500}")*>(?=<\/a>)/y;

/** Where the text of a link is to stand that was made of Markdown and has none, as in `[](page.md)`; undefined for any other. */
export function findTextPlace(html: string, { tag, end }: Pick<HtmlLink, "tag" | "end">): number | undefined {
  EMPTY_ANCHOR.lastIndex = end;
  return tag === "a" && EMPTY_ANCHOR.test(html) ? EMPTY_ANCHOR.lastIndex : undefined;
}

/** What a link of Markdown says that leads readers nowhere. */
export const UNRESOLVED = 'data-unresolved=""';

const SCHEME = /^[a-z][a-z\d+.-]*:/i;
// RFC 3986 §4.2: a relative reference has no scheme. One that begins with // names its host.
const ABSOLUTE_OR_INSIDE_PAGE = /^(?:[a-z][a-z\d+.-]*:|[\\/]{2}|#|$)/i;

/** True for a URL that means something only next to its file: no scheme, no host, not a place in the same page. */
export function isRelativeUrl(url: string): boolean {
  // Most are absolute, and some of these hold an image.
  return !SCHEME.test(url) && !ABSOLUTE_OR_INSIDE_PAGE.test(toReadUrl(url));
}

/** True for a link that a reader follows, to a page; not for what a page shows. */
export function isPageLink({ tag, attribute }: Pick<RelativeLink, "tag" | "attribute">): boolean {
  return attribute === "href" && (tag === "a" || tag === "area");
}

/** True for a URL that leads to a place in the same page. */
export function isInsidePage(url: string): boolean {
  return !SCHEME.test(url) && toReadUrl(url).startsWith("#");
}

/** True for a URL that is relative, or a link inside the page. */
export function isLocal(url: string, link: Pick<RelativeLink, "tag" | "attribute">): boolean {
  return isRelativeUrl(url) || (isInsidePage(url) && isPageLink(link));
}

/** A URL as browsers read it: https://url.spec.whatwg.org/#concept-basic-url-parser, steps 1 to 3. */
export function toReadUrl(url: string): string {
  return url.replace(/^[\0- ]+/, "").replace(/[\t\n\r]/g, "");
}

/** Lists the attributes of HTML that hold relative URLs, or lead to a place in the page, in the order of the HTML. */
export function listLinks(html: string): HtmlLink[] {
  const links: HtmlLink[] = [];
  readHtml(html, { isWanted: isLinkAttribute, onTag: (tag) => addLinks(tag, links) });
  return links;
}

/** Adds those attributes of a tag. */
export function addLinks({ name: tag, offset, attributes }: HtmlTag, links: HtmlLink[]): void {
  // Whoever wrote this has resolved the link already.
  if (attributes.some(({ name }) => name === RESOLVED)) return;
  for (const { name: attribute, value, start, end } of attributes) {
    if (!isLinkAttribute(tag, attribute)) continue;
    if (!hasLocalUrl(tag, attribute, value)) continue;
    const link = { tag, attribute, value, start, end, nameEnd: offset + 1 + tag.length };
    const isSized = tag === "img" && attributes.some(({ name }) => name === "width" || name === "height");
    links.push(isSized ? { ...link, isSized } : link);
  }
}

/** The link in a text before which there are `by` more characters. */
export function moveLink<Link extends HtmlLink>(link: Link, by: number): Link {
  return { ...link, start: link.start + by, end: link.end + by, nameEnd: link.nameEnd + by };
}

/** The relative URLs of an attribute, in their order, or the one that leads to a place in the page. */
export function listRelativeLinks({ tag, attribute, value, written }: HtmlLink): RelativeLink[] {
  return listUrls(attribute, value)
    .filter((url) => isLocal(url, { tag, attribute }))
    .map((url) => ({ tag, attribute, url, value: written ?? url }));
}

/**
 * The edit that gives an attribute other URLs for its relative ones, in their order; undefined for one that stays. Undefined
 * when all do.
 */
export function editUrls(
  { attribute, value, written, start, end }: HtmlLink,
  urls: readonly (string | undefined)[],
): TextEdit | undefined {
  let index = 0;
  const mapList = MAP_LISTS.get(attribute);
  const edited =
    mapList === undefined
      ? (urls[0] ?? value)
      : mapList(value, (url) => (isRelativeUrl(url) ? (urls[index++] ?? url) : url));
  if (edited === value) return undefined;
  // As the renderer of Markdown does; in HTML the value may stand in quotes of either kind, or in none.
  const text = written === undefined ? escapeAttribute(edited) : escapeHtml(edited);
  return { start, end, text };
}

/** Another text for what stands at a place of a text. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/** The text with all edits, which must be in its order; every other byte stays as it is. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let edited = "";
  let copiedTo = 0;
  for (const edit of edits) {
    edited += text.slice(copiedTo, edit.start) + edit.text;
    copiedTo = edit.end;
  }
  return edited + text.slice(copiedTo);
}

/** Resolves a relative URL; undefined when there is no base, or the URL cannot be read. */
export function resolveUrl(url: string, base: URL | undefined): string | undefined {
  return base === undefined ? undefined : (URL.parse(url, base.href)?.href ?? undefined);
}

/** The URL against which the links of a file in `folder` (relative to the root of the source) are resolved. */
export function toFolderUrl(folder: string, assetBase: URL): URL {
  const root = new URL(assetBase);
  if (!root.pathname.endsWith("/")) root.pathname += "/";
  const segments = folder.split("/").filter((segment) => segment !== "" && segment !== ".");
  return new URL(segments.map((segment) => `${encodeURIComponent(segment)}/`).join(""), root);
}

/** What to tell an author about a link. */
export type LinkProblem = Pick<Problem, "kind" | "message">;

/** What to tell an author about a link that stays relative, and which setting would help: `--asset-base`. */
export function describeRelativeLink(link: RelativeLink, setting: string): LinkProblem {
  const what = nameLink(link);
  const effect = what === "link" ? "it leads readers nowhere" : "readers cannot load it";
  const message = `${what} "${cutText(link.value, 120)}" is relative and no ${setting} is given; ${effect}`;
  return { kind: "relative-link", message };
}

/** What a link is to an author: `image`, `link`, `stylesheet`, … */
export function nameLink({ tag, attribute }: Pick<RelativeLink, "tag" | "attribute">): string {
  if (tag === "img" || attribute === "srcset" || attribute === "poster" || attribute === "style") return "image";
  if (tag === "video" || tag === "audio" || tag === "script") return tag;
  if (attribute === "href") return tag === "link" ? "stylesheet" : "link";
  if (tag === "iframe" || tag === "embed") return "embedded page";
  return "file";
}

function hasLocalUrl(tag: string, attribute: string, value: string): boolean {
  // Most are absolute.
  if (!MAP_LISTS.has(attribute) && SCHEME.test(value)) return false;
  return listUrls(attribute, value).some((url) => isLocal(url, { tag, attribute }));
}

/** True for an attribute that may hold a URL, or tells that the tag's is resolved. */
export function isLinkAttribute(tag: string, attribute: string): boolean {
  if (attribute === "data") return tag === "object";
  // The href of a base element is no link: it tells how to read the others.
  if (attribute === "href") return tag !== "base";
  return attribute === "src" || attribute === "poster" || attribute === RESOLVED || MAP_LISTS.has(attribute);
}

function listUrls(attribute: string, value: string): string[] {
  const mapList = MAP_LISTS.get(attribute);
  if (mapList === undefined) return [value];
  const urls: string[] = [];
  mapList(value, (url) => {
    urls.push(url);
    return url;
  });
  return urls;
}

// `a.png 1x, b.png 2x`: a candidate's URL holds no white space and neither begins nor ends with a comma. One that ends with a
// comma has no descriptors.
function mapCandidates(srcset: string, map: (url: string) => string): string {
  return srcset.replace(/(\S+)((?<!,)[^,]*)?/g, (_, text: string, descriptors = "") => {
    let start = 0;
    let end = text.length;
    while (text[start] === ",") start++;
    while (end > start && text[end - 1] === ",") end--;
    const url = text.slice(start, end);
    return text.slice(0, start) + (url === "" ? "" : map(url)) + text.slice(end) + String(descriptors);
  });
}

// background: url(a.png), url("b c.png"): one with an escape of CSS stays as it is.
function mapStyleUrls(style: string, map: (url: string) => string): string {
  return style.replace(/\burl\(\s*(?:"([^"\\]*)"|'([^'\\]*)'|([^\s"'()\\]+))\s*\)/gi, (whole, a, b, c) => {
    const url = String(a ?? b ?? c);
    const start = whole.lastIndexOf(url);
    const mapped = url === "" ? "" : map(url);
    if (mapped === url) return whole;
    const safe = mapped.replace(/["'()\\\s]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
    return whole.slice(0, start) + safe + whole.slice(start + url.length);
  });
}

/** What changes each URL of an attribute that may hold several. */
const MAP_LISTS = new Map([
  ["srcset", mapCandidates],
  ["style", mapStyleUrls],
]);

/** What a part of a URL says, without percent-encoding; as it is where that is broken. */
export function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A path as that of a URL. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** The HTML with other URLs for its relative ones; `map` gives undefined for one that stays. Every other byte stays as it is. */
export function mapRelativeUrls(html: string, map: (url: string) => string | undefined): string {
  const edits: TextEdit[] = [];
  for (const link of listLinks(html)) {
    const edit = editUrls(
      link,
      listRelativeLinks(link).map(({ url }) => map(url)),
    );
    if (edit !== undefined) edits.push(edit);
  }
  return edits.length === 0 ? html : applyEdits(html, edits);
}
