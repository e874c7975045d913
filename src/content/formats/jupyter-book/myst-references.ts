// Fills in link texts and resolves MyST's link schemes. https://mystmd.org/guide/cross-references
import type { StateCore, Token } from "markdown-it";
import { cutText } from "../../quote.ts";
import { countNode, countRepeated, environmentOf } from "../../markdown/markdown-environment.ts";
import { toText } from "../../markdown/tokens.ts";
import { GLUED } from "./myst-roles.ts";

/** The maximum length of a label's text, since each link to the label repeats the text. */
const MAX_TEXT = 200;

/** Fills in the texts and URLs of links. */
export function nameReferences(state: StateCore): void {
  const texts = findTexts(state.tokens, environmentOf(state).labels);
  state.tokens = state.tokens.filter((token, index) => !isHeadingId(token, state.tokens[index + 1]));
  for (const inline of state.tokens) {
    const { children } = inline;
    if (children === null) continue;
    const line = (inline.map?.[0] ?? 0) + 1;
    inline.children = children.flatMap((token, index) => {
      if (token.meta === GLUED) {
        const message = `readers see the name "${cutText(token.content, 40)}", not its value: imports do not run code`;
        environmentOf(state).remarks?.push({ line, kind: "dropped-component", message });
      }
      if (token.type === "image") return showMedia(state, token, line);
      return token.type === "link_open" ? nameLink(state, children, index, texts) : [token];
    });
  }
}

// Returns true for `(notes)=` above `## Notes`: the heading already has that id.
function isHeadingId({ meta }: Token, next: Token | undefined): boolean {
  const label = (meta as { label?: string } | null)?.label;
  return label !== undefined && next?.type === "heading_open" && next.attrGet("id") === label;
}

const PLACEHOLDERS = /\{(?:name|number)\}|%s/;

/**
 * Returns a link's opening token, followed by text if the link has none. A link to a label on another page gets its
 * text and its URL later.
 */
function nameLink(state: StateCore, tokens: Token[], index: number, texts: ReadonlyMap<string, string>): Token[] {
  const link = tokens[index] as Token;
  // Not `findIndex`, which would start at the first token: a text can contain 100,000 links.
  let close = index + 1;
  while (close < tokens.length && tokens[close]?.type !== "link_close") close++;
  const within = tokens.slice(index + 1, close);
  const href = toAddress(String(link.attrGet("href")));
  link.attrSet("href", href);
  if (/^(?:inv|xref|myst):/.test(href)) {
    // Links to pages of other projects become plain text: only MyST's own tool knows the pages' URLs.
    Object.assign(link, { type: "span_open", tag: "span", attrs: null });
    Object.assign(tokens[close] as Token, { type: "span_close", tag: "span" });
    const name = decode(href.replace(/^[^#]*[#:]/, ""));
    if (link.info === "auto" && within[0] !== undefined) nameText(state, within[0], name);
    return within.length === 0 ? [link, createText(state, link, name)] : [link];
  }
  const label = decode(/^#(.+)$/s.exec(href)?.[1] ?? "");
  if (label === "") return [link];
  const known = texts.get(label);
  const text = known === "" ? label : (known ?? "");
  if (within.length === 0) return text === "" ? [link] : [link, createText(state, link, text)];
  const named = (link.meta as { isNamed?: boolean } | null)?.isNamed;
  if (link.info === "auto" || named === false) nameText(state, within[0] as Token, text);
  const words = within.filter(({ type }) => type === "text");
  if (!words.some(({ content }) => PLACEHOLDERS.test(content))) return [link];
  const isUnknown = text === "" && words.some(({ content }) => content.includes("{name}"));
  for (const each of words) {
    const uses = each.content.split("{name}").length - 1;
    countRepeated(environmentOf(state), { length: uses * text.length });
    each.content = isUnknown
      ? ""
      : each.content.replaceAll("{name}", () => text).replace(/(?<![ \t])[ \t]*(?:%s|\{number\})/g, "");
  }
  return within.every(({ content }) => content.trim() === "") ? [link, createText(state, link, text)] : [link];
}

function createText(state: StateCore, { level, map }: Token, content: string): Token {
  countNode(environmentOf(state));
  const text = Object.assign(new state.Token("text", "", 0), { level: level + 1, map });
  nameText(state, text, content);
  return text;
}

function nameText(state: StateCore, text: Token, content: string): void {
  countRepeated(environmentOf(state), content);
  text.content = content;
}

/** MyST's image syntax can also show a video or, as in `![](#cell)`, the output of a cell. */
function showMedia(state: StateCore, image: Token, line: number): Token[] {
  const source = String(image.attrGet("src"));
  if (source.startsWith("#")) {
    const message = `the output of cell "${cutText(decode(source.slice(1)), 40)}" is left out`;
    environmentOf(state).remarks?.push({ line, kind: "dropped-component", message });
    return [];
  }
  if (!/\.(?:mp4|webm|ogv|mov)$/i.test(source)) return [image];
  const opening = new state.Token("video_open", "video", 1);
  opening.attrs = [
    ["src", source],
    ["controls", ""],
  ];
  opening.map = image.map;
  return [opening, new state.Token("video_close", "video", -1)];
}

/** Returns the heading, caption or title after each id, or "". Adds the texts of labels to `labels`, for the book. */
function findTexts(tokens: readonly Token[], labels = new Map<string, string>()): Map<string, string> {
  const texts = new Map<string, string>();
  let open: string[] = [];
  let isFigure = false;
  for (const token of tokens) {
    const label = (token.meta as { label?: string } | null)?.label;
    const id = label ?? token.attrGet("id");
    if (id !== null && !texts.has(String(id))) {
      open.push(String(id));
      texts.set(String(id), "");
      // Ids of headings stay on their page: every page can have a heading "Notes".
      if (label !== undefined || token.type === "container_open") labels.set(String(id), "");
    }
    if (token.type === "container_open" && token.tag === "figure") isFigure = true;
    if (token.type === "container_open" && token.tag === "figcaption") isFigure = false;
    // Links to a formula or to code show the label itself.
    if (token.type === "math_block" || token.type === "fence") open = [];
    if (token.type !== "inline" || open.length === 0 || isFigure) continue;
    const text = cutText(toText(token.children ?? []).trim(), MAX_TEXT);
    for (const name of open) {
      texts.set(name, text);
      if (labels.has(name)) labels.set(name, text);
    }
    open = [];
  }
  return texts;
}

// Matches the label in `[](fig:tea)`, but not URLs.
const LABEL = /^(?!(?:https?|mailto|tel|sms|data|inv|xref|myst|rrid|ror):)[\w-]+:[\w:-][\w:/-]*$/i;

// `project:` and `path:` only state the kind of the target.
function toAddress(href: string): string {
  return href
    .replace(/^(?:project|path):/, "")
    .replace(/^doi:/, "https://doi.org/")
    .replace(/^wiki:/, "https://en.wikipedia.org/wiki/")
    .replace(LABEL, "#$&");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
