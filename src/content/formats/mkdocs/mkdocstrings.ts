// `::: tea.Leaf`: mkdocstrings writes the API of a Python object here, from its code.
import type { MarkdownIt, StateBlock } from "markdown-it";
import { environmentOf, isIndentedCode, readLine } from "../../markdown/markdown-environment.ts";
import { cutText } from "../../quote.ts";
import { hasExtension } from "./mkdocs-extensions.ts";

const IDENTIFIER = /^:::\s*([\w.:\/()[\]-]+)\s*$/;
const OPTION_INDENT = 4;

export function addApiBlocks({ block: { ruler } }: MarkdownIt): void {
  ruler.before("table", "api_block", readApiBlock, { alt: ["paragraph", "reference", "blockquote"] });
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
  const tally = [{ what: "API of mkdocstrings", plural: "APIs of mkdocstrings", count: 1, isKept: false }];
  const message = `::: ${cutText(name, 60)} is left out: mkdocstrings makes it of code`;
  environmentOf(state).remarks?.push({ line: startLine + 1, kind: "counted", message, tally });
  return true;
}
