// References to parts of a program, as the documentation builder of `_toctree.yml` reads them: [`tea.Pot`], and [`~tea.Pot.boil`],
// which is shown as `boil`. They lead into documentation that is made of code, which no import has: their names stay.
import type { MarkdownIt, StateInline } from "markdown-it";

// Before a parenthesis or another bracket it is the text of a link, which was tried before.
const REFERENCE = /\[`([~!]?)([A-Za-z_][\w.]{0,200}(?:\(\))?)`\](?![[(])/y;

/** Adds references to code to a parser. */
export function addCodeReferenceRule({ inline: { ruler } }: MarkdownIt): void {
  ruler.after("link", "code_reference", readReference);
}

function readReference(state: StateInline, isSilent: boolean): boolean {
  // What looks ahead for the end of a link finds that without it.
  if (isSilent || state.src[state.pos] !== "[") return false;
  REFERENCE.lastIndex = state.pos;
  const [written = "", sign, name = ""] = REFERENCE.exec(state.src) ?? [];
  if (written === "") return false;
  state.push("code_inline", "code", 0).content = sign === "~" ? name.slice(name.lastIndexOf(".") + 1) : name;
  state.pos += written.length;
  return true;
}
