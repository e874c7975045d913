// Rewrites URLs in lesson HTML tag by tag and keeps every other byte. This does not sanitize the HTML: if you do not
// trust its authors, use a sanitizer.
import { decodeAttribute, escapeAttribute } from "./character-references.ts";
import { listStartTags, type StartTag } from "./tokenize.ts";

/** A link that `rewriteLinks` finds. */
export interface HtmlLink {
  /** The decoded URL, as the author or an import wrote it. */
  href: string;
  /** The fragment with its `#`; "" if absent. */
  fragment: string;
  /** The id of the course that the link leads to; undefined for other links. */
  courseId: string | undefined;
  /** The id of the lesson that the link leads to; undefined for other links. */
  lessonId: string | undefined;
}

/** An image URL that `rewriteImages` finds; a `srcset` can contain several. */
export interface HtmlImage {
  src: string;
  /** The names of the element and the attribute that contain the URL. */
  element: string;
  attribute: string;
  /** The alternative text of an `<img>`, if given. */
  alt: string | undefined;
}

/** New values by attribute name; null removes the attribute. */
export type RewrittenAttributes = Record<string, string | null>;

/**
 * Rewrites links: `<a>`, `<area>`. `rewrite` returns a new URL or attributes to set; null removes the URL, undefined
 * keeps it. URLs that would run a script are always removed.
 */
export function rewriteLinks(html: string, rewrite: (link: HtmlLink) => Rewritten): string {
  return rewriteTags(html, (tag) => {
    if (tag.name !== "a" && tag.name !== "area") return {};
    // Links in SVG use either name.
    const names = ["href", "xlink:href"].filter((name) => find(tag, name) !== undefined);
    const href = find(tag, names[0] ?? "");
    if (href === undefined) return {};
    const mark = href.indexOf("#");
    const given = rewrite({
      href,
      fragment: mark === -1 ? "" : href.slice(mark),
      courseId: find(tag, "data-course-id"),
      lessonId: find(tag, "data-lesson-id"),
    });
    const edits = isAddress(given) ? Object.fromEntries(names.map((name) => [name, given])) : { ...given };
    for (const name of ["href", "xlink:href"]) {
      if (isHarmful(edits[name] === undefined ? find(tag, name) : edits[name], [])) edits[name] = null;
    }
    return edits;
  });
}

/**
 * Rewrites image URLs: `<img>`, `<source>`, `<video poster>`, SVG `<image>`. `rewrite` returns a new URL or attributes
 * to set; null removes the URL, undefined keeps it. URLs that would run a script are always removed.
 */
export function rewriteImages(html: string, rewrite: (image: HtmlImage) => Rewritten): string {
  return rewriteTags(html, (tag) => {
    const edits: RewrittenAttributes = {};
    const names = IMAGE_ATTRIBUTES.get(tag.name) ?? [];
    for (const name of names) {
      const written = find(tag, name);
      if (written === undefined) continue;
      const candidates = name === "srcset" ? splitSrcset(written) : [{ src: written.trim(), descriptor: "" }];
      const rewritten = candidates.map(({ src, descriptor }) => {
        const given = rewrite({ src, element: tag.name, attribute: name, alt: find(tag, "alt") });
        if (!isAddress(given)) Object.assign(edits, given);
        return { src: isAddress(given) ? given : src, descriptor };
      });
      if (rewritten.every(({ src }, index) => src === candidates[index]?.src)) continue;
      const kept = rewritten.flatMap(({ src, descriptor }) => (src === null ? [] : [{ src, descriptor }]));
      const value = name === "srcset" ? joinSrcset(kept) : kept[0]?.src;
      edits[name] ??= value || null;
    }
    for (const name of names) {
      const value = edits[name] === undefined ? find(tag, name) : edits[name];
      const addresses = name === "srcset" ? splitSrcset(value ?? "").map(({ src }) => src) : [value];
      if (addresses.some((address) => isHarmful(address, ["data:image/"]))) edits[name] = null;
    }
    return edits;
  });
}

type Rewritten = string | RewrittenAttributes | null | undefined;

const IMAGE_ATTRIBUTES = new Map([
  ["img", ["src", "srcset"]],
  ["source", ["srcset"]],
  ["video", ["poster"]],
  ["image", ["href", "xlink:href"]],
]);

function isAddress(given: Rewritten): given is string | null {
  return typeof given === "string" || given === null;
}

const HARMFUL = ["javascript:", "vbscript:", "data:"];

/** Returns true for URLs that run a script or contain a document. Browsers ignore tabs and line breaks in schemes. */
function isHarmful(address: string | null | undefined, allowed: string[]): boolean {
  const text = (address ?? "").replace(/^[\0- ]+/, "");
  const bare = text.replace(/[\t\n\r]+/g, "").toLowerCase();
  return HARMFUL.some((scheme) => bare.startsWith(scheme)) && !allowed.some((each) => bare.startsWith(each));
}

/** Returns the URLs in a `srcset` (HTML Standard, section 4.8.4.3.11), each with its descriptor, such as ` 2x`. */
function splitSrcset(text: string): { src: string; descriptor: string }[] {
  const candidates = [];
  const candidate = /[\s,]*(\S+)/y;
  const rest = /(?:[^(),]|\([^)]*\)?)*/y;
  for (let match = candidate.exec(text); match !== null; match = candidate.exec(text)) {
    const [, written = ""] = match;
    const src = withoutCommas(written);
    rest.lastIndex = candidate.lastIndex;
    const descriptor = src === written ? (rest.exec(text)?.[0] ?? "") : "";
    candidate.lastIndex += descriptor.length;
    if (src !== "") candidates.push({ src, descriptor: descriptor.trimEnd() });
  }
  return candidates;
}

/** Removes the commas after a URL, because they end its candidate. */
function withoutCommas(text: string): string {
  let end = text.length;
  while (text[end - 1] === ",") end--;
  return text.slice(0, end);
}

function joinSrcset(candidates: { src: string; descriptor: string }[]): string {
  return candidates.map(({ src, descriptor }) => src.trim().replace(/\s/g, "%20") + descriptor).join(" , ");
}

/** Returns an attribute's decoded value. Of several attributes with the same name, browsers use the first. */
function find(tag: StartTag, name: string): string | undefined {
  const attribute = tag.attributes.find((each) => each.name === name);
  return attribute && decodeAttribute(attribute.value);
}

function rewriteTags(html: string, edit: (tag: StartTag) => RewrittenAttributes): string {
  const parts: string[] = [];
  let from = 0;
  for (const tag of listStartTags(html)) {
    const edits = Object.entries(edit(tag)).filter(([, value]) => value !== undefined);
    const attributes = new Map(edits.map(([name, value]) => [checkName(name), value]));
    const added = [...attributes].filter(([name, value]) => value !== null && find(tag, name) === undefined);
    parts.push(html.slice(from, tag.nameEnd), ...added.map(([name, value]) => ` ${format(name, value)}`));
    from = tag.nameEnd;
    const written = new Set<string>();
    for (const { name, start, end } of tag.attributes) {
      const value = attributes.get(name);
      if (value === undefined) continue;
      parts.push(html.slice(from, start), written.has(name) ? "" : format(name, value));
      written.add(name);
      from = end;
    }
  }
  return parts.join("") + html.slice(from);
}

function format(name: string, value: string | null | undefined): string {
  return value === null || value === undefined ? "" : `${name}="${escapeAttribute(value)}"`;
}

/** Returns the name in lower case. Throws a TypeError if it is invalid, names an event handler, or is `srcdoc`. */
function checkName(name: string): string {
  const lower = name.toLowerCase();
  if (!/^[a-z][\w:-]*$/.test(lower) || /^on|^srcdoc$/.test(lower)) {
    throw new TypeError(`"${name}" is not an attribute that can be set`);
  }
  return lower;
}
