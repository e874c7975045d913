// Relative URLs in lesson HTML. Readers get the HTML without its folder, so such URLs are resolved or reported.
import { cutText } from "../quote.ts";
import type { Problem } from "../source.ts";
import { escapeAttribute, escapeHtml } from "./escape.ts";
import { readHtml, type HtmlTag } from "./read-html.ts";

/** A relative URL and its element. */
export interface RelativeLink {
  tag: string;
  attribute: string;
  /** The URL as browsers parse it. */
  url: string;
  /** The URL as written, for messages. */
  value: string;
  /** True for a URL outside HTML, such as that of a course's image, which must be absolute. */
  needsHost?: boolean;
  /** True for a URL in the author's own HTML, not in Markdown. */
  isHtml?: boolean;
}

/** An attribute with relative URLs or a fragment link, with offsets in the HTML. */
export interface HtmlLink {
  tag: string;
  attribute: string;
  /** The decoded value of the attribute. */
  value: string;
  /** The offset of the value, without quotes. */
  start: number;
  end: number;
  /** The offset after the tag's name, where attributes can be inserted. */
  nameEnd: number;
  /** The URL as written in Markdown; undefined in HTML. */
  written?: string;
  /** True for an image with a width or height. */
  isSized?: boolean;
}

/** Marks an anchor that points to a lesson. */
const RESOLVED = "data-lesson-id";

const EMPTY_ANCHOR = /"(?: [a-z-]+="[^"<>]{0,500}")*>(?=<\/a>)/y;

/** Returns the offset at which an empty Markdown link, such as `[](page.md)`, needs text; undefined for other links. */
export function findTextPlace(html: string, { tag, end }: Pick<HtmlLink, "tag" | "end">): number | undefined {
  EMPTY_ANCHOR.lastIndex = end;
  return tag === "a" && EMPTY_ANCHOR.test(html) ? EMPTY_ANCHOR.lastIndex : undefined;
}

/** Marks a broken link from Markdown. */
export const UNRESOLVED = 'data-unresolved=""';

const SCHEME = /^[a-z][a-z\d+.-]*:/i;
// RFC 3986 §4.2: a relative reference has no scheme. Two slashes at the start introduce a host.
const ABSOLUTE_OR_INSIDE_PAGE = /^(?:[a-z][a-z\d+.-]*:|[\\/]{2}|#|$)/i;

/**
 * Returns true for a URL that depends on its file's path: one that has no scheme or host and is more than a fragment.
 */
export function isRelativeUrl(url: string): boolean {
  // Tests the scheme first: most URLs are absolute, and `data:` URLs can be long.
  return !SCHEME.test(url) && !ABSOLUTE_OR_INSIDE_PAGE.test(toReadUrl(url));
}

/** Returns true for a link that readers follow, false for embedded content. */
export function isPageLink({ tag, attribute }: Pick<RelativeLink, "tag" | "attribute">): boolean {
  return attribute === "href" && (tag === "a" || tag === "area");
}

/** Returns true for a URL that is only a fragment. */
export function isInsidePage(url: string): boolean {
  return !SCHEME.test(url) && toReadUrl(url).startsWith("#");
}

/** Returns true for a relative URL, or a link inside the page. */
function isLocal(url: string, link: Pick<RelativeLink, "tag" | "attribute">): boolean {
  return isRelativeUrl(url) || (isInsidePage(url) && isPageLink(link));
}

/**
 * Removes leading control characters and spaces, and all tabs and line breaks, as browsers do:
 * https://url.spec.whatwg.org/#concept-basic-url-parser, steps 1 to 3.
 */
export function toReadUrl(url: string): string {
  return url.replace(/^[\0- ]+/, "").replace(/[\t\n\r]/g, "");
}

/** Returns the attributes with relative URLs or fragments, in order. */
export function listLinks(html: string): HtmlLink[] {
  const links: HtmlLink[] = [];
  readHtml(html, { isWanted: isLinkAttribute, onTag: (tag) => addLinks(tag, links) });
  return links;
}

export function addLinks({ name: tag, offset, attributes }: HtmlTag, links: HtmlLink[]): void {
  // The author has already named the lesson that the link points to.
  if (attributes.some(({ name }) => name === RESOLVED)) return;
  const isSized = tag === "img" && attributes.some(({ name }) => name === "width" || name === "height");
  for (const { name: attribute, value, start, end } of attributes) {
    if (!isLinkAttribute(tag, attribute)) continue;
    if (!hasLocalUrl(tag, attribute, value)) continue;
    const link = { tag, attribute, value, start, end, nameEnd: offset + 1 + tag.length };
    links.push(isSized ? { ...link, isSized } : link);
  }
}

export function moveLink<Link extends Pick<HtmlLink, "start" | "end" | "nameEnd">>(link: Link, by: number): Link {
  return { ...link, start: link.start + by, end: link.end + by, nameEnd: link.nameEnd + by };
}

/** Returns the relative URLs or the fragment link of an attribute, in order. */
export function listRelativeLinks({ tag, attribute, value, written }: HtmlLink): RelativeLink[] {
  return listUrls(attribute, value)
    .filter((url) => isLocal(url, { tag, attribute }))
    .map((url) => ({ tag, attribute, url, value: written ?? url, isHtml: written === undefined }));
}

/**
 * Returns the edit that replaces an attribute's relative URLs with `urls`, in order; an undefined entry keeps its URL.
 * Returns undefined if no URL changes.
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
  // The Markdown renderer writes double quotes; in the author's HTML, a value can have double, single or no quotes.
  const text = written === undefined ? escapeAttribute(edited) : escapeHtml(edited);
  return { start, end, text };
}

export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/** Applies edits, which must be in order, and keeps all other text. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let edited = "";
  let copiedTo = 0;
  for (const edit of edits) {
    edited += text.slice(copiedTo, edit.start) + edit.text;
    copiedTo = edit.end;
  }
  return edited + text.slice(copiedTo);
}

/** Resolves a relative URL; returns undefined without a base or for an invalid URL. */
export function resolveUrl(url: string, base: URL | undefined): string | undefined {
  return base === undefined ? undefined : (URL.parse(url, base.href)?.href ?? undefined);
}

/** Returns the base URL for links in files of `folder`, a path relative to the source root. */
export function toFolderUrl(folder: string, assetBase: URL): URL {
  const root = new URL(assetBase);
  if (!root.pathname.endsWith("/")) root.pathname += "/";
  const segments = folder.split("/").filter((segment) => segment !== "" && segment !== ".");
  return new URL(segments.map((segment) => `${encodeURIComponent(segment)}/`).join(""), root);
}

export type LinkProblem = Pick<Problem, "kind" | "message">;

/** Describes a link that stays relative and the setting that would resolve it, such as `--asset-base`. */
export function describeRelativeLink(link: RelativeLink, setting: string): LinkProblem {
  const what = nameLink(link);
  const effect = what === "link" ? "readers cannot follow it" : "readers cannot load it";
  const message = `${what} "${cutText(link.value, 120)}" is relative, and without ${setting} ${effect}`;
  return { kind: "relative-link", message };
}

/** Returns the word that messages use for a link: `image`, `link`, `stylesheet`, … */
export function nameLink({ tag, attribute }: Pick<RelativeLink, "tag" | "attribute">): string {
  if (tag === "img" || attribute === "srcset" || attribute === "poster" || attribute === "style") return "image";
  if (tag === "video" || tag === "audio" || tag === "script") return tag;
  if (attribute === "href") return tag === "link" ? "stylesheet" : "link";
  if (tag === "iframe" || tag === "embed") return "embedded page";
  return "file";
}

function hasLocalUrl(tag: string, attribute: string, value: string): boolean {
  // A quick check: most URLs are absolute.
  if (!MAP_LISTS.has(attribute) && SCHEME.test(value)) return false;
  return listUrls(attribute, value).some((url) => isLocal(url, { tag, attribute }));
}

/** Returns true for an attribute that can contain URLs, and for the mark of a resolved link. */
function isLinkAttribute(tag: string, attribute: string): boolean {
  if (attribute === "data") return tag === "object";
  // The `href` of a base element affects links but is not a link.
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

// `a.png 1x, b.png 2x`: a candidate's URL contains no white space and has no comma at either end. A comma
// directly after the URL ends the candidate, which then has no descriptor.
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

// `background: url(a.png), url("b c.png")`. Skips URLs with CSS escapes.
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

/** For each attribute that can contain several URLs, the function that maps them. */
const MAP_LISTS = new Map([
  ["srcset", mapCandidates],
  ["style", mapStyleUrls],
]);

/** Percent-decodes part of a URL; returns invalid text unchanged. */
export function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Percent-encodes the segments of a path. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Replaces relative URLs in HTML and keeps all other text. `map` returns undefined to keep a URL. */
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
