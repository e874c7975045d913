// The formats that a lesson file can have: how each is told by its ending, and read.
import { DIALECTS } from "../markdown/dialects.ts";
import type { TextRemark } from "../markdown/markdown-environment.ts";
import { listRefusedLinks } from "../markdown/refused-links.ts";
import type { BodyOptions, LessonBody } from "./lesson-body.ts";
import { renderMarkdown } from "../markdown/markdown.ts";
import { ComponentReading, type DroppedPart } from "../markdown/mdx/component-reading.ts";
import { renderNotebook } from "./notebook.ts";
import { ChunkReading } from "../markdown/rules/chunks.ts";

export interface LessonFormat {
  /** In lower case; files may have it in any. */
  ending: string;
  /** True where an outline may prepare its text. */
  isMarkdown: boolean;
  /** Renders the body of a file; remarks may come in any order. Throws UnreadableText. */
  render: (body: string, options: BodyOptions) => LessonBody;
}

/** In the order in which their endings are tried where an outline leaves the ending out. */
export const LESSON_FORMATS: readonly LessonFormat[] = [
  { ending: ".md", isMarkdown: true, render: renderMarkdownBody },
  { ending: ".html", isMarkdown: false, render: renderHtmlBody },
  { ending: ".rmd", isMarkdown: true, render: renderRMarkdownBody },
  { ending: ".mdx", isMarkdown: false, render: renderMdxBody },
  { ending: ".markdown", isMarkdown: true, render: renderMarkdownBody },
  { ending: ".mkd", isMarkdown: true, render: renderMarkdownBody },
  { ending: ".ipynb", isMarkdown: false, render: renderNotebook },
];

/** Their endings, in that order. */
export const LESSON_ENDINGS: readonly string[] = LESSON_FORMATS.map(({ ending }) => ending);

/** The format of a file by its name; undefined for one that can be no lesson. */
export function findLessonFormat(name: string): LessonFormat | undefined {
  const lowered = name.toLowerCase();
  return LESSON_FORMATS.find(({ ending }) => lowered.endsWith(ending));
}

function renderHtmlBody(html: string): LessonBody {
  const pieces = [{ offset: 0, line: 1, isHtml: true }];
  return { html, pieces, title: undefined, videoUrl: undefined, quizHtml: "", selfChecks: 0, remarks: [] };
}

function renderMdxBody(body: string, options: BodyOptions): LessonBody {
  const { hasTexMath, hasCodeReferences } = options.dialect;
  return renderMarkdownBody(body, { ...options, dialect: { ...DIALECTS.mdx, hasTexMath, hasCodeReferences } });
}

function renderMarkdownBody(body: string, options: BodyOptions & { chunks?: ChunkReading | undefined }): LessonBody {
  const { hasComponents } = options.dialect;
  const createReading = (): ComponentReading | undefined =>
    hasComponents ? new ComponentReading(options, body.length) : undefined;
  const components = createReading();
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
    const syntax = { ...options, components: createReading(), chunks: undefined, reading: undefined };
    remarks.push(...listRefusedLinks(body, syntax));
  }
  const { videoUrl, questionLine, branches } = components ?? {};
  remarks.push(...(components?.listDropped() ?? []).map(remarkDropped));
  if (branches !== undefined)
    remarks.push({ line: branches.line, kind: "all-branches", message: describeBranches(branches) });
  return { ...rendered, videoUrl, quizLine: questionLine, remarks };
}

function renderRMarkdownBody(body: string, options: BodyOptions): LessonBody {
  const chunks = new ChunkReading();
  const rendered = renderMarkdownBody(body, { ...options, chunks });
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

function remarkDropped({ name, line, count }: DroppedPart): TextRemark {
  const message = `${name} is dropped${describeCount(count)}`;
  return { line, kind: "dropped-component", message, tally: [{ what: name, count, isKept: false }] };
}

function describeBranches({ name, count }: DroppedPart): string {
  return `readers see every branch of ${name}${describeCount(count)}; --fw NAME keeps those for one framework`;
}

function describeCount(count: number): string {
  return count === 1 ? "" : ` (${count} times in this file)`;
}
