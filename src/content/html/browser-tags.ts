// The tags that a browser finds in HTML, which depend on what stands around them: `<svg><style><img>` holds an image, `<style><img>`
// none.
import { readHtml, type HtmlTag } from "./read-html.ts";

/** No text of a lesson needs it. */
const MARK = "\u0001";
/** No text has more roots of SVG and MathML that are empty, and none has a longer tag. */
const MAX_ROOTS = 10_000;
const MAX_TAG = 4000;
/** In the text of a formula they begin MathML again, which the rewriter does not know: a second look takes each for such a root. */
const GLYPHS = /<(\/?)(?:mglyph|malignmark)(?=[\s/>])/gi;
/** Ends a tag that the text leaves open: more HTML may follow in the page. */
const TAG_END = `'">`;

/**
 * Calls `visit` for each tag that a browser would open where scripts run, of those named in `names` or with an attribute that is
 * wanted, in order. Builds no tree: memory does not grow with the tags.
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

/** Where the tags begin that are meant. */
function findStarts(
  html: string,
  names: ReadonlySet<string>,
  isWanted: (tag: string, attribute: string) => boolean,
): number[] {
  const marked = new HTMLRewriter()
    // Makes it read every tag; else it passes over some of MathML.
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

/** `<svg/>` holds nothing, but the rewriter takes all that follows to be in it. An element that no browser knows changes nothing. */
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

/** The tag that the text begins with. */
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
