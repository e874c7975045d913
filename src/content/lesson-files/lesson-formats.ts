// The formats that a lesson file can have: how each is told by its ending, and read.
import type { BodyOptions, LessonBody } from "./lesson-body.ts";

/** Renders the body of a file; remarks may come in any order. Throws UnreadableText. */
export type RenderBody = (body: string, options: BodyOptions) => LessonBody;

export interface LessonFormat {
  /** In lower case; files may have it in any. */
  ending: string;
  /** True where an outline may prepare its text. */
  isMarkdown: boolean;
  /** Loads what renders it, which takes its time: a course has seldom more than one of them. */
  load: () => Promise<RenderBody>;
}

/** Loads what is needed for every lesson once: to import it again takes a tenth of the time that a short lesson does. */
function once(load: () => Promise<RenderBody>): () => Promise<RenderBody> {
  let loaded: Promise<RenderBody> | undefined;
  return () => (loaded ??= load());
}

const loadMarkdown = once(async () => (await import("./markdown-file.ts")).renderMarkdownBody);

/** In the order in which their endings are tried where an outline leaves the ending out. */
export const LESSON_FORMATS: readonly LessonFormat[] = [
  { ending: ".md", isMarkdown: true, load: loadMarkdown },
  { ending: ".html", isMarkdown: false, load: async () => renderHtmlBody },
  { ending: ".rmd", isMarkdown: true, load: once(async () => (await import("./r-markdown.ts")).renderRMarkdownBody) },
  { ending: ".mdx", isMarkdown: false, load: once(async () => (await import("./mdx-file.ts")).renderMdxBody) },
  { ending: ".markdown", isMarkdown: true, load: loadMarkdown },
  { ending: ".mkd", isMarkdown: true, load: loadMarkdown },
  { ending: ".ipynb", isMarkdown: false, load: once(async () => (await import("./notebook.ts")).renderNotebook) },
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
