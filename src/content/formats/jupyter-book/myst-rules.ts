// MyST, the Markdown of Jupyter Book: directives in fences of back-ticks and colons, and roles.
// https://mystmd.org/guide/directives, https://mystmd.org/guide/roles
import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";
import { isIndentedCode, readLine } from "../../markdown/markdown-environment.ts";
import { showDirectives } from "./myst-directives.ts";

/** Adds MyST to a parser. */
export function addMystRules({ block, core, inline }: MarkdownIt): void {
  const alt = ["paragraph", "reference", "blockquote", "list"];
  block.ruler.before("fence", "myst_colons", readColonFence, { alt });
  block.ruler.before("table", "myst_line", readMystLine, { alt });
  inline.ruler.before("backticks", "myst_role", readRole);
  core.ruler.after("block", "myst_directives", showDirectives);
}

// `:::{note}` is a fence as of back-ticks, whose content is Markdown.
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

// `(label)=` names what follows; `% …` is a comment; `+++` parts blocks.
function readMystLine(state: StateBlock, startLine: number, _endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine)) return false;
  const line = readLine(state, startLine).trimEnd();
  const [, label] = /^\(([^()\s]{1,100})\)=$/.exec(line) ?? [];
  if (label === undefined && !/^(?:%(?:[ \t]|$)|\+\+\+(?:[ \t]|$))/.test(line)) return false;
  if (isSilent) return true;
  state.line = startLine + 1;
  if (label === undefined) return true;
  const token = state.push("html_block", "", 0);
  token.content = `<a id="${state.md.utils.escapeHtml(label)}"></a>\n`;
  token.map = [startLine, startLine + 1];
  return true;
}

const ROLE = /\{([a-z][\w:-]{0,30})\}(`+)([^`]{1,2000})\2(?!`)/y;
const TAGS: Record<string, string> = {
  sub: "sub",
  subscript: "sub",
  sup: "sup",
  superscript: "sup",
  kbd: "kbd",
  abbr: "abbr",
  del: "del",
  u: "u",
};

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
  const [, text = content, target = content] = /^(.*?)\s*<([^<>]+)>$/s.exec(content) ?? [];
  const tag = TAGS[name];
  if (name === "math") Object.assign(state.push("math_inline", "", 0), { content, info: "inline", markup: "$" });
  else if (tag !== undefined) {
    state.push(`myst_${tag}_open`, tag, 1);
    state.push("text", "", 0).content = text.replace(/\s*\(.*\)$/s, tag === "abbr" ? "" : "$&");
    state.push(`myst_${tag}_close`, tag, -1);
  } else if (name === "doc" || name === "download") pushLink(state, target, text);
  else if (name === "ref" || name === "numref" || name === "eq" || name === "term" || name.startsWith("prf:"))
    pushLink(state, name === "term" ? "" : `#${target}`, text);
  else state.push("code_inline", "code", 0).content = text;
}

function pushLink(state: StateInline, href: string, text: string): void {
  const url = state.md.normalizeLink(href);
  const isLink = href !== "" && state.md.validateLink(url);
  if (isLink) state.push("link_open", "a", 1).attrs = [["href", url]];
  state.push("text", "", 0).content = text;
  if (isLink) state.push("link_close", "a", -1);
}
