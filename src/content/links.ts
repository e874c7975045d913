// Relative URLs in a lesson's HTML: readers get the HTML without its folder, so they are resolved or reported.
import { Tokenizer, type QuoteType } from "htmlparser2";

/** A relative URL in an attribute; `offset` is where its value begins in the HTML. */
export interface RelativeLink {
  tag: string;
  attribute: string;
  value: string;
  offset: number;
}

interface AttributeValue {
  tag: string;
  attribute: string;
  value: string;
  start: number;
  end: number;
}

// Lets HTML without relative URLs pass unparsed. It may take a link for relative that is not, never the reverse.
const MAY_HOLD_RELATIVE_LINK =
  /\b(?:srcset\s*=|(?:src|href|poster|data)\s*=\s*(?!["']?\s*(?:[a-z][a-z\d+.-]*:|\/\/|#)|""|''))/i;

// RFC 3986 §4.2: a relative reference has no scheme. One that begins with // names its host.
const ABSOLUTE_OR_INSIDE_PAGE = /^\s*(?:[a-z][a-z\d+.-]*:|[\\/]{2}|#|$)/i;

/** True for a URL that means something only next to its file: no scheme, no host, not a place in the same page. */
export function isRelativeUrl(url: string): boolean {
  return !ABSOLUTE_OR_INSIDE_PAGE.test(url);
}

/**
 * Resolves the relative URLs in HTML against `base`; every other byte stays as it is. Those that stay relative, because
 * there is no base or they do not resolve, go to `onRelative`.
 */
export function resolveLinks(html: string, base: URL | undefined, onRelative: (link: RelativeLink) => void): string {
  if (!MAY_HOLD_RELATIVE_LINK.test(html)) return html;
  let resolved = "";
  let copiedTo = 0;
  for (const found of listLinkValues(html)) {
    const onLeft = (value: string): void =>
      onRelative({ tag: found.tag, attribute: found.attribute, value, offset: found.start });
    const value =
      found.attribute === "srcset"
        ? resolveCandidates(found.value, base, onLeft)
        : resolveUrl(found.value, base, onLeft);
    if (value === found.value) continue;
    resolved += html.slice(copiedTo, found.start) + escapeAttribute(value);
    copiedTo = found.end;
  }
  return resolved + html.slice(copiedTo);
}

/** Resolves one URL if it is relative; calls `onLeft` where that is not possible. */
export function resolveUrl(url: string, base: URL | undefined, onLeft: (url: string) => void): string {
  if (!isRelativeUrl(url)) return url;
  const resolved = base === undefined ? null : URL.parse(url, base.href);
  if (resolved !== null) return resolved.href;
  onLeft(url);
  return url;
}

/** The URL against which the links of a file in `folder` (relative to the root of the source) are resolved. */
export function toFolderUrl(folder: string, assetBase: URL): URL {
  const root = new URL(assetBase);
  if (!root.pathname.endsWith("/")) root.pathname += "/";
  const segments = folder.split("/").filter((segment) => segment !== "" && segment !== ".");
  return new URL(segments.map((segment) => `${encodeURIComponent(segment)}/`).join(""), root);
}

/** What to tell an author about a link that readers cannot follow. */
export function describeRelativeLink({
  tag,
  attribute,
  value,
}: Pick<RelativeLink, "tag" | "attribute" | "value">): string {
  const kind = kindOf(tag, attribute);
  const effect = kind === "link" ? "it leads readers nowhere" : "readers cannot load it";
  return `${kind} "${value}" is relative and no --asset-base is given; ${effect}`;
}

function kindOf(tag: string, attribute: string): string {
  if (tag === "img" || attribute === "srcset" || attribute === "poster") return "image";
  if (tag === "video" || tag === "audio" || tag === "script") return tag;
  if (attribute === "href") return tag === "link" ? "stylesheet" : "link";
  if (tag === "iframe" || tag === "embed") return "embedded page";
  return "file";
}

/** The link-like attributes of a text's tags, in order, with decoded values. */
function listLinkValues(html: string): AttributeValue[] {
  const found: AttributeValue[] = [];
  let tag = "";
  let attribute = "";
  let nameEnd = 0;
  let value = "";
  const ignore = (): void => undefined;
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname: (start, end) => (tag = html.slice(start, end).toLowerCase()),
      onattribname: (start, end) => {
        attribute = html.slice(start, end).toLowerCase();
        nameEnd = end;
        value = "";
      },
      onattribdata: (start, end) => (value += html.slice(start, end)),
      onattribentity: (codePoint) => (value += String.fromCodePoint(codePoint)),
      onattribend: (quote, endIndex) => {
        if (!isLink(tag, attribute) || value === "") return;
        const start = findValueStart(html, nameEnd);
        found.push({ tag, attribute, value, start, end: endIndex - closingQuoteLength(quote) });
      },
      oncdata: ignore,
      onclosetag: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onprocessinginstruction: ignore,
      onselfclosingtag: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return found;
}

function isLink(tag: string, attribute: string): boolean {
  if (attribute === "data") return tag === "object";
  // The href of a base element is no link: it tells how to read the others.
  if (attribute === "href") return tag !== "base";
  return attribute === "src" || attribute === "poster" || attribute === "srcset";
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

// `a.png 1x, b.png 2x`: a candidate's URL holds no white space and neither begins nor ends with a comma.
function resolveCandidates(srcset: string, base: URL | undefined, onLeft: (url: string) => void): string {
  return srcset.replace(
    /(^|,)([\s,]*)([^\s,](?:\S*[^\s,])?)((?:\s+[^\s,]+)*)/g,
    (_, comma: string, gap: string, url: string, descriptors: string) =>
      comma + gap + resolveUrl(url, base, onLeft) + descriptors,
  );
}

function escapeAttribute(value: string): string {
  return value
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
