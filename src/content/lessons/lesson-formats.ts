// The formats that a lesson file can have: how each is told by its ending, and read.
import { createLineCounter } from "../html/line-counter.ts";
import { listLinks } from "../html/links.ts";
import { listScripts } from "../html/scripts.ts";
import { DIALECTS } from "./dialects.ts";
import type { BodyOptions, BodyRemark, LessonBody } from "./lesson-body.ts";
import { listMarkdownScripts } from "./markdown-scripts.ts";
import { renderMarkdown } from "./markdown.ts";
import { parseMdx } from "./mdx.ts";

export interface LessonFormat {
  /** In lower case; files may have it in any. */
  ending: string;
  /** Renders the body of a file; remarks may come in any order. Throws UnreadableText. */
  render: (body: string, options: BodyOptions) => LessonBody;
}

/** In the order in which their endings are tried where an outline leaves the ending out. */
export const LESSON_FORMATS: readonly LessonFormat[] = [
  { ending: ".md", render: renderMarkdownBody },
  { ending: ".html", render: renderHtmlBody },
  { ending: ".mdx", render: (body, options) => renderMdxBody(body, { ...options, dialect: DIALECTS.mdx }) },
];

/** Their endings, in that order. */
export const LESSON_ENDINGS: readonly string[] = LESSON_FORMATS.map(({ ending }) => ending);

/** The format of a file by its name; undefined for one that can be no lesson. */
export function findLessonFormat(name: string): LessonFormat | undefined {
  const lowered = name.toLowerCase();
  return LESSON_FORMATS.find(({ ending }) => lowered.endsWith(ending));
}

function renderHtmlBody(body: string, { listsScripts }: BodyOptions): LessonBody {
  const lineOfLink = createLineCounter(body);
  const links = listLinks(body).map((link) => ({ ...link, line: lineOfLink(link.start) }));
  const remarks: BodyRemark[] = [];
  if (listsScripts) {
    const lineOfScript = createLineCounter(body);
    for (const { message, offset } of listScripts(body))
      remarks.push({ line: lineOfScript(offset), kind: "script", message });
  }
  return { html: body, links, title: undefined, videoUrl: undefined, remarks };
}

function renderMarkdownBody(body: string, options: BodyOptions): LessonBody {
  const rendered = renderMarkdown(body, options);
  const remarks: BodyRemark[] = [];
  if (options.listsScripts)
    for (const script of listMarkdownScripts(body, options)) remarks.push({ kind: "script", ...script });
  return { ...rendered, videoUrl: undefined, remarks };
}

function renderMdxBody(body: string, options: BodyOptions): LessonBody {
  const { markdown, videoUrl, dropped } = parseMdx(body, options.keepsVideo);
  const rendered = renderMarkdownBody(markdown, options);
  const droppedRemarks = dropped.map(({ name, line, count }): BodyRemark => {
    return {
      line,
      kind: "dropped-component",
      message: `${name} is dropped${count === 1 ? "" : ` (${count} times in this file)`}`,
    };
  });
  return { ...rendered, videoUrl, remarks: [...droppedRemarks, ...rendered.remarks] };
}
