// MyST, Jupyter Book's Markdown: directives in fences and roles. https://mystmd.org/guide/directives,
// https://mystmd.org/guide/roles
import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";
import type { BlockState } from "../../markdown/parser-states.ts";
import { isIndentedCode, readLine } from "../../markdown/markdown-environment.ts";
import { nameReferences } from "./myst-references.ts";
import { showDirectives } from "./myst-directives.ts";

export function addMystRules({ block, core, inline }: MarkdownIt): void {
  const alt = ["paragraph", "reference", "blockquote", "list"];
  block.ruler.before("fence", "myst_colons", readColonFence, { alt });
  block.ruler.before("table", "myst_line", readMystLine, { alt });
  inline.ruler.before("backticks", "myst_role", readRole);
  inline.ruler.before("link", "myst_citation", readCitation);
  block.ruler.before("math_block", "myst_labelled_math", readLabelledMath, { alt });
  core.ruler.after("block", "myst_directives", showDirectives);
  core.ruler.push("myst_references", nameReferences);
}

// `:::{note}` fences Markdown.
function readColonFence(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine)) return false;
  const [, colons = "", info = ""] = /^(:{3,})[ \t]*(\{[\w:+.-]+\}.*)$/.exec(readLine(state, startLine)) ?? [];
  if (colons === "") return false;
  if (isSilent) return true;
  let next = startLine + 1;
  while (next < endLine && !isColonEnd(readLine(state, next), colons.length)) next++;
  const token = state.push("fence", "code", 0);
  token.info = info;
  token.content = state.getLines(startLine + 1, next, state.blkIndent, true);
  token.markup = colons;
  token.map = [startLine, next];
  state.line = Math.min(next + 1, endLine);
  return true;
}

function isColonEnd(line: string, least: number): boolean {
  const text = line.trim();
  return text.length >= least && /^:+$/.test(text);
}

// `(label)=` labels the next block; `% …` is a comment; `+++` separates blocks.
function readMystLine(state: StateBlock, startLine: number, _endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine)) return false;
  const line = readLine(state, startLine).trimEnd();
  const [, label] = /^\(([^()\s]{1,100})\)=$/.exec(line) ?? [];
  if (label === undefined && !/^(?:%(?:[ \t]|$)|\+\+\+(?:[ \t]|$))/.test(line)) return false;
  if (isSilent) return true;
  state.line = startLine + 1;
  if (label === undefined) return true;
  pushLabel(state, label, startLine);
  return true;
}

function pushLabel(state: StateBlock, label: string, line: number): void {
  const token = state.push("html_block", "", 0);
  token.content = `<a id="${state.md.utils.escapeHtml(label)}"></a>\n`;
  token.meta = { label };
  token.map = [line, line + 1];
}

const LABELLED_END = /^(.*)\$\$[ \t]*\(([^()\s]{1,100})\)$/;

// `$$ … $$ (label)`
function readLabelledMath(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine) || !readLine(state, startLine).startsWith("$$")) return false;
  // If a formula is unclosed, so are those on the lines below.
  const { unclosedMath } = state as BlockState;
  const known = unclosedMath.get(LABELLED_END.source);
  if (known !== undefined && known.from <= startLine && startLine < known.to) return false;
  const lines: string[] = [];
  let line = startLine;
  for (; line < endLine; line++) {
    const whole = readLine(state, line).trimEnd();
    const text = line === startLine ? whole.slice(2) : whole;
    const [, last = "", label] = LABELLED_END.exec(text) ?? [];
    if (label === undefined) {
      if (whole === "" || (text !== "" && text.endsWith("$$"))) break;
      lines.push(text);
      continue;
    }
    if (isSilent) return true;
    pushLabel(state, label, startLine);
    const token = state.push("math_block", "", 0);
    token.content = [...lines, last].join("\n").trim();
    token.map = [startLine, line + 1];
    state.line = line + 1;
    return true;
  }
  unclosedMath.set(LABELLED_END.source, { from: startLine, to: line, indent: 0 });
  return false;
}

// `[@key; @other, p. 3]`
const CITATION = /\[(-?@[\w:.#$%&+?~/-]+[^[\]]{0,300})\](?![([{])/y;

function readCitation(state: StateInline, isSilent: boolean): boolean {
  if (state.src[state.pos] !== "[") return false;
  CITATION.lastIndex = state.pos;
  const [written, keys = ""] = CITATION.exec(state.src) ?? [];
  if (written === undefined || CITATION.lastIndex > state.posMax) return false;
  if (!isSilent) pushElement(state, "cite", keys.replace(/-?@(?=\w)/g, ""));
  state.pos += written.length;
  return true;
}

function pushElement(state: StateInline, tag: string, text: string): void {
  state.push(`myst_${tag}_open`, tag, 1);
  state.push("text", "", 0).content = text;
  state.push(`myst_${tag}_close`, tag, -1);
}

// Attributes may follow the name: `{span .red}`.
const ROLE = /\{([a-z][\w:-]{0,30})(?: [^{}`\n]{0,200})?\}(`+)([^`]{1,2000})\2(?!`)/y;
const TAGS: Record<string, string> = {
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
const TEXTS: ReadonlySet<string> = new Set(["span", "index", "term", "guilabel"]);
const REFERENCES = /^(?:ref|numref|eq|prf:ref|cross?ref)$/;

function readRole(state: StateInline, isSilent: boolean): boolean {
  if (state.src[state.pos] !== "{") return false;
  ROLE.lastIndex = state.pos;
  const [written, name = "", , content = ""] = ROLE.exec(state.src) ?? [];
  if (written === undefined || ROLE.lastIndex > state.posMax) return false;
  if (!isSilent) pushRole(state, name, content.trim());
  state.pos += written.length;
  return true;
}

function pushRole(state: StateInline, name: string, content: string): void {
  // `text <target>`
  const [, own, given] = /^(.*?)\s*<([^<>]+)>$/s.exec(content) ?? [];
  const [text, target] = [own ?? content, given ?? content];
  const tag = TAGS[name];
  if (name === "math") Object.assign(state.push("math_inline", "", 0), { content, info: "inline", markup: "$" });
  else if (tag !== undefined) {
    if (tag === "abbr") pushAbbreviation(state, content);
    else pushElement(state, tag, content);
  } else if (name === "doc" || name === "download") pushLink(state, target, own ?? "");
  else if (name === "button") pushLink(state, target, text);
  else if (REFERENCES.test(name)) pushLink(state, `#${target}`, text, own !== undefined);
  else if (/^cite\b/.test(name)) pushElement(state, "cite", content);
  else if (name === "menuselection") state.push("text", "", 0).content = content.replace(/\s*-->\s*/g, " → ");
  else if (TEXTS.has(name)) state.push("text", "", 0).content = text;
  else state.push("code_inline", "code", 0).content = content;
}

// `CTC (crush, tear, curl)`
function pushAbbreviation(state: StateInline, content: string): void {
  const [, short = content, meaning] = /^(.*?)\s*\((.*)\)$/s.exec(content) ?? [];
  pushElement(state, "abbr", short);
  if (meaning !== undefined) state.tokens.at(-3)?.attrSet("title", meaning);
}

/** `isNamed` is true for a reference with an authored text. */
function pushLink(state: StateInline, href: string, text: string, isNamed?: boolean): void {
  const url = state.md.normalizeLink(href);
  const isLink = href !== "" && state.md.validateLink(url);
  if (isLink) Object.assign(state.push("link_open", "a", 1), { attrs: [["href", url]], meta: { isNamed } });
  if (text !== "") state.push("text", "", 0).content = text;
  if (isLink) state.push("link_close", "a", -1);
}
