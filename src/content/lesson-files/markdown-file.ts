// The text of a lesson in Markdown as HTML, with what an author should know about it.
import { isRenderedLink, parseWithEveryLink, visitTokens } from "../markdown/create-parser.ts";
import { cutText } from "../quote.ts";
import { renderMarkdown } from "../markdown/markdown.ts";
import type { MarkdownSyntax, TextRemark } from "../markdown/markdown-environment.ts";
import type { DroppedPart } from "../markdown/mdx/component-reading.ts";
import type { ChunkReading } from "../markdown/rules/chunks.ts";
import type { BodyOptions, LessonBody } from "./lesson-body.ts";

export function renderMarkdownBody(
  body: string,
  options: BodyOptions & { chunks?: ChunkReading | undefined },
): LessonBody {
  const createComponents = () => options.dialect.createComponents?.(options, body.length);
  const components = createComponents();
  const quizPlace = options.keepsQuestions ? "text" : "quiz";
  const rendered = renderMarkdown(body, { ...options, components, quizPlace });
  const { remarks } = rendered;
  const [line, ...more] = rendered.droppedCells;
  if (line !== undefined) {
    const message = `cells are dropped${describeCount(more.length + 1)}: the row has more than the head of its table; a | in a cell is written \\|`;
    remarks.push({ line, kind: "dropped-component", message });
  }
  // Most lessons have none, and need not be parsed again.
  if (rendered.hasRefusedLinks) {
    const syntax = { ...options, components: createComponents(), chunks: undefined, reading: undefined };
    remarks.push(...listRefusedLinks(body, syntax));
  }
  const { videoUrl, questionLine, branches } = components ?? {};
  remarks.push(...(components?.listDropped() ?? []).map(remarkDropped));
  if (branches !== undefined)
    remarks.push({ line: branches.line, kind: "all-branches", message: describeBranches(branches) });
  return { ...rendered, videoUrl, quizLine: questionLine, remarks };
}

function remarkDropped({ name, line, count }: DroppedPart): TextRemark {
  const message = `${name} is dropped${describeCount(count)}`;
  return { line, kind: "dropped-component", message, tally: [{ what: name, count, isKept: false }] };
}

function describeBranches({ name, count }: DroppedPart): string {
  return `readers see every branch of ${name}${describeCount(count)}; --fw NAME keeps those for one framework`;
}

/** How often something stands in a file, for those who read what is told of it; "" for once. */
export function describeCount(count: number): string {
  return count === 1 ? "" : ` (${count} times in this file)`;
}

/** Lists the links of a text that stay text, since they would run scripts. Parses it again. Throws UnreadableText. */
function listRefusedLinks(markdown: string, syntax: MarkdownSyntax): TextRemark[] {
  const found: TextRemark[] = [];
  visitTokens(parseWithEveryLink(markdown, syntax), syntax, (token, line) => {
    const url = token.attrGet(token.type === "image" ? "src" : "href");
    if (typeof url !== "string" || isRenderedLink(url)) return;
    const message = `link "${cutText(url)}" stays text: Markdown makes no link of ${schemeOf(url)}`;
    found.push({ kind: "script", message, line });
  });
  return found;
}

function schemeOf(url: string): string {
  return `${/^\s*([a-z]+):/i.exec(url)?.[1]?.toLowerCase() ?? ""}: addresses`;
}
