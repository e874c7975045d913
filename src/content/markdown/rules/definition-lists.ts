// Definition lists: a term on its own line, then `:   what it means` with indented blocks. Replaces markdown-it-deflist
// 4, whose definitions include the headings and lists below them and indent code twice.
import { CODE_INDENT, environmentOf, startOfLine } from "../markdown-environment.ts";
import type { MarkdownIt, StateBlock, Token } from "markdown-it";
import type { BlockState } from "../parser-states.ts";
import { isInnermost } from "./deep-nesting.ts";

/**
 * The maximum indentation of a definition's body. Pandoc requires four columns; other programs align the body with its
 * first line.
 */
const MAX_BODY_INDENT = 4;

export function addDefinitionListRule({ block: { ruler } }: MarkdownIt): void {
  ruler.before("paragraph", "definition_list", readDefinitionList, { alt: ["paragraph", "reference", "blockquote"] });
}

function readDefinitionList(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (isInnermost(state)) return false;
  if (isSilent) return endsDefinition(state, startLine, endLine);
  let definition = findDefinition(state, startLine, endLine);
  if (definition === undefined) return false;
  const list = state.push("dl_open", "dl", 1);
  list.map = [startLine, startLine];
  for (let term = startLine; definition !== undefined;) {
    for (let line = term; line < definition; line++) if (!state.isEmpty(line)) pushTerm(state, line);
    for (let line: number | undefined = definition; line !== undefined;) {
      readDefinition(state, line, endLine);
      term = Math.min(state.skipEmptyLines(state.line), endLine);
      line = isDefinition(state, term, endLine) ? term : undefined;
    }
    definition = isTerm(state, term, endLine) ? findDefinition(state, term, endLine) : undefined;
  }
  list.map[1] = state.line;
  state.push("dl_close", "dl", -1);
  return true;
}

/** Returns true for a line that ends the open definition: the next definition, or the next term. */
function endsDefinition(state: StateBlock, line: number, endLine: number): boolean {
  const { definitionIndent: bodyIndent } = state as BlockState;
  if (bodyIndent === undefined || (state.sCount[line] ?? 0) >= bodyIndent) return false;
  return hasMarker(state, line, endLine) || hasMarker(state, line + 1, endLine);
}

/** Returns the line of a term's first definition, if any. */
function findDefinition(state: StateBlock, term: number, endLine: number): number | undefined {
  if (isDefinition(state, term, endLine)) return undefined;
  let last = term + 1;
  // In Python-Markdown, each line above a definition is a term.
  if (environmentOf(state).dialect.extensions?.has("def_list") === true)
    while (!state.isEmpty(last) && !isDefinition(state, last, endLine) && isTerm(state, last, endLine)) last++;
  const line = Math.min(state.skipEmptyLines(last), endLine);
  return isDefinition(state, line, endLine) ? line : undefined;
}

function isTerm(state: StateBlock, line: number, endLine: number): boolean {
  const indent = (state.sCount[line] ?? 0) - state.blkIndent;
  if (line >= endLine || indent < 0 || indent >= CODE_INDENT) return false;
  return !state.md.block.ruler.getRules("paragraph").some((interrupts) => interrupts(state, line, endLine, true));
}

/** Returns true for a line that begins a definition in the current list or quotation. */
function isDefinition(state: StateBlock, line: number, endLine: number): boolean {
  return (state.sCount[line] ?? 0) >= state.blkIndent && hasMarker(state, line, endLine);
}

function hasMarker(state: StateBlock, line: number, endLine: number): boolean {
  if (line >= endLine || (state.sCount[line] ?? 0) - state.blkIndent >= CODE_INDENT) return false;
  const sign = state.src[startOfLine(state, line)];
  // Pandoc's alternative marker.
  const isTilde = sign === "~" && environmentOf(state).dialect.extensions === undefined;
  if (sign !== ":" && !isTilde) return false;
  const start = startOfLine(state, line) + 1;
  const text = state.skipSpaces(start);
  return text > start && text < (state.eMarks[line] ?? 0);
}

function pushTerm(state: StateBlock, line: number): void {
  state.push("dt_open", "dt", 1).map = [line, line + 1];
  const text = state.push("inline", "", 0);
  text.content = state.getLines(line, line + 1, state.blkIndent, false).trim();
  text.children = [];
  text.map = [line, line + 1];
  state.push("dt_close", "dt", -1);
}

function readDefinition(state: StateBlock, line: number, endLine: number): void {
  const opening = state.push("dd_open", "dd", 1);
  const first = state.tokens.length;
  const { blkIndent, tight } = state;
  const before = { tShift: state.tShift[line] ?? 0, sCount: state.sCount[line] ?? 0 };
  const memory = state as BlockState;
  const outerIndent = memory.definitionIndent;
  const contentStart = state.skipSpaces(startOfLine(state, line) + 1);
  state.blkIndent = measureBody(state, line, contentStart, endLine);
  state.tShift[line] = contentStart - (state.bMarks[line] ?? 0);
  state.sCount[line] = state.blkIndent;
  memory.definitionIndent = state.blkIndent;
  state.md.block.tokenize(state, line, endLine);
  memory.definitionIndent = outerIndent;
  [state.blkIndent, state.tight] = [blkIndent, tight];
  state.tShift[line] = before.tShift;
  state.sCount[line] = before.sCount;
  opening.map = [line, state.line];
  hideOnlyParagraph(state.tokens.slice(first));
  state.push("dd_close", "dd", -1);
}

/**
 * Returns the indentation of a definition's body: that of its first line or, if deeper, of the next, up to four
 * columns.
 */
function measureBody(state: StateBlock, line: number, contentStart: number, endLine: number): number {
  const { blkIndent } = state;
  let column = state.sCount[line] ?? 0;
  for (let at = startOfLine(state, line); at < contentStart; at++)
    column += state.src[at] === "\t" ? 4 - ((column + (state.bsCount[line] ?? 0)) % 4) : 1;
  const below = state.sCount[Math.min(state.skipEmptyLines(line + 1), endLine)] ?? 0;
  return Math.min(blkIndent + MAX_BODY_INDENT, Math.max(column, below));
}

// A definition with a single paragraph is rendered without paragraph tags.
function hideOnlyParagraph(body: Token[]): void {
  const [opening, , closing, more] = body;
  if (opening?.type !== "paragraph_open" || closing === undefined || more !== undefined) return;
  opening.hidden = closing.hidden = true;
}
