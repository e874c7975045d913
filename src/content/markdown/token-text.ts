import type { Token } from "markdown-it";

const SPOKEN = new Set(["text", "text_special", "code_inline", "math_inline"]);

/** The text of inline tokens, without their markup; an image's is its description. */
export function toText(tokens: Token[]): string {
  return tokens
    .map((token) => {
      if (SPOKEN.has(token.type)) return token.content;
      if (token.type === "image") return toText(token.children ?? []);
      return token.type === "softbreak" || token.type === "hardbreak" ? " " : "";
    })
    .join("");
}

/** The tokens without paragraphs of which nothing is left. */
export function withoutEmptyParagraphs(tokens: Token[]): Token[] {
  const isLeft = ({ type, children }: Token): boolean => type !== "inline" || children?.length !== 0;
  return tokens.filter(({ type }, index) => {
    if (type === "paragraph_open") return isLeft(tokens[index + 1] as Token);
    return type !== "paragraph_close" || isLeft(tokens[index - 1] as Token);
  });
}
