// Lesson file formats by extension.
import type { BodyOptions, LessonBody } from "./lesson-body.ts";

/**
 * Renders the body of a file and returns remarks in any order. Throws UnreadableText for a body that is malformed or
 * too large.
 */
export type RenderBody = (body: string, options: BodyOptions) => LessonBody;

export interface LessonFormat {
  /** The extension in lower case; file names can use any case. */
  ending: string;
  /** True if the course's format can preprocess the text. */
  isMarkdown: boolean;
  /** Loads the renderer on first use: loading is slow, and a course seldom has several formats. */
  load: () => Promise<RenderBody>;
}

/** Imports a module only once: importing it again takes a tenth of the time that rendering a short lesson takes. */
function once(load: () => Promise<RenderBody>): () => Promise<RenderBody> {
  let loaded: Promise<RenderBody> | undefined;
  return () => (loaded ??= load());
}

const loadMarkdown = once(async () => (await import("./markdown-file.ts")).renderMarkdownBody);

/** The formats, in the order in which they are tried for a name without an extension. */
const LESSON_FORMATS: readonly LessonFormat[] = [
  { ending: ".md", isMarkdown: true, load: loadMarkdown },
  { ending: ".html", isMarkdown: false, load: async () => renderHtmlBody },
  { ending: ".rmd", isMarkdown: true, load: once(async () => (await import("./r-markdown.ts")).renderRMarkdownBody) },
  { ending: ".mdx", isMarkdown: false, load: once(async () => (await import("./mdx-file.ts")).renderMdxBody) },
  { ending: ".markdown", isMarkdown: true, load: loadMarkdown },
  { ending: ".mkd", isMarkdown: true, load: loadMarkdown },
  { ending: ".ipynb", isMarkdown: false, load: once(async () => (await import("./notebook.ts")).renderNotebook) },
];

/** The extensions, in the order of `LESSON_FORMATS`. */
export const LESSON_ENDINGS: readonly string[] = LESSON_FORMATS.map(({ ending }) => ending);

/** Returns the format of a file by its name, if the file is a lesson. */
export function findLessonFormat(name: string): LessonFormat | undefined {
  const lowered = name.toLowerCase();
  return LESSON_FORMATS.find(({ ending }) => lowered.endsWith(ending));
}

function renderHtmlBody(html: string): LessonBody {
  const pieces = [{ offset: 0, line: 1, isHtml: true }];
  return { html, pieces, title: undefined, videoUrl: undefined, quizHtml: "", selfChecks: 0, remarks: [] };
}
