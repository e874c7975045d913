// Pandoc's superscripts and subscripts: `m^2^`, `H~2~O`. Replaces markdown-it-sub and -sup 2, which allow only plain
// text and match `^[a^]`.
import type { MarkdownIt, StateInline } from "markdown-it";

// Blanks must be escaped, so that "~/tea and ~/pot" stays text; brackets belong to footnotes and links.
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
  // Two signs strike through.
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
