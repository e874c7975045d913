// GitHub's footnotes: `[^1]` in the text, and `[^1]: the note` on its own line, continued by lines that are indented by
// four spaces. Notes follow the text in order of reference. Replaces markdown-it-footnote 4, which takes quadratic time
// (5 s for 80 KB) and uses other ids.
import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from "markdown-it";
import { countNode, environmentOf, startOfLine } from "../markdown-environment.ts";
import { isInnermost } from "./deep-nesting.ts";

const LABEL = String.raw`\[\^([^\s[\]]{1,200})\]`;
const DEFINITION = new RegExp(`${LABEL}:[ \\t]*`, "y");
const REFERENCE = new RegExp(LABEL, "y");
/** The indentation of a note's continuation lines. */
const INDENT = 4;

interface Note {
  /** The note's number, from 1; 0 before its first reference. */
  number: number;
  /** The number of references. */
  uses: number;
}

/** A text's notes by label, and the referenced ones in order of first reference. */
interface Notes {
  byLabel: Map<string, Note>;
  used: Note[];
}

/** Returns the text's notes; undefined if it has none. */
function notesOf(state: { env: unknown }): Notes | undefined {
  return environmentOf(state).footnotes as Notes | undefined;
}

/** Adds footnotes to a parser. Unreferenced notes come last. */
export function addFootnoteRules({ block, inline, core, renderer, utils }: MarkdownIt): void {
  const toKey = utils.normalizeReference;
  block.ruler.before(
    "reference",
    "footnote",
    (state, startLine, endLine, isSilent) => readDefinition(state, startLine, endLine, isSilent, toKey),
    { alt: ["paragraph", "reference", "blockquote"] },
  );
  inline.ruler.after("image", "footnote_reference", (state, isSilent) => readReference(state, isSilent, toKey));
  core.ruler.after("inline", "footnotes", moveNotes);
  const countOf = (token: Token | undefined) => token?.meta as { number: number; use: number };
  renderer.rules["footnote_reference"] = (tokens, index) => {
    const { number, use } = countOf(tokens[index]);
    return `<sup class="footnote-ref"><a href="#fn${number}" id="${toBackId(number, use)}" role="doc-noteref">${number}</a></sup>`;
  };
  renderer.rules["footnote_back"] = (tokens, index) => {
    const { number, use } = countOf(tokens[index]);
    return ` <a href="#${toBackId(number, use)}" class="footnote-back" role="doc-backlink">\u21a9\ufe0e</a>`;
  };
}

function toBackId(number: number, use: number): string {
  return `fnref${number}${use === 1 ? "" : `-${use}`}`;
}

function readDefinition(
  state: StateBlock,
  startLine: number,
  endLine: number,
  isSilent: boolean,
  toKey: (label: string) => string,
): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= INDENT || isInnermost(state)) return false;
  const start = startOfLine(state, startLine);
  DEFINITION.lastIndex = start;
  const [written, label] = DEFINITION.exec(state.src) ?? [];
  if (written === undefined || label === undefined || start + written.length > (state.eMarks[startLine] ?? 0)) {
    return false;
  }
  if (isSilent) return true;
  const notes = notesOf(state) ?? { byLabel: new Map(), used: [] };
  environmentOf(state).footnotes = notes;
  const note: Note = { number: 0, uses: 0 };
  // Of several notes with the same label, the first wins, as with links; the others count as unreferenced.
  if (!notes.byLabel.has(toKey(label))) notes.byLabel.set(toKey(label), note);
  const opening = state.push("footnote_open", "li", 1);
  opening.meta = { note };
  tokenizeNote(state, { startLine, endLine, textStart: start + written.length });
  opening.map = [startLine, state.line];
  state.push("footnote_close", "li", -1);
  return true;
}

// Parses the first line as if it began with the text of the note, indented like the lines below.
function tokenizeNote(
  state: StateBlock,
  { startLine, endLine, textStart }: { startLine: number; endLine: number; textStart: number },
): void {
  const { bMarks, tShift, sCount, blkIndent, parentType } = state;
  const before = [bMarks[startLine] ?? 0, tShift[startLine] ?? 0, sCount[startLine] ?? 0] as const;
  state.blkIndent = Math.max(blkIndent, 0) + INDENT;
  bMarks[startLine] = textStart;
  tShift[startLine] = 0;
  sCount[startLine] = state.blkIndent;
  state.md.block.tokenize(state, startLine, endLine);
  [bMarks[startLine], tShift[startLine], sCount[startLine]] = before;
  state.blkIndent = blkIndent;
  state.parentType = parentType;
}

function readReference(state: StateInline, isSilent: boolean, toKey: (label: string) => string): boolean {
  // Links cannot be nested, and silent parsing, which finds the ends of link texts, must not match a reference.
  if (state.src[state.pos] !== "[" || state.linkLevel > 0 || isSilent) return false;
  const notes = notesOf(state);
  if (notes === undefined) return false;
  REFERENCE.lastIndex = state.pos;
  const [written = "", label = ""] = REFERENCE.exec(state.src) ?? [];
  const note = written === "" ? undefined : notes.byLabel.get(toKey(label));
  if (note === undefined) return false;
  if (note.number === 0) note.number = notes.used.push(note);
  state.push("footnote_reference", "", 0).meta = { number: note.number, use: ++note.uses };
  state.pos += written.length;
  return true;
}

function moveNotes(state: StateCore): void {
  if (notesOf(state) === undefined) return;
  const text: Token[] = [];
  const found: { note: Note; tokens: Token[] }[] = [];
  // Notes within notes become separate notes.
  const open: Token[][] = [text];
  for (const token of state.tokens) {
    if (token.type === "footnote_open") {
      const tokens = [token];
      found.push({ note: token.meta?.["note"] as Note, tokens });
      open.push(tokens);
    } else {
      open.at(-1)?.push(token);
      if (token.type === "footnote_close") open.pop();
    }
  }
  let last = notesOf(state)?.used.length ?? 0;
  for (const { note } of found) if (note.number === 0) note.number = ++last;
  state.tokens = [...text, createHtml(state, '<section class="footnotes" role="doc-endnotes">\n<ol>\n')];
  for (const { note, tokens } of found.sort((a, b) => a.note.number - b.note.number)) {
    tokens[0]?.attrSet("id", `fn${note.number}`);
    addBackLinks(state, tokens, note);
    for (const token of tokens) state.tokens.push(token);
  }
  state.tokens.push(createHtml(state, "</ol>\n</section>\n"));
}

function addBackLinks(state: StateCore, tokens: Token[], { number, uses }: Note): void {
  const last = tokens.at(-3);
  const isParagraph = tokens.at(-2)?.type === "paragraph_close" && last?.type === "inline";
  const closing = isParagraph ? undefined : tokens.pop();
  const target = isParagraph ? (last.children ??= []) : tokens;
  for (let use = 1; use <= uses; use++) {
    countNode(environmentOf(state));
    const link = new state.Token("footnote_back", "", 0);
    link.meta = { number, use };
    target.push(link);
  }
  if (closing !== undefined) tokens.push(closing);
}

function createHtml({ Token: TokenClass }: StateCore, html: string): Token {
  const token = new TokenClass("html_block", "", 0);
  token.block = true;
  token.content = html;
  return token;
}
