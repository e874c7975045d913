import type { Token } from "markdown-it";
import { findFragmentProblem, isFragmentUrl, listIds, visitFragmentLinks } from "../html/fragments.ts";
import { createLineCounter } from "../html/line-counter.ts";
import type { LinkProblem } from "../html/links.ts";

/** The links of a text to places in itself, with their lines. */
export class InPageLinks {
  readonly #links: { url: string; line: number }[] = [];

  /** Notes the links that a token of Markdown has. `line` is that on which it stands. */
  note(token: Token, line: number): void {
    const href = token.type === "link_open" ? String(token.attrGet("href") ?? "") : "";
    if (isFragmentUrl(href)) this.#links.push({ url: href, line });
    if (token.type === "html_block" || token.type === "html_inline") this.noteHtml(token.content, line);
  }

  /** Notes the links of HTML that begins on `line`. */
  noteHtml(html: string, line: number): void {
    const lineAt = createLineCounter(html);
    visitFragmentLinks(html, (url, offset) => this.#links.push({ url, line: line + lineAt(offset) - 1 }));
  }

  /** What to tell of those that lead to nothing in the HTML that was made of the text. */
  listProblems(html: string): (LinkProblem & { line: number })[] {
    if (this.#links.length === 0) return [];
    const ids = listIds(html);
    return this.#links.flatMap(({ url, line }) => {
      const problem = findFragmentProblem(url, ids);
      return problem === undefined ? [] : [{ ...problem, line }];
    });
  }
}
