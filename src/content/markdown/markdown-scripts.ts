// What of Markdown would run scripts in the page that shows it: its HTML. Its own links cannot, since the renderer leaves them as
// text.
import { createLineCounter } from "../html/line-counter.ts";
import { listScripts } from "../html/scripts.ts";
import { cutText } from "../quote.ts";
import type { MarkdownSyntax } from "./markdown-environment.ts";
import { isRenderedLink, parseWithEveryLink, visitTokens } from "./create-parser.ts";
import type { RenderedMarkdown } from "./markdown.ts";

/**
 * Lists what in the HTML of Markdown would run scripts, and the links that for this reason do not become links, with their lines:
 * from 1 at the start of the Markdown. Throws UnreadableText.
 */
export function listMarkdownScripts(
  { html, hasRefusedLinks }: Pick<RenderedMarkdown, "html" | "hasRefusedLinks">,
  markdown: string,
  syntax: MarkdownSyntax,
): { message: string; line: number }[] {
  const uses = listScripts(html);
  // Most lessons have neither, and need not be parsed again.
  if (uses.length === 0 && !hasRefusedLinks) return [];
  const found: { message: string; line: number }[] = [];
  const lines = new Map<string, number[]>();
  visitTokens(parseWithEveryLink(markdown, syntax), syntax, (token, line) => {
    const url = token.attrGet(token.type === "image" ? "src" : "href");
    if (typeof url === "string" && !isRenderedLink(url)) {
      found.push({ message: `link "${cutText(url)}" stays text: Markdown makes no link of ${schemeOf(url)}`, line });
    }
    if (token.type !== "html_block" && token.type !== "html_inline") return;
    const lineAt = createLineCounter(token.content);
    for (const { message, offset } of listScripts(token.content)) {
      const known = lines.get(message) ?? [];
      known.push(line + lineAt(offset) - 1);
      lines.set(message, known);
    }
  });
  const placed = new Map<string, number>();
  for (const { message } of uses) {
    const count = placed.get(message) ?? 0;
    placed.set(message, count + 1);
    // What only pieces of HTML make together has no line of its own.
    found.push({ message, line: lines.get(message)?.[count] ?? 1 });
  }
  return found;
}

function schemeOf(url: string): string {
  return `${/^\s*([a-z]+):/i.exec(url)?.[1]?.toLowerCase() ?? ""}: addresses`;
}
