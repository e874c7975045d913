// Finds HTML that would run scripts, so that authors get a warning. Delivery does not change such HTML.
import { cutText } from "../quote.ts";
import { type HtmlAttribute, type HtmlTag, readHtml } from "./read-html.ts";

/** The character that marks the start of a tag. Lessons do not use it. */
const MARK = "\u0001";
/** The maximum number of empty SVG and MathML roots to rename in a text, and the maximum length of their tags. */
const MAX_ROOTS = 10_000;
const MAX_TAG = 4000;
/**
 * Inside MathML text, these elements switch back to MathML, which the rewriter does not support: a second pass
 * replaces them with a new root.
 */
const GLYPHS = /<(\/?)(?:mglyph|malignmark)(?=[\s/>])/gi;
/** Closes an unfinished tag. */
const TAG_END = `'">`;

/**
 * Calls `visit`, in order, for each tag that has a wanted name or attribute and that a browser with scripting enabled
 * would open. Saves memory by building no tree.
 */
function visitBrowserTags(
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

/** Finds the offsets of the wanted tags. */
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

/** Renames empty roots such as `<svg/>`, since the rewriter does not recognize them as closed. */
function renameEmptyRoots(html: string): string {
  let left = html.includes("/>") ? MAX_ROOTS : 0;
  return html.replace(/<(svg|math)(?=[\s/])/gi, (opening, name: string, start: number) =>
    left-- > 0 && closesItself(html.slice(start + opening.length, start + MAX_TAG))
      ? `<${"x".repeat(name.length)}`
      : opening,
  );
}

// See https://html.spec.whatwg.org/#before-attribute-name-state and the states after it.
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

export interface ScriptUse {
  message: string;
  offset: number;
}

// The content of these elements has its own parsing rules.
const MAY_HOLD_FOREIGN = /<(?:svg|math|style|template|noscript|mglyph|malignmark|!\[cdata\[)/i;

/** The warning about a script in a lesson's `url`. */
export const SCRIPT_URL_MESSAGE = "a `javascript:` URL runs a script in the page that links to it";

// Other attributes contain text: a book's title can begin with "JavaScript:".
const URL_ATTRIBUTES = new Set(["href", "xlink:href", "src", "action", "formaction", "data"]);
const ANIMATED_ATTRIBUTES = new Set(["to", "from", "values"]);
const SCRIPT = new Set(["script"]);
const HANDLER = /^on[a-z]{3,}$/;

/** Returns true for HTML in which only the full rules of browsers can find all tags. */
export function mayHoldForeign(html: string): boolean {
  return MAY_HOLD_FOREIGN.test(html);
}

/** Lists, in order, the scripts in HTML for which `mayHoldForeign` returns true. */
export function listForeignScripts(html: string): ScriptUse[] {
  const uses: ScriptUse[] = [];
  visitBrowserTags(html, SCRIPT, mayRunScript, (tag) => addScripts(tag, uses));
  return uses;
}

/** Adds the scripts that a tag would run. */
export function addScripts(tag: HtmlTag, uses: ScriptUse[]): void {
  if (isRunningScript(tag)) uses.push({ message: "<script> runs in the reader's page", offset: tag.offset });
  if (tag.attributes.length === 0) return;
  const seen = new Set<string>();
  for (const attribute of tag.attributes) {
    // Of attributes with the same name, the first wins: https://html.spec.whatwg.org/#parse-error-duplicate-attribute.
    if (seen.has(attribute.name)) continue;
    seen.add(attribute.name);
    const message = describeAttribute(tag, attribute);
    if (message !== undefined) uses.push({ message, offset: attribute.start });
  }
}

/** Returns true for an attribute that can make a tag run a script. */
function mayRunScript(tag: string, attribute: string): boolean {
  if (HANDLER.test(attribute) || URL_ATTRIBUTES.has(attribute)) return true;
  if (tag === "script") return attribute === "type";
  if (tag === "iframe") return attribute === "srcdoc" || attribute === "sandbox";
  return isAnimation(tag) && ANIMATED_ATTRIBUTES.has(attribute);
}

// Browsers ignore leading control characters and spaces, and all line breaks and tabs:
// https://url.spec.whatwg.org/#concept-basic-url-parser.
const SCRIPT_SCHEME = new RegExp(`^[\\0- ]*${[..."javascript:"].join("[\\t\\n\\r]*")}`, "i");

/** Returns true for a URL that browsers parse as `javascript:`. */
export function isScriptUrl(url: string): boolean {
  return SCRIPT_SCHEME.test(url);
}

// https://html.spec.whatwg.org/#prepare-the-script-element: a script of any other type is a data block.
function isRunningScript({ name, attributes }: HtmlTag): boolean {
  if (name !== "script") return false;
  const type = attributes.find((attribute) => attribute.name === "type")?.value.trim() ?? "";
  return type === "" || /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma|j|live)script[\d.]*)$/i.test(type);
}

function describeAttribute(tag: HtmlTag, { name, value }: HtmlAttribute): string | undefined {
  if (/^\s*$/.test(value)) return undefined;
  if (name.startsWith("on") && HANDLER.test(name))
    return `${cutText(name, 50)} of <${cutText(tag.name, 50)}> runs a script in the reader's page`;
  if (tag.name === "iframe" && name === "srcdoc" && !isSandboxed(tag)) {
    return "srcdoc of <iframe> can run scripts in the reader's page";
  }
  if (!listUrls(tag.name, name, value).some(isScriptUrl)) return undefined;
  return `javascript: in ${name} of <${cutText(tag.name, 50)}> runs a script in the reader's page`;
}

// Scripts in the frame reach the parent page only with both permissions.
function isSandboxed({ attributes }: HtmlTag): boolean {
  const sandbox = attributes
    .find((attribute) => attribute.name === "sandbox")
    ?.value.toLowerCase()
    .split(/\s+/);
  return sandbox !== undefined && !(sandbox.includes("allow-scripts") && sandbox.includes("allow-same-origin"));
}

function listUrls(tag: string, attribute: string, value: string): string[] {
  if (URL_ATTRIBUTES.has(attribute)) return [value];
  // <animate values="#;javascript:…"> changes the URL of its parent link.
  return isAnimation(tag) && ANIMATED_ATTRIBUTES.has(attribute) ? value.split(";") : [];
}

function isAnimation(tag: string): boolean {
  return tag === "animate" || tag === "set";
}
