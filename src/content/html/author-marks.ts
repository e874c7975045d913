// Removes author-only HTML from Markdown: comments, `markdown="1"`.
import { applyEdits, type TextEdit } from "./links.ts";
import { readHtml } from "./read-html.ts";

/** A range of offsets. */
export interface TextRange {
  start: number;
  end: number;
}

/** Lists HTML comments in order; an unclosed one extends to the end. Ignores scripts. */
export function listComments(html: string): TextRange[] {
  const comments: TextRange[] = [];
  if (!html.includes("<!--")) return comments;
  readHtml(html, { onComment: (start, end) => comments.push({ start, end }) });
  return comments;
}

const ATTRIBUTE = "markdown";
// kramdown, Python-Markdown: https://kramdown.gettalong.org/syntax.html#html-blocks.
const ASKS_FOR_MARKDOWN = new Set(["", "1", "true", "block", "span"]);

/** Returns true for a tag whose content is Markdown: `<div markdown="1">`. */
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

/** Drops the attributes that enable Markdown in HTML. */
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
