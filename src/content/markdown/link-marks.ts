// Tokens know the lines of links, the HTML that is made of them knows their places: marks bring the two together.
import type { Token } from "markdown-it";
import { createLineCounter } from "../html/line-counter.ts";
import { isLocal, listLinks, moveLink } from "../html/links.ts";
import type { LinedLink } from "../resolve/placed-course.ts";

// The parser makes U+FFFD of every U+0000, so that no text holds one.
const MARK = /\0(\d+)\0/g;

/** Either of a link that is a token, or of all links of a piece of HTML, with places in it. */
type Marked = Pick<LinedLink, "tag" | "attribute" | "value" | "line"> | LinedLink[];

/** Marks the links of tokens before they are rendered, and takes the marks out of the HTML again. */
export class LinkMarks {
  readonly #marked: Marked[] = [];

  /** Marks what links a token has that `listLinks` would list. `line` is that on which it stands. */
  mark(token: Token, line: number): void {
    if (token.type === "link_open") this.#markAttribute(token, "a", "href", line);
    if (token.type === "image") this.#markAttribute(token, "img", "src", line);
    if (token.type !== "html_block" && token.type !== "html_inline") return;
    const links = listLinks(token.content);
    if (links.length === 0) return;
    const lineAt = createLineCounter(token.content);
    token.content = this.#add(links.map((link) => ({ ...link, line: line + lineAt(link.start) - 1 }))) + token.content;
  }

  #markAttribute(token: Token, tag: string, attribute: string, line: number): void {
    const value = String(token.attrGet(attribute) ?? "");
    if (isLocal(value, { tag, attribute }))
      token.attrSet(attribute, this.#add({ tag, attribute, value, line }) + value);
  }

  #add(marked: Marked): string {
    return `\0${this.#marked.push(marked) - 1}\0`;
  }

  /** The HTML without marks, and the links that were marked, with their places in it. */
  take(marked: string): { html: string; links: LinedLink[] } {
    const links: LinedLink[] = [];
    let html = "";
    let copiedTo = 0;
    for (const mark of marked.matchAll(MARK)) {
      html += marked.slice(copiedTo, mark.index);
      copiedTo = mark.index + mark[0].length;
      const what = this.#marked[Number(mark[1])];
      const start = html.length;
      if (Array.isArray(what)) for (const link of what) links.push(moveLink(link, start));
      else if (what !== undefined) {
        // The renderer leaves neither < nor " in values.
        const tagStart = start - (mark.index - marked.lastIndexOf("<", mark.index));
        const end = start + (marked.indexOf('"', copiedTo) - copiedTo);
        links.push({
          ...what,
          written: decodeForPeople(what.value),
          start,
          end,
          nameEnd: tagStart + 1 + what.tag.length,
        });
      }
    }
    return { html: html + marked.slice(copiedTo), links };
  }
}

// The parser percent-encodes; authors look for what they typed.
function decodeForPeople(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}
