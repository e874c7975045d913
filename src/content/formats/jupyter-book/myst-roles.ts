// Renders MyST's roles: `{kbd}`Ctrl``. https://mystmd.org/guide/roles
import type { StateInline } from "markdown-it";

export function pushElement(state: StateInline, tag: string, text: string): void {
  state.push(`myst_${tag}_open`, tag, 1);
  state.push("text", "", 0).content = text;
  state.push(`myst_${tag}_close`, tag, -1);
}

// Attributes can follow the name: `{span .red}`.
const ROLE = /\{([A-Za-z][\w:+.-]{0,40})(?: [^{}`\n]{0,200})?\}(`+)(?!`)([^]{1,2000}?)(?<!`)\2(?!`)/y;
const TAGS: Record<string, string> = {
  abbreviation: "abbr",
  delete: "del",
  dfn: "dfn",
  emphasis: "em",
  keyboard: "kbd",
  sc: "span",
  strong: "strong",
  sub: "sub",
  subscript: "sub",
  sup: "sup",
  superscript: "sup",
  kbd: "kbd",
  abbr: "abbr",
  del: "del",
  strike: "s",
  u: "u",
  underline: "u",
  smallcaps: "span",
};
/** Roles that show only their text. */
const TEXTS: ReadonlySet<string> = new Set(["span", "index", "term", "attribution"]);
/** Roles that show nothing: icons of themes, line breaks, and raw text for other programs. */
const SILENT = /^(?:octicon|fa[bsrl]?|fa-[a-z]+|material-[a-z]+|icon|newline|raw:(?!html$).*)$/;
/** Marks the name of a variable whose value MyST-NB would paste. */
export const GLUED = { isGlued: true };
const REFERENCES = /^(?:ref|numref|eq|math:numref|(?:prf|proof):ref|cross?ref|bdg-ref.*)$/;

export function readRole(state: StateInline, isSilent: boolean): boolean {
  if (state.src[state.pos] !== "{") return false;
  ROLE.lastIndex = state.pos;
  const [written, name = "", , content = ""] = ROLE.exec(state.src) ?? [];
  if (written === undefined || ROLE.lastIndex > state.posMax) return false;
  if (!isSilent) pushRole(state, name, content.trim());
  state.pos += written.length;
  return true;
}

function pushRole(state: StateInline, name: string, content: string): void {
  // The content can be `text <target>`.
  const [, own, given] = /^(.*?)\s*<([^<>]+)>$/s.exec(content) ?? [];
  const [text, target] = [own ?? content, given ?? content];
  const tag = TAGS[name];
  if (name === "math") Object.assign(state.push("math_inline", "", 0), { content, info: "inline", markup: "$" });
  else if (tag !== undefined) {
    if (tag === "abbr") pushAbbreviation(state, content);
    else pushElement(state, tag, content);
  } else if (name === "doc" && /^[\w-]+:\w/.test(target)) {
    // A page of another project, such as `jax:autodiff`: only Sphinx knows its URL.
    state.push("text", "", 0).content = own ?? target.replace(/^.*:/, "");
  } else if (name === "doc" || name === "download") pushLink(state, target, own ?? "");
  else if (name === "button" || name.startsWith("bdg-link")) pushLink(state, target, text);
  else if (REFERENCES.test(name)) pushLink(state, `#${target}`, text, own !== undefined);
  else if (/^(?:foot)?cite\b/.test(name)) pushElement(state, "cite", content);
  else if (name === "menuselection") state.push("text", "", 0).content = content.replace(/\s*-->\s*/g, " → ");
  else if (name === "guilabel") state.push("text", "", 0).content = content.replace(/&(?=\w)/g, "");
  else if (name === "raw:html") state.push("html_inline", "", 0).content = content;
  else if (/^chem(?:icalformula)?$/i.test(name)) pushFormula(state, content);
  else if (name === "si") state.push("text", "", 0).content = content.replace(/[<>\\]/g, "");
  else if (name === "badge") state.push("text", "", 0).content = content.replace(/,.*$/s, "");
  else if (name === "link-badge") pushBadge(state, content);
  else if (name.startsWith("glue:")) Object.assign(state.push("code_inline", "code", 0), { content, meta: GLUED });
  else if (SILENT.test(name)) return;
  else if (TEXTS.has(name) || name.startsWith("bdg")) state.push("text", "", 0).content = text;
  else state.push("code_inline", "code", 0).content = content;
}

// Shows digits such as the one in `H2O` as subscripts.
function pushFormula(state: StateInline, content: string): void {
  for (const part of content.split(/(\d+)/)) {
    if (/^\d/.test(part)) pushElement(state, "sub", part);
    else if (part !== "") state.push("text", "", 0).content = part;
  }
}

// Reads a badge of sphinx-panels: `https://a.example,A text,cls=badge-primary`.
function pushBadge(state: StateInline, content: string): void {
  const [href = "", text = href] = content.replace(/^"|"$/g, "").split(/"?,"?/);
  pushLink(state, href, text);
}

// Reads an abbreviation with its meaning: `CTC (crush, tear, curl)`.
function pushAbbreviation(state: StateInline, content: string): void {
  const [, short = content, meaning] = /^(.*?)\s*\((.*)\)$/s.exec(content) ?? [];
  pushElement(state, "abbr", short);
  if (meaning !== undefined) state.tokens.at(-3)?.attrSet("title", meaning);
}

/** `isNamed` is true if the author wrote the reference's text. */
function pushLink(state: StateInline, href: string, text: string, isNamed?: boolean): void {
  const url = state.md.normalizeLink(href);
  const isLink = href !== "" && state.md.validateLink(url);
  if (isLink) Object.assign(state.push("link_open", "a", 1), { attrs: [["href", url]], meta: { isNamed } });
  if (text !== "") state.push("text", "", 0).content = text;
  if (isLink) state.push("link_close", "a", -1);
}
