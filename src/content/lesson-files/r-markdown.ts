import { addChunkRule, ChunkReading } from "../markdown/rules/chunks.ts";
import type { BodyOptions, LessonBody } from "./lesson-body.ts";
import { describeCount, renderMarkdownBody } from "./markdown-file.ts";

/** Renders a lesson in R Markdown, whose code is not run. Throws UnreadableText. */
export function renderRMarkdownBody(body: string, options: BodyOptions): LessonBody {
  const chunks = new ChunkReading();
  const dialect = { ...options.dialect, rules: [...(options.dialect.rules ?? []), addChunkRule] };
  const rendered = renderMarkdownBody(body, { ...options, dialect, chunks });
  const { shownChunks, hiddenChunks, resultLines } = chunks;
  const [line] = resultLines;
  if (line !== undefined) {
    const message = `readers see the code of a result of R, \`r …\`: nothing is run${describeCount(resultLines.length)}`;
    rendered.remarks.push({ line, kind: "dropped-component", message });
  }
  const count = shownChunks + hiddenChunks;
  if (count === 0) return rendered;
  const message = `code of R Markdown is not run: ${shownChunks} of ${count} chunks are shown, without their results`;
  const tally = [
    { what: "chunk of R Markdown that is run", plural: "chunks of R Markdown that are run", count, isKept: false },
  ];
  return { ...rendered, remarks: [{ line: 1, kind: "dropped-component", message, tally }, ...rendered.remarks] };
}
