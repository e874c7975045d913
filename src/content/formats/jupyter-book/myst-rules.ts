// Adds the rules of MyST, Jupyter Book's Markdown: roles and fenced directives. https://mystmd.org/guide/directives,
// https://mystmd.org/guide/roles
import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";
import type { BlockState } from "../../markdown/parser-states.ts";
import { environmentOf, isIndentedCode, readLine } from "../../markdown/markdown-environment.ts";
import { readAttributes } from "../../markdown/rules/attributes.ts";
import { MystReading } from "./myst-files.ts";
import { nameReferences } from "./myst-references.ts";
import { showDirectives } from "./myst-directives.ts";
import { pushElement, readRole } from "./myst-roles.ts";

export function addMystRules({ block, core, inline }: MarkdownIt): void {
  const alt = ["paragraph", "reference", "blockquote", "list"];
  block.ruler.before("fence", "myst_colons", readColonFence, { alt });
  block.ruler.before("table", "myst_line", readMystLine, { alt });
  inline.ruler.before("backticks", "myst_role", readRole);
  inline.ruler.before("myst_role", "myst_substitution", readSubstitution);
  inline.ruler.before("link", "myst_citation", readCitation);
  block.ruler.before("math_block", "myst_labelled_math", readLabelledMath, { alt });
  core.ruler.after("block", "myst_directives", showDirectives);
  core.ruler.push("myst_references", nameReferences);
}

// `:::{note}` fences Markdown; `:::python` fences code.
const COLON_FENCE = /^(:{3,})[ \t]*(\{[^{}]+\}.*|[A-Za-z][\w+-]*)$/;

function readColonFence(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine)) return false;
  const [, colons = "", info = ""] = COLON_FENCE.exec(readLine(state, startLine)) ?? [];
  if (colons === "") return false;
  if (isSilent) return true;
  let next = startLine + 1;
  const isBelow = (line: number): boolean =>
    line >= endLine || (!state.isEmpty(line) && (state.sCount[line] ?? 0) < state.blkIndent);
  while (!isBelow(next) && !isColonEnd(readLine(state, next), colons.length)) next++;
  const token = state.push("fence", "code", 0);
  token.info = info;
  token.content = state.getLines(startLine + 1, next, state.blkIndent, true);
  token.markup = colons;
  token.map = [startLine, next];
  state.line = isBelow(next) ? next : next + 1;
  return true;
}

function isColonEnd(line: string, least: number): boolean {
  const text = line.trim();
  return text.length >= least && /^:+$/.test(text);
}

// `(label)=` labels the next block, as `{#label .class}` does; `% …` is a comment; `+++` separates blocks.
function readMystLine(state: StateBlock, startLine: number, _endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine)) return false;
  const line = readLine(state, startLine).trimEnd();
  const isBreak = /^\+{3}/.test(line);
  const label = /^\(([^()\s]{1,100})\)=$/.exec(line)?.[1];
  const attributes = line.startsWith("{") ? readAttributes(line, 0) : undefined;
  const isAttributes = attributes?.end === line.length;
  if (label === undefined && !isBreak && !isAttributes && !line.startsWith("%")) return false;
  if (isSilent) return true;
  state.line = startLine + 1;
  const id = label ?? (isAttributes ? attributes.id : undefined);
  if (id !== undefined) pushLabel(state, id, startLine);
  if (isBreak) Object.assign(state.push("myst_break", "", 0), { content: line, map: [startLine, startLine + 1] });
  return true;
}

function pushLabel(state: StateBlock, label: string, line: number): void {
  const token = state.push("html_block", "", 0);
  token.content = `<a id="${state.md.utils.escapeHtml(label)}"></a>\n`;
  token.meta = { label };
  token.map = [line, line + 1];
}

const LABELLED_END = /^(.*)\$\$[ \t]*\(([^()\s]{1,100})\)$/;

// Reads a labelled formula: `$$ … $$ (label)`.
function readLabelledMath(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine) || !readLine(state, startLine).startsWith("$$")) return false;
  // If a formula has no end, formulas that begin on the lines searched for that end have no end, either.
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

// Matches `{{ name }}`, which is replaced only if the name stands for plain text.
const SUBSTITUTION = /\{\{[ \t]*([\w-]{1,100})[ \t]*\}\}/y;

function readSubstitution(state: StateInline, isSilent: boolean): boolean {
  const { reading, remarks } = environmentOf(state);
  if (state.src[state.pos] !== "{" || !(reading instanceof MystReading)) return false;
  SUBSTITUTION.lastIndex = state.pos;
  const [written, name = ""] = SUBSTITUTION.exec(state.src) ?? [];
  const text = reading.findText(name);
  if (written === undefined || text === undefined) return false;
  if (!isSilent && !reading.isSpent) {
    const tooLarge = reading.take(text);
    if (tooLarge === undefined) state.push("text", "", 0).content = text;
    else remarks?.push({ line: 1, kind: "too-large", message: `${written} ${tooLarge.fault}` });
  }
  state.pos += written.length;
  return true;
}

// Matches a citation such as `[@key; @other, p. 3]`.
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
