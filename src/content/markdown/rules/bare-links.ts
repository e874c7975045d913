// Links bare URLs: `see https://tea.example/green`. A URL ends as GitHub's rules define, or at Chinese or Japanese
// punctuation.
import type { MarkdownIt, StateCore, Token } from "markdown-it";
import { countNode, environmentOf } from "../markdown-environment.ts";

// After a Latin letter, a digit or a slash, an address is part of something else. A host needs a dot, which
// `https://localhost` lacks, and ends in ASCII, since other text can follow without a space.
const ADDRESS =
  /(?<![a-z\d_/])(?:https?:\/\/|www\.)(?:[\p{L}\p{N}_-]+\.){1,127}[a-z\d-]+(?:[/?#:][^\s<>"`\u3000-\u303f\uff01-\uff0f\uff1a-\uff1f\uff3b-\uff65]*)?/giu;
const MAY_HOLD_ADDRESS = /https?:\/\/|www\./i;
const PUNCTUATION = /[?!.,:;*_~'”’…]/;

export function addBareLinkRule({ core }: MarkdownIt): void {
  // The parser's own rule mistakes `README.md` for a host.
  core.ruler.push("bare_links", (state) => {
    for (const token of state.tokens) {
      if (token.type === "inline" && token.children?.some(holdsAddress) === true) {
        token.children = linkChildren(state, token.children);
      }
    }
  });
}

function holdsAddress({ type, content }: Token): boolean {
  return type === "text" && MAY_HOLD_ADDRESS.test(content);
}

function linkChildren(state: StateCore, children: readonly Token[]): Token[] {
  const linked: Token[] = [];
  let links = 0;
  for (const token of children) {
    if (token.type === "link_open") links++;
    else if (token.type === "link_close") links--;
    else if (token.type === "html_inline" && /^<a[\s>]/i.test(token.content)) links++;
    else if (token.type === "html_inline" && /^<\/a\s*>/i.test(token.content)) links = Math.max(0, links - 1);
    if (links > 0 || !holdsAddress(token)) linked.push(token);
    else for (const part of linkText(state, token)) linked.push(part);
  }
  return linked;
}

function linkText(state: StateCore, token: Token): Token[] {
  const { content } = token;
  const parts: Token[] = [];
  let copiedTo = 0;
  for (const found of content.matchAll(ADDRESS)) {
    const address = trimAddress(found[0]);
    const href = state.md.normalizeLink(address.toLowerCase().startsWith("www.") ? `http://${address}` : address);
    if (!state.md.validateLink(href)) continue;
    parts.push(createText(state, content.slice(copiedTo, found.index)), ...createLink(state, href, address));
    copiedTo = found.index + address.length;
  }
  // A token without URLs stays, since the parser knows its line.
  return parts.length === 0 ? [token] : [...parts, createText(state, content.slice(copiedTo))];
}

// Removes punctuation and unmatched parentheses at the end.
function trimAddress(address: string): string {
  let surplus = address.split(")").length - address.split("(").length;
  let end = address.length;
  for (; ; end--) {
    const last = address[end - 1] ?? "";
    if (last === ")" && surplus > 0) surplus--;
    else if (!PUNCTUATION.test(last)) return address.slice(0, end);
  }
}

function createText({ env, Token: TokenClass }: StateCore, content: string): Token {
  countNode(environmentOf({ env }));
  const text = new TokenClass("text", "", 0);
  text.content = content;
  return text;
}

function createLink(state: StateCore, href: string, address: string): Token[] {
  const [opening, closing] = [new state.Token("link_open", "a", 1), new state.Token("link_close", "a", -1)];
  opening.attrSet("href", href);
  return [opening, createText(state, address), closing];
}
