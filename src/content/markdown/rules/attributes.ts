// Pandoc attributes: `{#id .class alt='a leaf'}` after an image, a link, or a span.
import type { MarkdownIt, StateInline, Token } from "markdown-it";

/** The maximum length of an attribute list. The description of an image can have a few hundred characters. */
const MAX_ATTRIBUTES = 5000;
const MAX_SPAN = 1000;
const ATTRIBUTE =
  /[ \t\n]*(?:#([^\s#.{}"'=]+)|\.([^\s#.{}"'=]+)|([A-Za-z][\w:-]*)=(?:"([^"]*)"|'([^']*)'|([^\s{}"']+)))/y;
const ATTRIBUTE_OR_NAME = new RegExp(`${ATTRIBUTE.source.slice(0, -1)}|([A-Za-z][\\w:-]*)(?=[ \\t\\n}]))`, "y");
const ESCAPED = /\\([!-/:-@[-`{-~])/g;
const SHOWN: ReadonlySet<string> = new Set(["width", "height", "title", "lang", "dir", "target", "rel", "role"]);

export interface Attributes {
  id: string | undefined;
  classes: string[];
  values: Map<string, string>;
  /** The offset after the attributes. */
  end: number;
}

/** Reads the attributes in the braces at `start`, if they contain any. `pattern` matches one attribute. */
export function readAttributes(text: string, start: number, pattern = ATTRIBUTE): Attributes | undefined {
  const part = text.slice(start, start + MAX_ATTRIBUTES);
  const attributes: Attributes = { id: undefined, classes: [], values: new Map(), end: start };
  // Older lessons, which were written for Jekyll, contain `{: .challenge}`.
  let position = part.startsWith("{:") ? 2 : 1;
  for (;;) {
    pattern.lastIndex = position;
    const found = pattern.exec(part);
    if (found === null) break;
    const [, id, className, key = "", double, single, bare] = found;
    if (id !== undefined) attributes.id = id;
    else if (className !== undefined) attributes.classes.push(className);
    else attributes.values.set(key, (double ?? single ?? bare ?? "").replace(ESCAPED, "$1"));
    position = pattern.lastIndex;
  }
  const end = /[ \t\n]*\}/y;
  end.lastIndex = position;
  if (position <= 2 || !end.test(part)) return undefined;
  return { ...attributes, end: start + end.lastIndex };
}

export function addAttributeRules({ inline: { ruler } }: MarkdownIt): void {
  ruler.before("link", "span", readSpan);
  ruler.after("link", "attributes", (state, silent) => readTokenAttributes(state, silent, ATTRIBUTE));
}

/** Adds Python-Markdown's attributes: there are no spans, but a name can stand alone, as in `{ data-preview }`. */
export function addElementAttributes({ inline: { ruler } }: MarkdownIt): void {
  ruler.after("link", "attributes", (state, silent) => readTokenAttributes(state, silent, ATTRIBUTE_OR_NAME));
}

// Reads attributes after an image, a link or code.
function readTokenAttributes(state: StateInline, silent: boolean, pattern: RegExp): boolean {
  const { src, pos } = state;
  if (src[pos] !== "{" || !/[)\]`]/.test(src[pos - 1] ?? "")) return false;
  const token = silent || state.pending !== "" ? undefined : findOwner(state.tokens);
  if (token === undefined && !silent) return false;
  const attributes = readAttributes(src, pos, pattern);
  if (attributes === undefined) return false;
  if (token !== undefined) setAttributes(state, token, attributes);
  state.pos = attributes.end;
  return true;
}

function findOwner(tokens: Token[]): Token | undefined {
  const last = tokens.at(-1);
  if (last?.type !== "link_close") return last?.type === "image" || last?.type === "code_inline" ? last : undefined;
  return tokens.findLast((token) => token.type === "link_open");
}

function setAttributes(state: StateInline, token: Token, { id, classes, values }: Attributes): void {
  if (id !== undefined) token.attrSet("id", id);
  if (classes.length > 0) token.attrSet("class", classes.join(" "));
  for (const [name, value] of values) {
    if (name === "alt" && token.type === "image") describeImage(state, token, value);
    else if (SHOWN.has(name)) token.attrSet(name, value);
  }
}

// The renderer takes an image's description from its children.
function describeImage(state: StateInline, image: Token, description: string): void {
  const text = new state.Token("text", "", 0);
  text.content = description.replace(/\s+/g, " ");
  // The original children become the caption of a figure.
  image.meta = { caption: image.children };
  image.children = [text];
  image.content = text.content;
}

// `[term]{#term}`
function readSpan(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (src[pos] !== "[") return false;
  const label = /\[[^[\]]*\](?=\{)/y;
  const part = src.slice(pos, pos + MAX_SPAN);
  const length = label.exec(part)?.[0].length;
  const attributes = length === undefined ? undefined : readAttributes(src, pos + length);
  if (length === undefined || attributes === undefined || attributes.end > posMax) return false;
  if (!silent) {
    state.pos = pos + 1;
    state.posMax = pos + length - 1;
    setAttributes(state, state.push("span_open", "span", 1), attributes);
    state.md.inline.tokenize(state);
    state.push("span_close", "span", -1);
    state.posMax = posMax;
  }
  state.pos = attributes.end;
  return true;
}
