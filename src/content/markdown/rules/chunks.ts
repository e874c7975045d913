// Shows R Markdown's code chunks without results, since imports do not run code.
import type { MarkdownIt, Token } from "markdown-it";
import { environmentOf } from "../markdown-environment.ts";

const CHUNK = /^\{([A-Za-z][\w.+-]*)(?![\w.+-])(.*)\}$/;
// Options that hide code: `include = FALSE` and `echo=F` in the first line, `#| echo: false` within the code.
const HIDDEN = /\b(?:echo|include)\s*=\s*F(?:ALSE)?\b/;
const HIDDEN_WITHIN = /^[ \t]*#\|[ \t]*(?:echo|include)\s*[:=]\s*(?:false|F)\b/im;
// Sets the default of all chunks below: `knitr::opts_chunk$set(echo = FALSE)`.
const HIDDEN_BELOW = /\bopts_chunk\$set\([^]{0,1000}?\b(?:echo|include)\s*=\s*F(?:ALSE)?\b/;
const SHOWN = /\b(?:echo|exercise)\s*=\s*T(?:RUE)?\b/;
const SHOWN_WITHIN = /^[ \t]*#\|[ \t]*(?:echo|exercise)\s*[:=]\s*(?:true|T)\b/im;
// Code that tutorials of learnr never show: solutions, checks and questions with their right answers.
const LEARNR_LABEL = /^[ \t]*[\w.-]+-(?:solution|(?:code-|error-)?check)[ \t]*(?:,|$)/;
const LEARNR_ANSWER = /\banswer(?:_fn)?\([^]{0,1000}?\bcorrect\s*=\s*T(?:RUE)?\b/;
const OPTION_LINE = /^[ \t]*#\|[^\n]*\n?/gm;

/** Findings on R Markdown's code chunks. */
export class ChunkReading {
  /** The number of chunks shown without results. */
  shownChunks = 0;
  /** The number of chunks whose code is hidden. */
  hiddenChunks = 0;
  /** True below a chunk that hides the code of others by default. */
  isHiddenByDefault = false;
  /** The line of each inline result, such as `\`r nrow(x)\``. */
  readonly resultLines: number[] = [];
}

/** Converts chunks to code blocks and drops hidden ones. */
export function addChunkRule({ core }: MarkdownIt): void {
  core.ruler.after("block", "chunks", (state) => {
    const { chunks } = environmentOf(state);
    if (chunks !== undefined)
      state.tokens = state.tokens.filter((token) => token.type !== "fence" || showChunk(token, chunks));
  });
  core.ruler.push("chunk_results", (state) => {
    const { chunks } = environmentOf(state);
    if (chunks === undefined) return;
    for (const { children, map } of state.tokens) {
      for (const child of children ?? []) {
        const isResult = child.type === "code_inline" && child.markup === "`" && /^r[ \t]/.test(child.content);
        if (isResult) chunks.resultLines.push((map?.[0] ?? 0) + (child.map?.[0] ?? 0) + 1);
      }
    }
  });
}

/** Returns false for a hidden chunk. */
function showChunk(token: Token, chunks: ChunkReading): boolean {
  const [, language, options = ""] = CHUNK.exec(token.info.trim()) ?? [];
  if (language === undefined) return true;
  const { content } = token;
  const isShown = SHOWN.test(options) || SHOWN_WITHIN.test(content) || !chunks.isHiddenByDefault;
  chunks.isHiddenByDefault ||= HIDDEN_BELOW.test(content);
  const isAnswer = LEARNR_LABEL.test(options) || LEARNR_ANSWER.test(content);
  if (!isShown || isAnswer || HIDDEN.test(options) || HIDDEN_WITHIN.test(content)) {
    chunks.hiddenChunks++;
    return false;
  }
  chunks.shownChunks++;
  token.info = language.toLowerCase();
  token.content = content.replace(OPTION_LINE, "");
  return true;
}
