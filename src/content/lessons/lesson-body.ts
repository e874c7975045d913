// The text of a lesson file as HTML, and what an author should know about it.
import type { SourceLimits } from "../limits.ts";
import { createLineCounter } from "../html/line-counter.ts";
import { resolveLinks, type RelativeLink } from "../html/links.ts";
import { listMarkdownScripts } from "./markdown-scripts.ts";
import { renderMarkdown } from "./markdown.ts";
import { parseMdx } from "./mdx.ts";
import { listScripts } from "../html/scripts.ts";

export interface BodyOptions {
  limits: SourceLimits;
  /** True where the outline's builder reads `[[anchor]]` in the headings of every file; in MDX they are read always. */
  hasHeadingAnchors: boolean;
  linkBase: URL | undefined;
  /** With false the first video of MDX is the lesson's URL, else a component like others. */
  keepsVideo: boolean;
  /** Looks for what would run scripts. */
  listsScripts: boolean;
}

/** Something to tell the author; lines count from 1 at the start of the body. Where a relative link leads is still open. */
export type BodyRemark = { line: number } & ({ message: string } | { link: RelativeLink });

export interface LessonBody {
  html: string;
  /** Undefined where the text gives none. */
  title: string | undefined;
  videoUrl: string | undefined;
  /** In the order of their lines. */
  remarks: BodyRemark[];
}

/** Renders the body of the file `path`, whose ending tells what it is written in. Throws UnreadableText. */
export function renderBody(path: string, body: string, options: BodyOptions): LessonBody {
  const rendered = path.toLowerCase().endsWith(".html")
    ? renderHtml(body, options)
    : renderText(body, path.toLowerCase().endsWith(".mdx"), options);
  return { ...rendered, remarks: rendered.remarks.sort((a, b) => a.line - b.line) };
}

function renderHtml(body: string, { linkBase, listsScripts }: BodyOptions): LessonBody {
  const remarks: BodyRemark[] = [];
  const lineOfLink = createLineCounter(body);
  const html = resolveLinks(body, linkBase, (link, offset) => remarks.push({ line: lineOfLink(offset), link }));
  if (listsScripts) {
    const lineOfScript = createLineCounter(body);
    for (const { message, offset } of listScripts(body)) remarks.push({ line: lineOfScript(offset), message });
  }
  return { html, title: undefined, videoUrl: undefined, remarks };
}

function renderText(body: string, isMdx: boolean, options: BodyOptions): LessonBody {
  const { linkBase, keepsVideo, listsScripts, limits } = options;
  const syntax = { hasIndentedCode: !isMdx, hasHeadingAnchors: isMdx || options.hasHeadingAnchors, limits };
  const mdx = isMdx ? parseMdx(body, keepsVideo) : undefined;
  const markdown = mdx?.markdown ?? body;
  const remarks: BodyRemark[] = (mdx?.dropped ?? []).map(({ name, line, count }) => {
    return { line, message: `${name} is dropped${count === 1 ? "" : ` (${count} times in this file)`}` };
  });
  const rendered = renderMarkdown(markdown, {
    ...syntax,
    linkBase,
    onRelative: (link, line) => remarks.push({ line, link }),
  });
  if (listsScripts) for (const script of listMarkdownScripts(markdown, syntax)) remarks.push(script);
  return { ...rendered, videoUrl: mdx?.videoUrl, remarks };
}
