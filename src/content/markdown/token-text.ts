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
