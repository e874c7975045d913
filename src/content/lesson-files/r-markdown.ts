// R Markdown: Markdown with code that is run when a page is made. Nothing is run here, so that the code is shown and its
// results are not.
import { findFenceEnd } from "../markdown/mdx/mdx-scanner.ts";
import { countLineBreaks } from "../markdown/prepared-text.ts";

/** Markdown with the same lines. */
export interface UnrunText {
  markdown: string;
  /** Chunks of code that are shown, without their results. */
  shownChunks: number;
  /** Chunks of which only results are meant to be seen. */
  hiddenChunks: number;
  /** The lines on which a result was to stand within the text, `\`r nrow(x)\``, each as often as it has some. */
  resultLines: number[];
}

const CHUNK = /^([ \t>]*)(`{3,}|~{3,})[ \t]*\{([A-Za-z][\w.+-]*)(?![\w.+-])([^\n]*)\}[ \t]*\r?$/;
// `include = FALSE`, `echo=F`; in the chunk: `#| echo: false`.
const HIDDEN = /\b(?:echo|include)\s*=\s*F(?:ALSE)?\b/;
const HIDDEN_WITHIN = /^[ \t]*#\|[ \t]*(?:echo|include)\s*[:=]\s*(?:false|F)\b/im;
const INLINE_RESULT = /(?<!`)`r[ \t][^`\n]+`(?!`)/g;
const OPTION_LINE = /\n[ \t]*#\|[^\n]*(?=\n)/g;

/** Makes of each chunk a block of code in its language, and drops those whose code is not meant to be seen. */
export function parseRMarkdown(text: string): UnrunText {
  const result: UnrunText = { markdown: "", shownChunks: 0, hiddenChunks: 0, resultLines: [] };
  let copiedTo = 0;
  let line = 1;
  for (let start = 0; start < text.length;) {
    const lineEnd = text.indexOf("\n", start);
    const end = findFenceEnd(text, start);
    if (end === undefined) {
      const written = text.slice(start, lineEnd === -1 ? undefined : lineEnd);
      for (const _result of written.matchAll(INLINE_RESULT)) result.resultLines.push(line);
      if (lineEnd === -1) break;
      start = lineEnd + 1;
      line++;
      continue;
    }
    const opening = CHUNK.exec(text.slice(start, lineEnd === -1 ? undefined : lineEnd));
    if (opening !== null && lineEnd !== -1) {
      const [whole, indentation = "", fence = "", language = "", options = ""] = opening;
      const rest = text.slice(start + whole.length, end);
      const isHidden = HIDDEN.test(options) || HIDDEN_WITHIN.test(rest);
      const code = rest.replace(OPTION_LINE, "");
      // The lines below keep their numbers.
      const shown =
        `${indentation}${fence}${language.toLowerCase()}${code}` +
        "\n".repeat(countLineBreaks(rest) - countLineBreaks(code));
      result.markdown += text.slice(copiedTo, start) + (isHidden ? rest.replace(/[^\n]/g, "") : shown);
      if (isHidden) result.hiddenChunks++;
      else result.shownChunks++;
      copiedTo = end;
    }
    line += countLineBreaks(text.slice(start, Math.max(end, start + 1)));
    start = Math.max(end, start + 1);
  }
  result.markdown += text.slice(copiedTo);
  return result;
}
