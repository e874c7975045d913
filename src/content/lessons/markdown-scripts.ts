// What in Markdown would run scripts: its HTML. Its own links cannot, since the renderer leaves them as text.
import { createLineCounter } from "../html/line-counter.ts";
import { listScripts } from "../html/scripts.ts";
import { cutText } from "../quote.ts";
import type { MarkdownSyntax } from "./markdown-environment.ts";
import { isRenderedLink, parseWithEveryLink, visitTokens } from "./markdown-parser.ts";

/**
 * Lists what in Markdown would run scripts, and the links that for this reason do not become links, with their lines:
 * from 1 at the start of the Markdown. Throws UnreadableText.
 */
export function listMarkdownScripts(markdown: string, syntax: MarkdownSyntax): { message: string; line: number }[] {
  const found: { message: string; line: number }[] = [];
  visitTokens(parseWithEveryLink(markdown, syntax), syntax, (token, line) => {
    const url = token.attrGet(token.type === "image" ? "src" : "href");
    if (typeof url === "string" && !isRenderedLink(url)) {
      found.push({ message: `link "${cutText(url)}" stays text: Markdown makes no link of ${schemeOf(url)}`, line });
    }
    if (token.type !== "html_block" && token.type !== "html_inline") return;
    const lineAt = createLineCounter(token.content);
    for (const { message, offset } of listScripts(token.content)) {
      found.push({ message, line: line + lineAt(offset) - 1 });
    }
  });
  return found;
}

function schemeOf(url: string): string {
  return `${/^\s*([a-z]+):/i.exec(url)?.[1]?.toLowerCase() ?? ""}: addresses`;
}
