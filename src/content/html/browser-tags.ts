// Finds the tags that a browser finds, which depend on context: `<svg><style><img>` has an image, `<style><img>` none.
import { readHtml, type HtmlTag } from "./read-html.ts";

/** A character that lessons do not use. */
const MARK = "\u0001";
/** The most empty SVG and MathML roots per text, and the longest tag. */
const MAX_ROOTS = 10_000;
const MAX_TAG = 4000;
/**
 * Inside MathML text these elements restart MathML, which the rewriter does not support: a second pass replaces them
 * with a new root.
 */
const GLYPHS = /<(\/?)(?:mglyph|malignmark)(?=[\s/>])/gi;
/** Closes an unfinished tag. */
const TAG_END = `'">`;

/**
 * Calls `visit` for each tag that a browser would open with scripting on, in order, if its name or an attribute is
 * wanted. Builds no tree, so memory stays constant.
 */
export function visitBrowserTags(
  html: string,
  names: ReadonlySet<string>,
  isWanted: (tag: string, attribute: string) => boolean,
  visit: (tag: HtmlTag) => void,
): void {
  const starts = new Set(findStarts(html, names, isWanted));
  const withRoots = html.replace(GLYPHS, (tag, slash: string) => `<${slash}math`.padEnd(tag.length));
  if (withRoots !== html) for (const start of findStarts(withRoots, names, isWanted)) starts.add(start);
  const inOrder = [...starts].sort((a, b) => a - b);
  for (const [index, start] of inOrder.entries()) {
    const tag = readTag(html.slice(start, inOrder[index + 1]), isWanted);
    if (tag !== undefined) visit(moveTag(tag, start));
  }
}

/** Offsets of the wanted tags. */
function findStarts(
  html: string,
  names: ReadonlySet<string>,
  isWanted: (tag: string, attribute: string) => boolean,
): number[] {
  const marked = new HTMLRewriter()
    // Makes the rewriter read every tag; otherwise it skips some MathML.
    .onDocument({ doctype: () => undefined })
    .on("*", {
      element(element) {
        const isMeant =
          names.has(element.tagName) || [...element.attributes].some(([name]) => isWanted(element.tagName, name));
        if (isMeant) element.before(MARK, { html: true });
      },
    })
    .transform(renameEmptyRoots(html).replaceAll(MARK, "\ufffd") + TAG_END);
  const starts: number[] = [];
  for (let at = marked.indexOf(MARK); at !== -1; at = marked.indexOf(MARK, at + 1)) starts.push(at - starts.length);
  return starts;
}

/** The rewriter does not notice that `<svg/>` is closed, so such roots are renamed to an unknown element. */
function renameEmptyRoots(html: string): string {
  let left = html.includes("/>") ? MAX_ROOTS : 0;
  return html.replace(/<(svg|math)(?=[\s/])/gi, (opening, name: string, start: number) =>
    left-- > 0 && closesItself(html.slice(start + opening.length, start + MAX_TAG))
      ? `<${"x".repeat(name.length)}`
      : opening,
  );
}

// https://html.spec.whatwg.org/#before-attribute-name-state and the states after it.
function closesItself(attributes: string): boolean {
  const part = /[\s/]+|=?[^\s/>=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|(?=>)|[^\s"'>][^\s>]*))?/y;
  let end = 0;
  let last = "";
  for (let found = part.exec(attributes); found !== null; found = part.exec(attributes)) {
    end = part.lastIndex;
    [last] = found;
  }
  return attributes[end] === ">" && /^[\s/]*\/$/.test(last);
}

/** Returns the tag at the start of the text. */
function readTag(html: string, isWanted: (tag: string, attribute: string) => boolean): HtmlTag | undefined {
  let first: HtmlTag | undefined;
  readHtml(html, { isWanted, onTag: (tag) => (first ??= tag) });
  return first;
}

function moveTag({ offset, end, attributes, ...tag }: HtmlTag, by: number): HtmlTag {
  return {
    ...tag,
    offset: offset + by,
    end: end === undefined ? undefined : end + by,
    attributes: attributes.map((attribute) => ({
      ...attribute,
      start: attribute.start + by,
      end: attribute.end + by,
      nameStart: attribute.nameStart + by,
      outerEnd: attribute.outerEnd + by,
    })),
  };
}
