// Decides, for all sources, how relative links are resolved. Only this module applies --asset-base.
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

/** The resolution of a relative link. */
export interface LinkDecision {
  /** The URL that replaces the link's; undefined keeps the link as written. */
  url: string | undefined;
  /** The problem to report, if readers cannot follow the link. */
  problem: LinkProblem | undefined;
  /** The target lesson, whose URL is inserted once ids are final. */
  target?: LinkTarget | undefined;
  /** The image's size, if known. */
  size?: ImageSize | undefined;
}

export interface SourceLinks {
  /** Resolves a relative link in a `file` of `folder`. Both paths are relative to the source root. */
  decide(link: RelativeLink, folder: string, file?: string): Promise<LinkDecision>;
  /** Returns the lesson for another part of the same file; undefined if `fragment` names no part. */
  findPart?: (fragment: string, sourcePath: string) => LinkTarget | undefined;
}

type AboutLink<T> = (link: RelativeLink, folder: string) => Promise<T | undefined>;

/** Looks up facts about a source's files. */
export interface FileKnowledge {
  /** Finds the problem with a broken link. */
  findProblem: AboutLink<LinkProblem>;
  findSize: AboutLink<ImageSize>;
  /** Resolves links to files for download; undefined if readers cannot download files. */
  decideFile: AboutLink<LinkDecision> | undefined;
}

/** Creates the functions that resolve a source's links. Without `files`, they report only links that stay relative. */
export function createSourceLinks(assetBase: URL | undefined, files?: FileKnowledge): SourceLinks {
  const setting =
    files === undefined || files.decideFile !== undefined ? "--asset-base" : "--public-url or --asset-base";
  // Links arrive grouped by folder, so caching only the last base is enough.
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

/** HTML in which all links are resolved except those to lessons, which `toLessons` lists. */
export interface PlacedHtml<Link> {
  html: string;
  toLessons: (Link & { target: LinkTarget })[];
}

/**
 * Resolves the links in HTML with `decide` and keeps the other text. `links` lists the links in order. Passes every
 * problem and its link to `report`.
 */
export async function placeLinks<Link extends HtmlLink>(
  html: string,
  links: readonly Link[],
  decide: (link: RelativeLink) => Promise<LinkDecision>,
  report: (problem: LinkProblem, link: Link) => void,
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
      if (problem !== undefined) report(problem, link);
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

/** Returns the attributes to add to a tag from Markdown. A tag from HTML stays as written. */
function listMarks({ written, isSized = false }: HtmlLink, { problem, target, size }: LinkDecision): string {
  if (written === undefined) return "";
  if (problem !== undefined && target === undefined) return ` ${UNRESOLVED}`;
  return size === undefined || isSized ? "" : ` width="${size.width}" height="${size.height}"`;
}

/** Returns an edit that inserts the file's name into an empty Markdown link, such as `[](a.pdf)`. */
function nameTarget(html: string, link: HtmlLink): TextEdit | undefined {
  const { written } = link;
  const at = written === undefined ? undefined : findTextPlace(html, link);
  if (written === undefined || at === undefined) return undefined;
  const name = /(?<![^/])[^/]*\/?$/.exec(written.replace(/(?<=[^#])#.*$/s, ""))?.[0] ?? written;
  return { start: at, end: at, text: escapeHtml(name) };
}

// Inserts attributes after the value's closing quote, which the renderer always writes.
function addAttributes(html: string, { end }: HtmlLink, attributes: string): TextEdit | undefined {
  return attributes === "" || html[end] !== '"' ? undefined : { start: end + 1, end: end + 1, text: attributes };
}
