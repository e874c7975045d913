// For `::: tea.Leaf`, mkdocstrings generates an API reference from code; `[leaves][tea.Leaf]` links to it.
import type { MarkdownIt, StateBlock, StateCore, StateInline } from "markdown-it";
import { environmentOf, isIndentedCode, readLine } from "../../markdown/markdown-environment.ts";
import { cutText } from "../../quote.ts";
import { countTokens } from "./counted-tokens.ts";
import { hasExtension } from "./mkdocs-extensions.ts";

const IDENTIFIER = /^:::\s*([\w.:/()[\]-]+)\s*$/;
const OPTION_INDENT = 4;

export function addApi({ block, inline, core }: MarkdownIt): void {
  block.ruler.before("table", "api_block", readApiBlock, { alt: ["paragraph", "reference", "blockquote"] });
  inline.ruler.after("link", "api_reference", readReference);
  core.ruler.after("inline", "api_references", countReferences);
}

function readApiBlock(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine) || !hasExtension(state, "mkdocstrings")) return false;
  const [, name] = IDENTIFIER.exec(readLine(state, startLine)) ?? [];
  if (name === undefined) return false;
  if (isSilent) return true;
  state.line = startLine + 1;
  while (state.line < endLine && !state.isEmpty(state.line)) {
    if ((state.sCount[state.line] ?? 0) - state.blkIndent < OPTION_INDENT) break;
    state.line++;
  }
  const [what, plural] = ["API description of mkdocstrings", "API descriptions of mkdocstrings"];
  const tally = [{ what, plural, count: 1, isKept: false }];
  const message = `::: ${cutText(name, 60)} is left out: mkdocstrings generates it from code`;
  environmentOf(state).remarks?.push({ line: startLine + 1, kind: "counted", message, tally });
  return true;
}

const TARGET = /\[([^[\]\n]{0,200})\]/y;

// Reads a reference that no definition on the page turns into a link.
function readReference(state: StateInline, isSilent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (src[pos] !== "[" || src[pos + 1] === "^" || !hasExtension(state, "mkdocstrings", "autorefs")) return false;
  const labelEnd = state.md.helpers.parseLinkLabel(state, pos);
  TARGET.lastIndex = labelEnd + 1;
  const [written, target = ""] = labelEnd < 0 ? [] : (TARGET.exec(src) ?? []);
  if (written === undefined || TARGET.lastIndex > posMax) return false;
  const end = labelEnd + 1 + written.length;
  if (!isSilent) {
    state.push("api_reference", "", 0).content = target || src.slice(pos + 1, labelEnd);
    Object.assign(state, { pos: pos + 1, posMax: labelEnd, level: state.level + 1 });
    state.md.inline.tokenize(state);
    Object.assign(state, { posMax, level: state.level - 1 });
  }
  state.pos = end;
  return true;
}

function countReferences(state: StateCore): void {
  countTokens(state, "api_reference", {
    what: "reference of mkdocstrings",
    plural: "references of mkdocstrings",
    isKept: true,
    describe: (name) => `reference to ${cutText(name, 60)} is shown as text: only a plugin can find its page`,
  });
}
