// Code of R Markdown, which is run when a page is made. Nothing is run here: the code is shown, its results are not.
import type { MarkdownIt, Token } from "markdown-it";
import { environmentOf } from "../markdown-environment.ts";

const CHUNK = /^\{([A-Za-z][\w.+-]*)(?![\w.+-])(.*)\}$/;
// `include = FALSE`, `echo=F`; in the chunk: `#| echo: false`.
const HIDDEN = /\b(?:echo|include)\s*=\s*F(?:ALSE)?\b/;
const HIDDEN_WITHIN = /^[ \t]*#\|[ \t]*(?:echo|include)\s*[:=]\s*(?:false|F)\b/im;
const OPTION_LINE = /^[ \t]*#\|[^\n]*\n/gm;

/** What is found out of the code of one text. */
export class ChunkReading {
  /** Chunks of code that are shown, without their results. */
  shownChunks = 0;
  /** Chunks of which only results are meant to be seen. */
  hiddenChunks = 0;
  /** The lines on which a result was to stand within the text, `\`r nrow(x)\``, each as often as it has some. */
  readonly resultLines: number[] = [];
}

/** Makes of each chunk a block of code in its language, and drops those whose code is not meant to be seen. */
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

/** False for a chunk that readers do not see. */
function showChunk(token: Token, chunks: ChunkReading): boolean {
  const [, language, options = ""] = CHUNK.exec(token.info.trim()) ?? [];
  if (language === undefined) return true;
  if (HIDDEN.test(options) || HIDDEN_WITHIN.test(token.content)) {
    chunks.hiddenChunks++;
    return false;
  }
  chunks.shownChunks++;
  token.info = language.toLowerCase();
  token.content = token.content.replace(OPTION_LINE, "");
  return true;
}
