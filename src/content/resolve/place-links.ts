// The one stage that decides what the links of a text become, wherever it was read.
import type { LinkTarget } from "../../catalog/course.ts";
import {
  applyEdits,
  editUrls,
  listRelativeLinks,
  moveLink,
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
    for (const relative of listRelativeLinks(link)) {
      const { url, problem, target } = await decide(relative);
      if (problem !== undefined) tell(problem, link);
      if (target !== undefined) toLessons.push({ ...moveLink(link, shift), target });
      urls.push(url);
    }
    const edit = editUrls(link, urls);
    if (edit === undefined) continue;
    edits.push(edit);
    shift += edit.text.length - (edit.end - edit.start);
  }
  return { html: edits.length === 0 ? html : applyEdits(html, edits), toLessons };
}
