// Renders inline markup between signs: `==mark==`, `^^ins^^`, `{--critic--}`.
import type { MarkdownIt, StateInline, Token } from "markdown-it";
import { readAttributes } from "../../markdown/rules/attributes.ts";
import { hasExtension } from "./mkdocs-extensions.ts";

export function addMarkedText({ inline }: MarkdownIt): void {
  const { ruler, ruler2 } = inline;
  ruler.before("emphasis", "paired_marks", readPair);
  ruler2.before("emphasis", "paired_marks", ({ tokens, delimiters, tokens_meta: meta }) => {
    showPairs(tokens, delimiters);
    for (const each of meta) if (each?.delimiters !== undefined) showPairs(tokens, each.delimiters);
  });
  ruler.before("strikethrough", "critic", readCritic);
  ruler.before("emphasis", "progress_bar", readProgressBar);
}

/** Reads attributes that follow no element, are alone on a line, or end a table cell or a heading. */
export function addLooseAttributes({ inline: { ruler }, core }: MarkdownIt): void {
  ruler.after("attributes", "loose_attributes", readLooseAttributes);
  core.ruler.before("inline", "end_attributes", ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const cell = tokens[index - 1];
      const start = /^(?:t[dh]|h[1-6])$/.test(cell?.tag ?? "") ? token.content.lastIndexOf(" {") : -1;
      const attributes = start === -1 ? undefined : readAttributes(token.content, start + 1);
      if (attributes?.end !== token.content.length) continue;
      token.content = token.content.slice(0, start).trimEnd();
      if (attributes.id !== undefined) cell?.attrSet("id", attributes.id);
    }
  });
}

interface Pair {
  extension: string;
  tag: string;
}

const PAIRS: Record<string, Pair> = {
  "=": { extension: "pymdownx.mark", tag: "mark" },
  "^": { extension: "pymdownx.caret", tag: "ins" },
};

function readPair(state: StateInline, isSilent: boolean): boolean {
  const sign = state.src.charAt(state.pos);
  const pair = PAIRS[sign];
  if (pair === undefined || isSilent || state.src[state.pos + 1] !== sign || !hasExtension(state, pair.extension))
    return false;
  const { can_open: open, can_close: close, length } = state.scanDelims(state.pos, true);
  const pairs = Math.floor(length / 2);
  for (let index = 0; index < length % 2; index++) state.push("text", "", 0).content = sign;
  for (let index = 0; index < pairs; index++) {
    state.push("text", "", 0).content = sign + sign;
    if (!open && !close) continue;
    const token = state.tokens.length - 1;
    state.delimiters.push({
      marker: sign.charCodeAt(0),
      length: 0,

      token,
      end: -1,
      open,
      close,
    });
  }
  state.pos += length;
  return true;
}

function showPairs(tokens: Token[], delimiters: StateInline["delimiters"]): void {
  for (const { marker, end, token } of delimiters) {
    const pair = PAIRS[String.fromCharCode(marker)];
    const closing = delimiters[end];
    if (pair === undefined || closing === undefined) continue;
    for (const [at, nesting] of [
      [token, 1],
      [closing.token, -1],
    ] as const) {
      const shown = tokens[at];
      if (shown === undefined) continue;
      const { tag } = pair;
      Object.assign(shown, { type: `${tag}_${nesting === 1 ? "open" : "close"}`, tag, nesting, content: "" });
    }
  }
}

/** Matches an editor's mark. */
const CRITIC = /\{(\+\+|--|~~|==|>>)([^{}]{1,2000})(\+\+|--|~~|==|<<)\}/y;
const CRITIC_TAGS: Record<string, [tag: string, end: string]> = {
  "++": ["ins", "++"],
  "--": ["del", "--"],
  "==": ["mark", "=="],
  "~~": ["del", "~~"],
  ">>": ["", "<<"],
};

function readCritic(state: StateInline, isSilent: boolean): boolean {
  if (state.src[state.pos] !== "{" || !hasExtension(state, "pymdownx.critic")) return false;
  CRITIC.lastIndex = state.pos;
  const [written, sign = "", text = "", end] = CRITIC.exec(state.src) ?? [];
  const [tag, closing] = CRITIC_TAGS[sign] ?? [];
  if (written === undefined || tag === undefined || end !== closing || CRITIC.lastIndex > state.posMax) return false;
  const next = CRITIC.lastIndex;
  if (!isSilent && tag === "") state.push("critic_comment", "", 0).content = text;
  else if (!isSilent) {
    const start = state.pos + 1 + sign.length;
    const arrow = sign === "~~" ? text.indexOf("~>") : -1;
    readWithin(state, tag, start, start + (arrow === -1 ? text.length : arrow));
    if (arrow !== -1) readWithin(state, "ins", start + arrow + 2, start + text.length);
  }
  state.pos = next;
  return true;
}

function readWithin(state: StateInline, tag: string, start: number, end: number): void {
  const { posMax } = state;
  state.push(`${tag}_open`, tag, 1);
  Object.assign(state, { pos: start, posMax: end });
  state.md.inline.tokenize(state);
  state.push(`${tag}_close`, tag, -1);
  state.posMax = posMax;
}

const PROGRESS =
  /\[={1,10}[ \t]*(\d{1,6}(?:\.\d{1,6})?)(?:%|[ \t]*\/[ \t]*(\d{1,6}(?:\.\d{1,6})?))[ \t]*(?:(?:"([^"\n]{0,200})"|'([^'\n]{0,200})')[ \t]*)?\]/y;

function readProgressBar(state: StateInline, isSilent: boolean): boolean {
  if (!state.src.startsWith("[=", state.pos) || !hasExtension(state, "pymdownx.progressbar")) return false;
  PROGRESS.lastIndex = state.pos;
  const [written, value = "", of = "100", double, single] = PROGRESS.exec(state.src) ?? [];
  const label = double ?? single;
  if (written === undefined || PROGRESS.lastIndex > state.posMax) return false;
  if (!isSilent) {
    const opening = state.push("progress_open", "progress", 1);
    opening.attrSet("value", value);
    opening.attrSet("max", of);
    state.push("text", "", 0).content = label ?? `${value}/${of}`;
    state.push("progress_close", "progress", -1);
    if (label !== undefined && label !== "") state.push("text", "", 0).content = ` ${label}`;
  }
  state.pos += written.length;
  return true;
}

// Reads attributes without an element, such as those after an emoji, a formula or a paragraph.
function readLooseAttributes(state: StateInline, isSilent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (src[pos] !== "{") return false;
  const isAlone = /(?:^|\n)[ \t]*$/.test(src.slice(Math.max(0, pos - 40), pos)) || pos === 0;
  if (!isAlone && (state.pending !== "" || state.tokens.length === 0)) return false;
  const attributes = readAttributes(src, pos);
  if (attributes === undefined || attributes.end > posMax) return false;
  if (isAlone && !/[ \t]*(?:\n|$)/y.test(src.slice(attributes.end, attributes.end + 1))) return false;
  if (!isSilent && attributes.id !== undefined) {
    state.push("anchor_open", "a", 1).attrSet("id", attributes.id);
    state.push("anchor_close", "a", -1);
  }
  if (isAlone && !isSilent) state.pending = state.pending.trimEnd();
  state.pos = attributes.end;
  return true;
}
