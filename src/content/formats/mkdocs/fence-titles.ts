// Allows backticks in a fence's title, unlike CommonMark: ```` ``` py title="`tea.py`" ````.
import type { MarkdownIt } from "markdown-it";
import { readLine, startOfLine } from "../../markdown/markdown-environment.ts";
import { takeRule } from "../../markdown/parser-states.ts";

/** https://facelessuser.github.io/pymdown-extensions/extensions/superfences/ */
const OPENING = /^`{3,}[^`"\n]{0,200}\b[a-z]\w{0,40}="[^"`\n]{0,500}(?=`[^"\n]{0,500}"[^`\n]{0,500}$)/i;

export function addFenceTitles({ block: { ruler } }: MarkdownIt): void {
  const readFence = takeRule(ruler, "fence");
  const readTitledFence: typeof readFence = (state, startLine, endLine, isSilent) => {
    const line = readLine(state, startLine);
    const before = line.startsWith("```") ? OPENING.exec(line)?.[0] : undefined;
    if (before === undefined) return readFence(state, startLine, endLine, isSilent);
    // Cuts the line before the title's first backtick while CommonMark's rule reads the line.
    const end = state.eMarks[startLine] ?? 0;
    state.eMarks[startLine] = startOfLine(state, startLine) + before.length;
    const isRead = readFence(state, startLine, endLine, isSilent);
    state.eMarks[startLine] = end;
    const token = state.tokens.at(-1);
    if (isRead && !isSilent && token?.type === "fence") token.info = line.replace(/^`+/, "");
    return isRead;
  };
  ruler.at("fence", readTitledFence, { alt: ["paragraph", "reference", "blockquote", "list"] });
}
