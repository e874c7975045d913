// Links of Markdown that the renderer leaves as text, since they would run scripts.
import { cutText } from "../quote.ts";
import { isRenderedLink, parseWithEveryLink, visitTokens } from "./create-parser.ts";
import type { MarkdownSyntax, TextRemark } from "./markdown-environment.ts";

/** Lists the links of a text that for this reason do not become links. Parses it again. Throws UnreadableText. */
export function listRefusedLinks(markdown: string, syntax: MarkdownSyntax): TextRemark[] {
  const found: TextRemark[] = [];
  visitTokens(parseWithEveryLink(markdown, syntax), syntax, (token, line) => {
    const url = token.attrGet(token.type === "image" ? "src" : "href");
    if (typeof url !== "string" || isRenderedLink(url)) return;
    const message = `link "${cutText(url)}" stays text: Markdown makes no link of ${schemeOf(url)}`;
    found.push({ kind: "script", message, line });
  });
  return found;
}

function schemeOf(url: string): string {
  return `${/^\s*([a-z]+):/i.exec(url)?.[1]?.toLowerCase() ?? ""}: addresses`;
}
