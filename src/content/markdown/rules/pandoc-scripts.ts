// Pandoc's superscripts and subscripts: `m^2^`, `H~2~O`. Replaces markdown-it-sub and -sup 2, which allow only plain
// text and match `^[a^]`.
import type { MarkdownIt, StateInline, Token } from "markdown-it";
import { toText } from "../tokens.ts";

// Spaces must be escaped, so that "~/tea and ~/pot" stays text; brackets belong to footnotes and links.
const SCRIPT = /([~^])((?:[^\s~^\\[\]]|\\[^\t\n]){1,100})\1/y;

export function addScriptRule({ inline: { ruler } }: MarkdownIt): void {
  ruler.before("strikethrough", "pandoc_scripts", readScript);
}

function readScript(state: StateInline, isSilent: boolean): boolean {
  const { src, pos, posMax } = state;
  const sign = src[pos];
  if (sign !== "~" && sign !== "^") return false;
  SCRIPT.lastIndex = pos;
  const end = SCRIPT.test(src) ? SCRIPT.lastIndex : undefined;
  // Two signs, `~~`, strike text through.
  if (end === undefined || end > posMax || src[end] === sign || src[pos - 1] === sign) return false;
  if (!isSilent) {
    const tag = sign === "^" ? "sup" : "sub";
    state.push(`${tag}_open`, tag, 1);
    state.pos = pos + 1;
    state.posMax = end - 1;
    const { length } = state.tokens;
    state.md.inline.tokenize(state);
    for (const token of state.tokens.slice(length))
      if (token.type === "text_special" && token.markup === "\\") token.content = "";
    state.push(`${tag}_close`, tag, -1);
    state.posMax = posMax;
  }
  state.pos = end;
  return true;
}

const WRITTEN = /(?:https?:\/\/|www\.)\S+|(?<!-)-{2,3}(?!-)|(?<!\.)\.{3}(?!\.)/gi;
const SHOWN: Readonly<Record<string, string>> = { "--": "–", "---": "—", "...": "…" };

export function addSmartDashRule({ core }: MarkdownIt): void {
  // Runs before escapes are merged with other text, so that `\--` stays as written.
  core.ruler.before("text_join", "smart_dashes", (state) => {
    for (const { type, children } of state.tokens) {
      if (type !== "inline") continue;
      for (const child of children ?? []) {
        if (child.type === "text") child.content = child.content.replace(WRITTEN, (text) => SHOWN[text] ?? text);
      }
    }
  });
}

export function addFigureRule({ core }: MarkdownIt): void {
  // Runs before text tokens are joined, so that those of the caption are joined as well.
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
