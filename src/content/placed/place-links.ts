// The one stage that decides what the links of a text become, wherever it was read.
import {
  applyEdits,
  editUrls,
  listRelativeLinks,
  type HtmlLink,
  type LinkProblem,
  type RelativeLink,
  type TextEdit,
} from "../html/links.ts";
import type { LinkDecision } from "./source-links.ts";

/**
 * The HTML with its links as `decide` wants them; every other byte stays as it is. `links` are those that it holds, in their
 * order. Every problem goes to `tell`, with the link that has it.
 */
export async function placeLinks<Link extends HtmlLink>(
  html: string,
  links: readonly Link[],
  decide: (link: RelativeLink) => Promise<LinkDecision>,
  tell: (problem: LinkProblem, link: Link) => void,
): Promise<string> {
  const edits: TextEdit[] = [];
  for (const link of links) {
    const urls: (string | undefined)[] = [];
    for (const relative of listRelativeLinks(link)) {
      const { url, problem } = await decide(relative);
      if (problem !== undefined) tell(problem, link);
      urls.push(url);
    }
    const edit = editUrls(link, urls);
    if (edit !== undefined) edits.push(edit);
  }
  return edits.length === 0 ? html : applyEdits(html, edits);
}
