// Drops the questions of the plugin mkdocs_quiz, which contain the right answers: https://ewels.github.io/mkdocs-quiz/
import type { MarkdownIt, StateBlock } from "markdown-it";
import { environmentOf, isIndentedCode, readLine } from "../../markdown/markdown-environment.ts";
import { hasExtension } from "./mkdocs-extensions.ts";

/** Matches `<quiz>`, and `<?quiz?>` of the plugin's first versions. */
const OPENING = /^<(\??)quiz\1>\s*$/;
const CLOSING = /^<(?:\/quiz|\?\/quiz\?)>\s*$/;

export function addQuizzes({ block }: MarkdownIt): void {
  block.ruler.before("table", "quiz", dropQuiz, { alt: ["paragraph", "reference", "blockquote"] });
}

function dropQuiz(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine) || !OPENING.test(readLine(state, startLine))) return false;
  if (!hasExtension(state, "mkdocs_quiz")) return false;
  if (isSilent) return true;
  state.line = startLine + 1;
  while (state.line < endLine && !CLOSING.test(readLine(state, state.line))) state.line++;
  state.line = Math.min(state.line + 1, endLine);
  const tally = [{ what: "question of mkdocs_quiz", plural: "questions of mkdocs_quiz", count: 1, isKept: false }];
  const message = "<quiz> is left out: it contains its answers and needs the plugin mkdocs_quiz";
  environmentOf(state).remarks?.push({ line: startLine + 1, kind: "counted", message, tally });
  return true;
}
