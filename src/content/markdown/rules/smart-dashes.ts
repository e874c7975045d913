// Dashes and dots as Pandoc reads them: `--` is an en dash, `---` an em dash, `...` an ellipsis. Code, formulas, HTML and
// addresses keep theirs.
import type { MarkdownIt } from "markdown-it";

const WRITTEN = /(?:https?:\/\/|www\.)\S+|(?<!-)-{2,3}(?!-)|(?<!\.)\.{3}(?!\.)/gi;
const SHOWN: Readonly<Record<string, string>> = { "--": "–", "---": "—", "...": "…" };

/** Adds these dashes to a parser. */
export function addSmartDashRule({ core }: MarkdownIt): void {
  // Before escaped characters become a part of the text: `\--` stays as it is.
  core.ruler.before("text_join", "smart_dashes", (state) => {
    for (const { type, children } of state.tokens) {
      if (type !== "inline") continue;
      for (const child of children ?? []) {
        if (child.type === "text") child.content = child.content.replace(WRITTEN, (text) => SHOWN[text] ?? text);
      }
    }
  });
}
