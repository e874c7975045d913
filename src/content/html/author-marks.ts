// Finds the HTML in Markdown texts that is not meant for readers: comments, and attributes such as `markdown="1"`.
import { applyEdits, type TextEdit } from "./links.ts";
import { readHtml } from "./read-html.ts";

export interface TextRange {
  start: number;
  end: number;
}

/** Lists the HTML comments outside scripts, in order. An unclosed comment extends to the end of the text. */
export function listComments(html: string): TextRange[] {
  const comments: TextRange[] = [];
  if (!html.includes("<!--")) return comments;
  readHtml(html, { onComment: (start, end) => comments.push({ start, end }) });
  return comments;
}

const ATTRIBUTE = "markdown";
// The values that kramdown and Python-Markdown accept: https://kramdown.gettalong.org/syntax.html#html-blocks.
const ASKS_FOR_MARKDOWN = new Set(["", "1", "true", "block", "span"]);

/** Returns true for a tag that marks its content as Markdown, such as `<div markdown="1">`. */
export function holdsMarkdown(tag: string): boolean {
  let holds = false;
  if (!/\smarkdown\b/i.test(tag)) return false;
  readHtml(tag, {
    isWanted: isMarkdownAttribute,
    onTag: ({ attributes: [attribute] }) => {
      holds ||= attribute !== undefined && ASKS_FOR_MARKDOWN.has(attribute.value.trim().toLowerCase());
    },
  });
  return holds;
}

/** Removes `markdown` attributes, which enable Markdown inside HTML. */
export function dropMarkdownAttributes(html: string): string {
  if (!/\smarkdown\b/i.test(html)) return html;
  const edits: TextEdit[] = [];
  readHtml(html, {
    isWanted: isMarkdownAttribute,
    onTag: ({ attributes }) => {
      for (const { nameStart, outerEnd } of attributes) {
        let start = nameStart;
        while (/\s/.test(html.charAt(start - 1))) start--;
        edits.push({ start, end: outerEnd, text: "" });
      }
    },
  });
  return applyEdits(html, edits);
}

function isMarkdownAttribute(_tag: string, attribute: string): boolean {
  return attribute === ATTRIBUTE;
}
