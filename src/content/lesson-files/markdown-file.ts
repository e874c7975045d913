// Renders a Markdown lesson and collects remarks for its author.
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
    const message = `cells are dropped${describeCount(more.length + 1)}: the row has more cells than the table's header; write a | in a cell as \\|`;
    remarks.push({ line, kind: "dropped-component", message });
  }
  // Most lessons have no refused links and need no second parse.
  if (rendered.hasRefusedLinks) {
    const syntax = { ...options, components: createComponents(), chunks: undefined, reading: undefined };
    for (const remark of listRefusedLinks(body, syntax)) remarks.push(remark);
  }
  const { videoUrl, questionLine, branches } = components ?? {};
  for (const part of components?.listDropped() ?? []) remarks.push(remarkDropped(part));
  if (branches !== undefined)
    remarks.push({ line: branches.line, kind: "all-branches", message: describeBranches(branches) });
  return { ...rendered, videoUrl, quizLine: questionLine, remarks };
}

function remarkDropped({ name, line, count }: DroppedPart): TextRemark {
  const message = `${name} is dropped${describeCount(count)}`;
  return { line, kind: "dropped-component", message, tally: [{ what: name, count, isKept: false }] };
}

function describeBranches({ name, count }: DroppedPart): string {
  return `readers see every branch of ${name}${describeCount(count)}; --fw NAME keeps only the branches of one framework`;
}

/** Returns how often a message applies, in parentheses; "" for once. */
export function describeCount(count: number): string {
  return count === 1 ? "" : ` (${count} times in this file)`;
}

/**
 * Lists links that stay text because the parser refuses their URLs, such as `javascript:`. Parses the text again.
 * Throws UnreadableText beyond a limit.
 */
function listRefusedLinks(markdown: string, syntax: MarkdownSyntax): TextRemark[] {
  const found: TextRemark[] = [];
  visitTokens(parseWithEveryLink(markdown, syntax), syntax, (token, line) => {
    const url = token.attrGet(token.type === "image" ? "src" : "href");
    if (typeof url !== "string" || isRenderedLink(url)) return;
    const message = `link "${cutText(url)}" stays text: links to ${schemeOf(url)} are not allowed`;
    found.push({ kind: "script", message, line });
  });
  return found;
}

function schemeOf(url: string): string {
  return `${/^\s*([a-z]+):/i.exec(url)?.[1]?.toLowerCase() ?? ""}: URLs`;
}
