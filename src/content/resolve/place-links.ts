// The one stage that decides what the links of a text become, wherever it was read.
import type { LinkTarget } from "../../catalog/course.ts";
import { escapeHtml } from "../html/escape.ts";
import {
  applyEdits,
  editUrls,
  findTextPlace,
  listRelativeLinks,
  moveLink,
  UNRESOLVED,
  type HtmlLink,
  type LinkProblem,
  type RelativeLink,
  type TextEdit,
} from "../html/links.ts";
import type { LinkDecision } from "./source-links.ts";

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
