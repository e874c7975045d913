// Blocks that are indented by four and more where that makes no code: what stands in the components of MDX.
import type { MarkdownIt } from "markdown-it";
import { environmentOf } from "../markdown-environment.ts";

/** CommonMark 0.31 §4.4. */
const CODE_INDENT = 4;

/** Lets lists, fenced code, quotations and headings be indented as far as their author likes, in dialects without indented code. */
export function addIndentedBlockRule({ block: { ruler } }: MarkdownIt): void {
  ruler.before("table", "indented_block", (state, startLine, endLine, isSilent) => {
    const indent = state.sCount[startLine] ?? 0;
    if (isSilent || indent - state.blkIndent < CODE_INDENT || environmentOf(state).dialect.hasIndentedCode)
      return false;
    const { blkIndent } = state;
    state.blkIndent = indent;
    const isRead = ruler.getRules("").some((read) => read(state, startLine, endLine, false));
    state.blkIndent = blkIndent;
    return isRead;
  });
}
