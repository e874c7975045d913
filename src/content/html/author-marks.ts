// What in the HTML of a Markdown text is for its author and builder, not for readers: comments, `markdown="1"`.
import { Tokenizer } from "htmlparser2";
import { visitTags, type HtmlTag } from "./html-tags.ts";
import { applyEdits, type TextEdit } from "./links.ts";

/** A part of a text, by its offsets. */
export interface TextRange {
  start: number;
  end: number;
}

/** The comments of HTML, in its order; one that is not closed goes to the end. Scripts hold none. */
export function listComments(html: string): TextRange[] {
  const comments: TextRange[] = [];
  if (!html.includes("<!--")) return comments;
  const ignore = (): void => undefined;
  const tokenizer = new Tokenizer(
    {},
    {
      // From behind `<!--` to the last `>`, or to the end of the text.
      oncomment: (start, end) => comments.push({ start: start - "<!--".length, end: Math.min(end + 1, html.length) }),
      onattribdata: ignore,
      onattribend: ignore,
      onattribentity: ignore,
      onattribname: ignore,
      oncdata: ignore,
      onclosetag: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onopentagname: ignore,
      onprocessinginstruction: ignore,
      onselfclosingtag: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return comments;
}

const ATTRIBUTE = "markdown";
// kramdown, Python's Markdown: https://kramdown.gettalong.org/syntax.html#html-blocks.
const ASKS_FOR_MARKDOWN = new Set(["", "1", "true", "block", "span"]);

/** True for a tag that says that Markdown stands between it and its end: `<div markdown="1">`. */
export function holdsMarkdown(tag: string): boolean {
  let holds = false;
  if (!/\smarkdown\b/i.test(tag)) return false;
  visitTags(tag, isMarkdownAttribute, ({ attributes: [attribute] }) => {
    holds ||= attribute !== undefined && ASKS_FOR_MARKDOWN.has(attribute.value.trim().toLowerCase());
  });
  return holds;
}

/** HTML without the attributes that tell a builder whether Markdown stands in it. */
export function dropMarkdownAttributes(html: string): string {
  if (!/\smarkdown\b/i.test(html)) return html;
  const edits: TextEdit[] = [];
  visitTags(html, isMarkdownAttribute, ({ attributes }: HtmlTag) => {
    for (const { start, end } of attributes) {
      let nameEnd = start;
      while (/[\s="']/.test(html.charAt(nameEnd - 1))) nameEnd--;
      let first = nameEnd - ATTRIBUTE.length;
      while (/\s/.test(html.charAt(first - 1))) first--;
      const quote = html.charAt(start - 1);
      const isQuoted = (quote === '"' || quote === "'") && html[end] === quote;
      edits.push({ start: first, end: isQuoted ? end + 1 : end, text: "" });
    }
  });
  return applyEdits(html, edits);
}

function isMarkdownAttribute(_tag: string, attribute: string): boolean {
  return attribute === ATTRIBUTE;
}
