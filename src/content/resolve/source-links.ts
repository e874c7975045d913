// What the relative links of a source become, and what is told of them, wherever a text was read. The one place that knows --asset-base.
import type { LinkTarget } from "../../catalog/course.ts";
import { escapeHtml } from "../html/escape.ts";
import type { ImageSize } from "../html/image-size.ts";
import {
  applyEdits,
  describeRelativeLink,
  editUrls,
  findTextPlace,
  listRelativeLinks,
  moveLink,
  resolveUrl,
  toFolderUrl,
  UNRESOLVED,
  type HtmlLink,
  type LinkProblem,
  type RelativeLink,
  type TextEdit,
} from "../html/links.ts";

/** What becomes of a relative link. */
export interface LinkDecision {
  /** What stands in its place; undefined where it stays as it was written. */
  url: string | undefined;
  /** What to tell its author; undefined when readers can follow it. */
  problem: LinkProblem | undefined;
  /** The lesson that it leads to: then the URL is made when the ids of lessons are final. */
  target?: LinkTarget | undefined;
  /** That of an image, where its file tells it. */
  size?: ImageSize | undefined;
}

export interface SourceLinks {
  /** Decides about a relative link in a file of `folder`, which is relative to the source's root. */
  decide(link: RelativeLink, folder: string): Promise<LinkDecision>;
  /** The lesson that is another part of the same file, where a place in the page is meant; undefined where there is none. */
  findPart?: (fragment: string, sourcePath: string) => LinkTarget | undefined;
}

type AboutLink<T> = (link: RelativeLink, folder: string) => Promise<T | undefined>;

/** What is known of the files of a source. */
export interface FileKnowledge {
  /** Tells of links to nothing. */
  findProblem: AboutLink<LinkProblem>;
  findSize: AboutLink<ImageSize>;
  /** Decides about links to files that are given to readers; undefined where none is. */
  decideFile: AboutLink<LinkDecision> | undefined;
}

/** The links of a source. Without `files` only links that stay relative are told of. */
export function createSourceLinks(assetBase: URL | undefined, files?: FileKnowledge): SourceLinks {
  const setting =
    files === undefined || files.decideFile !== undefined ? "--asset-base" : "--public-url or --asset-base";
  // Asked for each link of each lesson, one folder after the other.
  let last: { folder: string; base: URL } | undefined;
  const baseOf = (folder: string): URL | undefined => {
    if (assetBase === undefined) return undefined;
    if (last?.folder !== folder) last = { folder, base: toFolderUrl(folder, assetBase) };
    return last.base;
  };
  return {
    async decide(link, folder) {
      const isImage = link.tag === "img" && link.attribute === "src";
      const size = isImage ? await files?.findSize(link, folder) : undefined;
      const file = await files?.decideFile?.(link, folder);
      if (file?.url !== undefined) return { ...file, size };
      const url = resolveUrl(link.url, baseOf(folder));
      const problem = await files?.findProblem(link, folder);
      return {
        url,
        size,
        problem: file?.problem ?? problem ?? (url === undefined ? describeRelativeLink(link, setting) : undefined),
      };
    },
  };
}

/** HTML whose links are placed, but for those to lessons: these stay as they were written, at the places of `toLessons`. */
export interface PlacedHtml<Link> {
  html: string;
  toLessons: (Link & { target: LinkTarget })[];
}

/**
 * The HTML with its links as `decide` wants them; every other byte stays as it is. `links` are those that it holds, in their
 * order. Every problem goes to `tell`, with the link that has it.
 */
export async function placeLinks<Link extends HtmlLink>(
  html: string,
  links: readonly Link[],
  decide: (link: RelativeLink) => Promise<LinkDecision>,
  tell: (problem: LinkProblem, link: Link) => void,
): Promise<PlacedHtml<Link>> {
  const edits: TextEdit[] = [];
  const toLessons: PlacedHtml<Link>["toLessons"] = [];
  let shift = 0;
  for (const link of links) {
    const urls: (string | undefined)[] = [];
    let marks = "";
    let isToLesson = false;
    for (const relative of listRelativeLinks(link)) {
      const decision = await decide(relative);
      const { url, problem, target } = decision;
      if (problem !== undefined) tell(problem, link);
      isToLesson ||= target !== undefined;
      if (target !== undefined) toLessons.push({ ...moveLink(link, shift), target });
      urls.push(url);
      marks += listMarks(link, decision);
    }
    const name = isToLesson ? undefined : nameTarget(html, link);
    const own = [editUrls(link, urls), addAttributes(html, link, marks), name].filter((edit) => edit !== undefined);
    edits.push(...own);
    for (const { text, start, end } of own) shift += text.length - (end - start);
  }
  return { html: edits.length === 0 ? html : applyEdits(html, edits), toLessons };
}

/** Attributes that a tag gets which was made of Markdown: HTML stays as its author wrote it. */
function listMarks({ written, isSized = false }: HtmlLink, { problem, target, size }: LinkDecision): string {
  if (written === undefined) return "";
  if (problem !== undefined && target === undefined) return ` ${UNRESOLVED}`;
  return size === undefined || isSized ? "" : ` width="${size.width}" height="${size.height}"`;
}

/** The text of a link without one that leads to no lesson: the name of the file, as its author wrote it. */
function nameTarget(html: string, link: HtmlLink): TextEdit | undefined {
  const { written } = link;
  const at = written === undefined ? undefined : findTextPlace(html, link);
  if (written === undefined || at === undefined) return undefined;
  const name = /[^/]*\/?$/.exec(written.replace(/(?<=[^#])#.*$/s, ""))?.[0] ?? written;
  return { start: at, end: at, text: escapeHtml(name) };
}

// Behind the value, which the renderer puts in quotes.
function addAttributes(html: string, { end }: HtmlLink, attributes: string): TextEdit | undefined {
  return attributes === "" || html[end] !== '"' ? undefined : { start: end + 1, end: end + 1, text: attributes };
}
