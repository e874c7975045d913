// Relative URLs in a lesson's HTML: readers get the HTML without its folder, so they are resolved or reported.
import { cutText } from "../quote.ts";
import type { Problem } from "../source.ts";
import { visitTags } from "./html-tags.ts";

/** A relative URL in an attribute; `isResolved` is false where it stays relative. */
export interface RelativeLink {
  tag: string;
  attribute: string;
  value: string;
  isResolved: boolean;
}

// Lets HTML without relative URLs pass unparsed. It may take a link for relative that is not, never the reverse. That white
// space may not follow white space keeps a long run of it from being looked through again and again.
const MAY_HOLD_RELATIVE_LINK =
  /\b(?:srcset\s*=|(?:src|href|poster|data)\s*=\s*(?!\s|["']?\s*(?:[a-z][a-z\d+.-]*:|\/\/|#)|""|''))/i;

// RFC 3986 §4.2: a relative reference has no scheme. One that begins with // names its host.
const ABSOLUTE_OR_INSIDE_PAGE = /^(?:[a-z][a-z\d+.-]*:|[\\/]{2}|#|$)/i;

/** True for a URL that means something only next to its file: no scheme, no host, not a place in the same page. */
export function isRelativeUrl(url: string): boolean {
  return !ABSOLUTE_OR_INSIDE_PAGE.test(toReadUrl(url));
}

/** A URL as browsers read it: https://url.spec.whatwg.org/#concept-basic-url-parser, steps 1 to 3. */
export function toReadUrl(url: string): string {
  return url.replace(/^[\0- ]+/, "").replace(/[\t\n\r]/g, "");
}

/**
 * Resolves the relative URLs in HTML against `base`; every other byte stays as it is, and without a base all do. Each
 * relative URL goes to `onRelative`, with the offset of its attribute's value.
 */
export function resolveLinks(
  html: string,
  base: URL | undefined,
  onRelative: (link: RelativeLink, offset: number) => void,
): string {
  if (!MAY_HOLD_RELATIVE_LINK.test(html)) return html;
  let resolved = "";
  let copiedTo = 0;
  visitTags(html, isLink, ({ name: tag, attributes }) => {
    for (const { name: attribute, value: written, start, end } of attributes) {
      if (written === "") continue;
      const resolve = (url: string): string =>
        resolveUrl(url, base, (isResolved) => onRelative({ tag, attribute, value: url, isResolved }, start));
      const value = attribute === "srcset" ? resolveCandidates(written, resolve) : resolve(written);
      if (value === written) continue;
      resolved += html.slice(copiedTo, start) + escapeAttribute(value);
      copiedTo = end;
    }
  });
  return resolved + html.slice(copiedTo);
}

/** Resolves one URL if it is relative, and tells then whether that was possible. */
export function resolveUrl(url: string, base: URL | undefined, onRelative: (isResolved: boolean) => void): string {
  if (!isRelativeUrl(url)) return url;
  const resolved = base === undefined ? null : URL.parse(url, base.href);
  onRelative(resolved !== null);
  return resolved?.href ?? url;
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

/** What to tell an author about a link that stays relative. */
export function describeRelativeLink(link: RelativeLink): LinkProblem {
  const what = nameLink(link);
  const effect = what === "link" ? "it leads readers nowhere" : "readers cannot load it";
  const message = `${what} "${cutText(link.value, 120)}" is relative and no --asset-base is given; ${effect}`;
  return { kind: "relative-link", message };
}

/** What a link is to an author: `image`, `link`, `stylesheet`, … */
export function nameLink({ tag, attribute }: Pick<RelativeLink, "tag" | "attribute">): string {
  if (tag === "img" || attribute === "srcset" || attribute === "poster") return "image";
  if (tag === "video" || tag === "audio" || tag === "script") return tag;
  if (attribute === "href") return tag === "link" ? "stylesheet" : "link";
  if (tag === "iframe" || tag === "embed") return "embedded page";
  return "file";
}

function isLink(tag: string, attribute: string): boolean {
  if (attribute === "data") return tag === "object";
  // The href of a base element is no link: it tells how to read the others.
  if (attribute === "href") return tag !== "base";
  return attribute === "src" || attribute === "poster" || attribute === "srcset";
}

// `a.png 1x, b.png 2x`: a candidate's URL holds no white space and neither begins nor ends with a comma. One that ends with a
// comma has no descriptors.
function resolveCandidates(srcset: string, resolve: (url: string) => string): string {
  return srcset.replace(/(\S+)((?<!,)[^,]*)?/g, (_, text: string, descriptors = "") => {
    let start = 0;
    let end = text.length;
    while (text[start] === ",") start++;
    while (end > start && text[end - 1] === ",") end--;
    const url = text.slice(start, end);
    return text.slice(0, start) + (url === "" ? "" : resolve(url)) + text.slice(end) + String(descriptors);
  });
}

function escapeAttribute(value: string): string {
  return value
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
