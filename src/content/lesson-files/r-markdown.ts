import { addChunkRule, ChunkReading } from "../markdown/rules/chunks.ts";
import type { BodyOptions, LessonBody } from "./lesson-body.ts";
import { describeCount, renderMarkdownBody } from "./markdown-file.ts";

/** Renders R Markdown without running its code. Throws UnreadableText beyond a limit. */
export function renderRMarkdownBody(body: string, options: BodyOptions): LessonBody {
  const chunks = new ChunkReading();
  const dialect = { ...options.dialect, rules: [...(options.dialect.rules ?? []), addChunkRule] };
  const rendered = renderMarkdownBody(body, { ...options, dialect, chunks });
  const { shownChunks, hiddenChunks, resultLines } = chunks;
  const [line] = resultLines;
  if (line !== undefined) {
    const message = `readers see inline R code, \`r …\`, as written: imports do not run code${describeCount(resultLines.length)}`;
    rendered.remarks.push({ line, kind: "dropped-component", message });
  }
  const count = shownChunks + hiddenChunks;
  if (count === 0) return rendered;
  const noun = count === 1 ? "chunk" : "chunks";
  const message = `imports do not run R Markdown: readers see the code of ${shownChunks} of ${count} ${noun}, without results`;
  const tally = [
    { what: "result of an R Markdown chunk", plural: "results of R Markdown chunks", count, isKept: false },
  ];
  return { ...rendered, remarks: [{ line: 1, kind: "dropped-component", message, tally }, ...rendered.remarks] };
}
