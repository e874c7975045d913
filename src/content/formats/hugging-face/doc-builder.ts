import type { MarkdownDialect } from "../../markdown/dialects.ts";
import { COMPONENTS } from "../../markdown/mdx/mdx-dialects.ts";
import type { MarkdownIt, StateInline } from "markdown-it";

/** The Markdown of the documentation builder that reads `_toctree.yml`. */
export const DOC_BUILDER: MarkdownDialect = {
  ...COMPONENTS,
  hasMarkdownInHtml: true,
  rules: [addCodeReferenceRule, ...(COMPONENTS.rules ?? [])],
};

// Before a parenthesis or a bracket, such text belongs to a link, which the link rule has already tried to read.
const REFERENCE = /\[`([~!]?)([A-Za-z_][\w.]{0,200}(?:\(\))?)`\](?![[(])/y;

function addCodeReferenceRule({ inline: { ruler } }: MarkdownIt): void {
  ruler.after("link", "code_reference", readReference);
}

function readReference(state: StateInline, isSilent: boolean): boolean {
  // In silent mode, link parsing can skip the text without this rule.
  if (isSilent || state.src[state.pos] !== "[") return false;
  REFERENCE.lastIndex = state.pos;
  const [written = "", sign, name = ""] = REFERENCE.exec(state.src) ?? [];
  if (written === "") return false;
  state.push("code_inline", "code", 0).content = sign === "~" ? name.slice(name.lastIndexOf(".") + 1) : name;
  state.pos += written.length;
  return true;
}
