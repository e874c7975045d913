// Pandoc's figures: an image alone in a paragraph, with its description as caption.
import type { MarkdownIt, Token } from "markdown-it";
import { toText } from "../tokens.ts";

export function addFigureRule({ core }: MarkdownIt): void {
  // Before the text is joined, like the paragraph's.
  core.ruler.after("inline", "figures", ({ tokens, Token: TokenClass }) => {
    const create = (type: string, nesting: -1 | 1): Token => new TokenClass(type, "figcaption", nesting);
    for (const [index, inline] of tokens.entries()) {
      const [opening, closing] = [tokens[index - 1], tokens[index + 1]];
      const [image, more] = inline.type === "inline" ? (inline.children ?? []) : [];
      if (opening?.type !== "paragraph_open" || opening.hidden || closing === undefined) continue;
      if (image?.type !== "image" || more !== undefined) continue;
      const described = image.meta as { caption: Token[] } | null;
      const caption = described?.caption ?? image.children ?? [];
      if (toText(caption).trim() === "") continue;
      const captionOpening = create("figcaption_open", 1);
      if (described === null) {
        // Screen readers should not read the same text twice.
        captionOpening.attrSet("aria-hidden", "true");
        const description = new TokenClass("text", "", 0);
        description.content = toText(caption);
        image.children = [description];
      }
      for (const token of [opening, closing]) token.tag = "figure";
      inline.children = [image, captionOpening, ...caption, create("figcaption_close", -1)];
    }
  });
}
