// Renders `!!! note`, `??? tip` and `=== "Tab"`, whose content is indented.
import type { MarkdownIt, StateBlock } from "markdown-it";
import { isIndentedCode, startOfLine, readLine } from "../../markdown/markdown-environment.ts";
import { isInnermost } from "../../markdown/rules/deep-nesting.ts";
import { closeBox, closeTab, closeTabs, openBox, openTab, openTabs, pushTokens, type Box } from "./block-tokens.ts";
import { hasExtension } from "./mkdocs-extensions.ts";

const INDENT = 4;
const TYPES = String.raw`[\w-]+(?:[ \t]+[\w-]+)*`;
const ADMONITION = new RegExp(String.raw`^!!!\s?(${TYPES})(?:[ \t]+"(.*)")?$`);
const DETAILS = new RegExp(String.raw`^\?\?\?(\+)?\s?(?:(${TYPES})(?:[ \t]+"(.*)")?|[ \t]*"(.*)")$`);
const TAB = /^===([!+]{0,2})[ \t]+"(.*)"$/;

export function addIndentedBoxes({ block: { ruler } }: MarkdownIt): void {
  const alt = ["paragraph", "reference", "blockquote", "list"];
  ruler.before("fence", "indented_box", readBox, { alt });
  ruler.before("fence", "indented_tabs", readTabs, { alt });
}

function readBox(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  const first = state.src[startOfLine(state, startLine)];
  if ((first !== "!" && first !== "?") || isIndentedCode(state, startLine) || isInnermost(state)) return false;
  const box = parseBox(state, readLine(state, startLine).trimEnd());
  if (box === undefined) return false;
  if (isSilent) return true;
  const index = state.tokens.length;
  pushTokens(state, openBox(state, box, state.env, startLine));
  tokenizeBelow(state, startLine, endLine);
  const opening = state.tokens[index];
  if (opening !== undefined) opening.map = [startLine, state.line];
  pushTokens(state, [closeBox(state, box.isOpen !== undefined)]);
  return true;
}

function parseBox(state: StateBlock, line: string): Box | undefined {
  const [admonition, types = "", title] = ADMONITION.exec(line) ?? [];
  if (admonition !== undefined)
    return hasExtension(state, "admonition") ? { types: types.split(/[ \t]+/), title } : undefined;
  const [details, plus, kinds, ownTitle, onlyTitle] = DETAILS.exec(line) ?? [];
  if (details === undefined || !hasExtension(state, "pymdownx.details")) return undefined;
  return { types: kinds?.split(/[ \t]+/) ?? [], title: ownTitle ?? onlyTitle, isOpen: plus !== undefined };
}

function readTabs(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine) || isInnermost(state) || !hasExtension(state, "pymdownx.tabbed")) return false;
  let tab = TAB.exec(readLine(state, startLine).trimEnd());
  if (tab === null) return false;
  if (isSilent) return true;
  const index = state.tokens.length;
  const indent = state.sCount[startLine];
  pushTokens(state, [openTabs(state, startLine)]);
  for (let line = startLine; tab !== null; line = state.line) {
    pushTokens(state, openTab(state, tab[2] ?? "", line));
    tokenizeBelow(state, line, endLine);
    pushTokens(state, [closeTab(state)]);
    const next = Math.min(state.skipEmptyLines(state.line), endLine);
    tab = next < endLine && state.sCount[next] === indent ? TAB.exec(readLine(state, next).trimEnd()) : null;
    // The sign `!` begins a new group of tabs.
    if (tab?.[1]?.includes("!")) tab = null;
    if (tab !== null) state.line = next;
  }
  pushTokens(state, [closeTabs(state)]);
  const opening = state.tokens[index];
  if (opening !== undefined) opening.map = [startLine, state.line];
  return true;
}

/** Tokenizes the indented lines below an opening line, up to the last line that is not blank. */
function tokenizeBelow(state: StateBlock, startLine: number, endLine: number): void {
  const indent = (state.sCount[startLine] ?? 0) + INDENT;
  let end = startLine + 1;
  for (let line = end; line < endLine; line++) {
    if (state.isEmpty(line)) continue;
    if ((state.sCount[line] ?? 0) < indent) break;
    end = line + 1;
  }
  const { blkIndent, lineMax, parentType, listIndent, tight } = state;
  Object.assign(state, { blkIndent: indent, lineMax: end, parentType: "root", listIndent: -1 });
  state.line = startLine + 1;
  if (end > startLine + 1) state.md.block.tokenize(state, startLine + 1, end);
  Object.assign(state, { blkIndent, lineMax, parentType, listIndent, tight });
  state.line = end;
}
