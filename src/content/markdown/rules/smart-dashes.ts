// Pandoc's dashes and dots: `--` is an en dash, `---` an em dash, `...` an ellipsis, except in code, formulas, HTML and
// URLs.
import type { MarkdownIt } from "markdown-it";

const WRITTEN = /(?:https?:\/\/|www\.)\S+|(?<!-)-{2,3}(?!-)|(?<!\.)\.{3}(?!\.)/gi;
const SHOWN: Readonly<Record<string, string>> = { "--": "–", "---": "—", "...": "…" };

export function addSmartDashRule({ core }: MarkdownIt): void {
  // Before escapes are merged: `\--` stays.
  core.ruler.before("text_join", "smart_dashes", (state) => {
    for (const { type, children } of state.tokens) {
      if (type !== "inline") continue;
      for (const child of children ?? []) {
        if (child.type === "text") child.content = child.content.replace(WRITTEN, (text) => SHOWN[text] ?? text);
      }
    }
  });
}
