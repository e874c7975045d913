// Creates and reads tokens.
import type { StateCore, Token } from "markdown-it";

export type TokenMaker = Pick<StateCore, "Token">;

/** Returns a block token for the lines in `map`. */
export function createBlock(
  { Token: TokenClass }: TokenMaker,
  type: string,
  tag: string,
  nesting: -1 | 0 | 1,
  map: Token["map"] = null,
): Token {
  return Object.assign(new TokenClass(type, tag, nesting), { block: true, map });
}

/** Returns the tokens of a block element with inline text, which is parsed later. */
export function createTextBlock(
  state: TokenMaker,
  tag: string,
  content: string,
  map: Token["map"],
  type = tag,
): [Token, Token, Token] {
  const inline = Object.assign(createBlock(state, "inline", "", 0, map), { content, children: [] });
  return [createBlock(state, `${type}_open`, tag, 1, map), inline, createBlock(state, `${type}_close`, tag, -1)];
}

const SPOKEN = new Set(["text", "text_special", "code_inline", "math_inline"]);

/** Returns the plain text of inline tokens, with descriptions in place of images. */
export function toText(tokens: Token[]): string {
  return tokens
    .map((token) => {
      if (SPOKEN.has(token.type)) return token.content;
      if (token.type === "image") return toText(token.children ?? []);
      return token.type === "softbreak" || token.type === "hardbreak" ? " " : "";
    })
    .join("");
}

/** Returns the tokens without empty paragraphs. */
export function withoutEmptyParagraphs(tokens: Token[]): Token[] {
  const isLeft = ({ type, children }: Token): boolean => type !== "inline" || children?.length !== 0;
  return tokens.filter(({ type }, index) => {
    if (type === "paragraph_open") return isLeft(tokens[index + 1] as Token);
    return type !== "paragraph_close" || isLeft(tokens[index - 1] as Token);
  });
}
