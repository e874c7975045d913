// The Markdown that lessons are written in: CommonMark with tables and HTML, and two things that course repositories use
// beyond it: anchors and alerts.
import createMarkdownIt, { type MarkdownIt, type StateCore, type Token } from "markdown-it";

/** A parser whose tokens `visitTokens` can place. */
export function createParser({ hasIndentedCode }: { hasIndentedCode: boolean }): MarkdownIt {
  const parser = createMarkdownIt({ html: true });
  parser.inline.State = PlacedInlineState;
  parser.core.ruler.before("inline", "heading_anchors", readHeadingAnchors);
  parser.core.ruler.before("inline", "alerts", readAlerts);
  return hasIndentedCode ? parser : parser.disable("code");
}

/** Calls `visit` for every token in its order, with its line: from 1 at the start of the Markdown. */
export function visitTokens(tokens: Token[], visit: (token: Token, line: number) => void): void {
  // Cells of tables have no lines of their own: the row's count.
  let line = 1;
  for (const token of tokens) {
    if (token.map !== null) line = token.map[0] + 1;
    visit(token, line);
    for (const child of token.children ?? []) visit(child, line + (lineOffsets.get(child) ?? 0));
  }
}

// The parser keeps no places within a paragraph; rules replace a token's meta, so that cannot hold them.
const lineOffsets = new WeakMap<Token, number>();

class PlacedInlineState extends createMarkdownIt.StateInline {
  #lineBreaks = 0;
  #nextLineBreak = this.src.indexOf("\n");

  override push(...args: Parameters<MarkdownIt["inline"]["State"]["prototype"]["push"]>): Token {
    const token = super.push(...args);
    while (this.#nextLineBreak !== -1 && this.#nextLineBreak < this.pos) {
      this.#lineBreaks++;
      this.#nextLineBreak = this.src.indexOf("\n", this.#nextLineBreak + 1);
    }
    if (this.#lineBreaks > 0) lineOffsets.set(token, this.#lineBreaks);
    return token;
  }
}

// `## Decks and cards[[decks]]` names the heading's anchor.
function readHeadingAnchors({ tokens }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    const content = tokens[index + 1];
    if (token.type !== "heading_open" || content === undefined) continue;
    const anchor = /\[\[([^[\]]+)\]\]\s*$/.exec(content.content);
    if (anchor?.[1] === undefined) continue;
    token.attrSet("id", anchor[1].trim());
    content.content = content.content.slice(0, anchor.index).trimEnd();
  }
}

// `> [!TIP]` above the text of a quotation, as GitHub renders it.
function readAlerts(state: StateCore): void {
  const tokens: Token[] = [];
  for (let index = 0; index < state.tokens.length; index++) {
    const [opening, paragraph, text] = state.tokens.slice(index, index + 3);
    if (opening === undefined) break;
    tokens.push(opening);
    if (opening.type !== "blockquote_open" || paragraph?.type !== "paragraph_open" || text === undefined) continue;
    const mark = ALERT_MARK.exec(text.content);
    if (mark?.[1] === undefined) continue;
    tokens.push(...createAlertTitle(state, mark[1].toLowerCase(), paragraph));
    text.content = text.content.slice(mark[0].length);
    if (text.map !== null) text.map = [text.map[0] + 1, text.map[1]];
    // The paragraph and its end go too where the mark was all of its text.
    if (text.content === "") index += 3;
  }
  state.tokens = tokens;
}

const ALERT_MARK = /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i;

function createAlertTitle(state: StateCore, kind: string, paragraph: Token): Token[] {
  const open = new state.Token("paragraph_open", "p", 1);
  const title = new state.Token("inline", "", 0);
  const close = new state.Token("paragraph_close", "p", -1);
  title.content = `<strong>${kind.charAt(0).toUpperCase()}${kind.slice(1)}</strong>`;
  title.children = [];
  open.block = title.block = close.block = true;
  open.map = title.map = paragraph.map;
  open.level = close.level = paragraph.level;
  title.level = paragraph.level + 1;
  return [open, title, close];
}
