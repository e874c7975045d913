// Fills in link texts and resolves MyST's link schemes. https://mystmd.org/guide/cross-references
import type { StateCore, Token } from "markdown-it";
import { cutText } from "../../quote.ts";
import { toText } from "../../markdown/tokens.ts";

/** Each link to a label repeats its text. */
const MAX_TEXT = 200;

/** Fills in the texts and URLs of links. */
export function nameReferences({ tokens, Token: TokenClass }: StateCore): void {
  const texts = findTexts(tokens);
  for (const inline of tokens) {
    const { children } = inline;
    if (children === null) continue;
    for (const [index, link] of children.entries()) {
      if (link.type !== "link_open") continue;
      const href = toAddress(String(link.attrGet("href")));
      link.attrSet("href", href);
      const text = href.startsWith("#") ? (texts.get(decode(href.slice(1))) ?? decode(href.slice(1))) : undefined;
      const shown = children[index + 1];
      const named = (link.meta as { isNamed?: boolean } | null)?.isNamed;
      if (text === undefined || shown === undefined) continue;
      if (named === true)
        shown.content = shown.content.replace(/\{name\}/g, text).replace(/[ \t]*(?:%s|\{number\})/g, "");
      else if (link.info === "auto" || named === false) shown.content = text;
      else if (shown.type === "link_close") {
        const own = Object.assign(new TokenClass("text", "", 0), {
          content: text,
          level: link.level + 1,
          map: link.map,
        });
        link.meta = { own };
      }
    }
    inline.children = withTexts(children);
  }
}

function withTexts(children: Token[]): Token[] {
  return children.flatMap((token) => {
    const own = (token.meta as { own?: Token } | null)?.own;
    return own === undefined ? [token] : [token, own];
  });
}

/** Label texts: the heading, caption or title that follows. */
function findTexts(tokens: readonly Token[]): Map<string, string> {
  const texts = new Map<string, string>();
  let open: string[] = [];
  let isFigure = false;
  for (const token of tokens) {
    const id = (token.meta as { label?: string } | null)?.label ?? token.attrGet("id");
    if (id !== null && !texts.has(String(id))) open.push(String(id));
    if (token.type === "container_open" && token.tag === "figure") isFigure = true;
    if (token.type === "container_open" && token.tag === "figcaption") isFigure = false;
    // Labels without a text keep their name.
    if (token.type === "math_block" || token.type === "fence") open = [];
    if (token.type !== "inline" || open.length === 0 || isFigure) continue;
    const text = cutText(toText(token.children ?? []).trim(), MAX_TEXT);
    for (const label of open) if (text !== "") texts.set(label, text);
    open = [];
  }
  return texts;
}

// `project:` and `path:` only name the target's kind.
function toAddress(href: string): string {
  return href
    .replace(/^(?:project|path):/, "")
    .replace(/^doi:/, "https://doi.org/")
    .replace(/^wiki:/, "https://en.wikipedia.org/wiki/");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
