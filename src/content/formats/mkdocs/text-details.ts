// Adds small rules for text: symbols such as `(c)`, the languages of inline code, and callout marks.
import type { MarkdownIt, StateCore, Token } from "markdown-it";
import { findCalloutKind } from "../../markdown/rules/callouts.ts";
import { cutText } from "../../quote.ts";
import { toText } from "../../markdown/tokens.ts";
import { capitalize, KINDS } from "./block-tokens.ts";
import { countTokens } from "./counted-tokens.ts";
import { hasExtension } from "./mkdocs-extensions.ts";

export function addTextDetails({ core: { ruler } }: MarkdownIt): void {
  ruler.before("callouts", "quotes_callouts", nameCallouts);
  ruler.before("inline", "critic_blocks", wrapEdits);
  ruler.after("inline", "smart_symbols", showSymbols);
  ruler.after("inline", "inline_languages", readLanguages);
  ruler.after("icons", "emptied_paragraphs", dropEmptied);
  ruler.before("emptied_paragraphs", "critic_comments", dropComments);
  ruler.after("icons", "tab_titles", nameTabs);
}

function nameTabs({ tokens }: StateCore): void {
  for (const [index, token] of tokens.entries())
    if (token.type === "tab_open") token.attrSet("data-option", toText(tokens[index + 2]?.children ?? []).trim());
}

// Theme classes follow a bar: `[!note | inline]`.
const MARK = /^\[!([a-z][\w-]{0,40})(?:[ \t]*\|[^[\]\n]{0,100})?\]([+-]?)[ \t]*([^\n]*)/i;

// Converts marks such as `> [!danger]`, since the callout rule knows only GitHub's kinds.
function nameCallouts(state: StateCore): void {
  if (!hasExtension(state, "pymdownx.quotes")) return;
  for (const [index, { type, content }] of state.tokens.entries()) {
    if (type !== "inline" || state.tokens[index - 2]?.type !== "blockquote_open") continue;
    const [mark, written = "", fold = "", title = ""] = MARK.exec(content) ?? [];
    const name = written.toLowerCase();
    const kind = findCalloutKind(name) ?? KINDS[name] ?? "note";
    const token = state.tokens[index];
    if (mark === undefined || token === undefined) continue;
    const shown = title.trim() || (kind === name ? "" : capitalize(name));
    token.content = `[!${kind}]${fold} ${shown}${content.slice(mark.length)}`;
  }
}

const EDITS: Record<string, string> = { "{++": "ins", "{--": "del", "{==": "mark" };

// `{==` and `==}` in separate paragraphs enclose blocks.
function wrapEdits(state: StateCore): void {
  if (!hasExtension(state, "pymdownx.critic")) return;
  const { tokens } = state;
  let open: { sign: string; level: number; at: number } | undefined;
  for (const [at, { type, content, level, nesting }] of tokens.entries()) {
    if (open !== undefined && nesting === -1 && level < open.level) open = undefined;
    const isParagraph = type === "inline" && tokens[at - 1]?.type === "paragraph_open";
    if (!isParagraph) continue;
    if (Object.hasOwn(EDITS, content)) open = { sign: content, level: level - 1, at };
    else if (open?.level === level - 1 && content === `${open.sign.slice(1)}}`) {
      const tag = EDITS[open.sign] ?? "";
      turnParagraph(tokens, open.at, tag, 1);
      turnParagraph(tokens, at, tag, -1);
      open = undefined;
    }
  }
}

/** Turns a paragraph that contains only a mark into an opening or closing tag. */
function turnParagraph(tokens: Token[], at: number, tag: string, nesting: 1 | -1): void {
  const [opening, text, closing] = tokens.slice(at - 1, at + 2);
  const [shown, hidden] = nesting === 1 ? [opening, closing] : [closing, opening];
  if (shown !== undefined) Object.assign(shown, { type: nesting === 1 ? "edit_open" : "edit_close", tag });
  for (const gone of [text, hidden])
    if (gone !== undefined) Object.assign(gone, { type: "text", tag: "", nesting: 0, content: "", children: null });
}

function dropComments(state: StateCore): void {
  countTokens(state, "critic_comment", {
    what: "editor's comment",
    plural: "editors' comments",
    isKept: false,
    describe: (text) => `comment {>>${cutText(text, 60)}<<} is left out`,
  });
}

const SYMBOLS: Record<string, string> = {
  "(c)": "©",
  "(r)": "®",
  "(tm)": "™",
  "c/o": "℅",
  "+/-": "±",
  "=/=": "≠",
  "<-->": "↔",
  "-->": "→",
  "<--": "←",
  "1/2": "½",
  "1/4": "¼",
  "3/4": "¾",
  "1/3": "⅓",
  "2/3": "⅔",
  "1/8": "⅛",
  "3/8": "⅜",
  "5/8": "⅝",
  "7/8": "⅞",
};
const SYMBOL =
  /\((?:c|r|tm)\)|\bc\/o\b|\+\/-|=\/=|(?<![-<])<?-->(?![->])|(?<![-<])<--(?![->])|(?<![\d/])\d\/\d(?![\d/])/g;

function showSymbols(state: StateCore): void {
  if (!hasExtension(state, "pymdownx.smartsymbols")) return;
  for (const child of state.tokens.flatMap(({ children }) => children ?? []))
    if (child.type === "text") child.content = child.content.replace(SYMBOL, (each) => SYMBOLS[each] ?? each);
}

const LANGUAGE = /^(?:#!|:::)([\w+#-]{1,40})[ \t]+(?=\S)/;

// Reads the language of inline code such as `#!py3 range(3)`.
function readLanguages(state: StateCore): void {
  if (!hasExtension(state, "pymdownx.inlinehilite")) return;
  for (const child of state.tokens.flatMap(({ children }) => children ?? [])) {
    if (child.type !== "code_inline") continue;
    const [written = "", language] = LANGUAGE.exec(child.content) ?? [];
    if (language === undefined) continue;
    child.content = child.content.slice(written.length).trimEnd();
    child.attrJoin("class", `language-${language}`);
  }
}

// Drops paragraphs that contained only attributes or icons, and line breaks before attributes.
function dropEmptied(state: StateCore): void {
  if (!hasExtension(state, "attr_list", "pymdownx.emoji", "pymdownx.critic", "tags")) return;
  const tokens: Token[] = [];
  for (let index = 0; index < state.tokens.length; index++) {
    const token = state.tokens[index] as Token;
    const [text, end] = state.tokens.slice(index + 1, index + 3);
    if (token.type === "paragraph_open" && text?.type === "inline" && end?.type === "paragraph_close") {
      trimEnds(text.children ?? []);
      if ((text.children ?? []).every(({ type, content }) => type === "text" && content.trim() === "")) {
        index += 2;
        continue;
      }
    }
    tokens.push(token);
  }
  state.tokens = tokens;
}

function trimEnds(children: Token[]): void {
  const isNothing = ({ type, content }: Token): boolean => type === "softbreak" || (type === "text" && content === "");
  while (children[0] !== undefined && isNothing(children[0])) children.shift();
  while (children.at(-1) !== undefined && isNothing(children.at(-1) as Token)) children.pop();
  const [first] = children;
  if (first?.type === "text") first.content = first.content.trimStart();
}
