// What in Markdown would run scripts: its HTML. Its own links cannot, since the renderer leaves them as text.
import { createLineCounter } from "../html/line-counter.ts";
import { createEnvironment, createParser, visitTokens, type MarkdownSyntax } from "./markdown-parser.ts";
import { cutText } from "../quote.ts";
import { listScripts } from "../html/scripts.ts";

const withIndentedCode = createParser({ hasIndentedCode: true });
const withoutIndentedCode = createParser({ hasIndentedCode: false });
const isRenderedLink = withIndentedCode.validateLink.bind(withIndentedCode);
for (const parser of [withIndentedCode, withoutIndentedCode]) parser.validateLink = () => true;

/**
 * Lists what in Markdown would run scripts, and the links that for this reason do not become links, with their lines:
 * from 1 at the start of the Markdown. Throws UnreadableText.
 */
export function listMarkdownScripts(markdown: string, syntax: MarkdownSyntax): { message: string; line: number }[] {
  const parser = syntax.hasIndentedCode ? withIndentedCode : withoutIndentedCode;
  const found: { message: string; line: number }[] = [];
  visitTokens(parser.parse(markdown, createEnvironment(syntax)), syntax, (token, line) => {
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
