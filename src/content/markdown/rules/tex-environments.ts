// TeX environments without delimiters, as in notebooks and MyST: `\begin{align} … \end{align}` on their own lines.
import type { MarkdownIt, StateBlock } from "markdown-it";
import { environmentOf, isIndentedCode, readLine } from "../markdown-environment.ts";
import type { BlockState } from "../parser-states.ts";

/** Environments that authors write outside formulas: https://www.ctan.org/pkg/amsmath */
const OPENING = /^\\begin\{((?:equation|align|alignat|flalign|gather|multline|eqnarray)\*?)\}/;

export function addTexEnvironments({ block: { ruler } }: MarkdownIt): void {
  ruler.before("fence", "tex_environment", readEnvironment, { alt: ["paragraph", "reference", "blockquote", "list"] });
}

function readEnvironment(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (environmentOf(state).dialect.hasTexEnvironments !== true || isIndentedCode(state, startLine)) return false;
  const [, name] = OPENING.exec(readLine(state, startLine)) ?? [];
  if (name === undefined) return false;
  const last = findEnd(state as BlockState, startLine, endLine, `\\end{${name}}`);
  if (last === undefined) return false;
  if (isSilent) return true;
  const token = state.push("math_block", "", 0);
  token.content = state.getLines(startLine, last + 1, state.sCount[startLine] ?? 0, false).trim();
  token.map = [startLine, last + 1];
  state.line = last + 1;
  return true;
}

// Caches failed searches.
function findEnd(state: BlockState, startLine: number, endLine: number, end: string): number | undefined {
  const known = state.unclosedMath.get(end);
  const indent = state.blkIndent;
  if (known !== undefined && known.from <= startLine && startLine < known.to && indent >= known.indent)
    return undefined;
  let line = startLine;
  for (; line < endLine; line++) {
    if ((state.sCount[line] ?? 0) < indent && !state.isEmpty(line)) break;
    const text = readLine(state, line);
    if (!text.includes(end)) continue;
    if (text.trimEnd().endsWith(end)) return line;
    break;
  }
  state.unclosedMath.set(end, { from: startLine, to: line, indent });
  return undefined;
}
