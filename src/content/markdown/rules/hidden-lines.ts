// Hides lines of code that a program needs but its explanation does not.
import type { MarkdownIt, Token } from "markdown-it";
import { environmentOf } from "../markdown-environment.ts";

/** The prefix of hidden lines by language. Rust has its own rule. */
export type HiddenLines = ReadonlyMap<string, string>;

export function addHiddenLineRule({ core: { ruler } }: MarkdownIt): void {
  ruler.after("block", "hidden_lines", (state) => {
    const { hiddenLines = new Map<string, string>() } = environmentOf(state).dialect;
    for (const token of state.tokens) if (token.type === "fence") hideLines(token, hiddenLines);
  });
}

/** Hides lines with the language's prefix; `hidelines=PREFIX` after the language overrides the prefix. */
function hideLines(token: Token, hidden: HiddenLines): void {
  const [language = "", ...words] = token.info.trim().split(/[\s,]+/);
  const given = words.find((word) => word.startsWith("hidelines="))?.slice("hidelines=".length);
  const prefix = given ?? hidden.get(language);
  if (prefix === undefined || prefix === "") return;
  const lines = token.content.split("\n");
  const shown = language === "rust" && given === undefined ? showRust(lines) : showOthers(lines, prefix);
  token.content = shown.join("\n");
}

// https://doc.rust-lang.org/rustdoc/write-documentation/documentation-tests.html#hiding-portions-of-the-example
function showRust(lines: string[]): string[] {
  return lines.filter((line) => !/^\s*#(?: |\r?$)/.test(line)).map((line) => line.replace(/^(\s*)##/, "$1#"));
}

function showOthers(lines: string[], prefix: string): string[] {
  return lines.filter((line) => !line.trimStart().startsWith(prefix));
}
