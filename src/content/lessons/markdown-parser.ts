// The Markdown that lessons are written in: CommonMark with tables and HTML, and two things that course repositories use
// beyond it: anchors and alerts.
import createMarkdownIt, { type MarkdownIt, type StateCore, type Token } from "markdown-it";
import { describeTooLarge, describeTooManyNodes, UnreadableText, type SourceLimits } from "../limits.ts";

/** Beyond it the parser would drop what is inside, without a word. */
const MAX_NESTING = 100;

/** What a text is written in, and how much of it is read. */
export interface MarkdownSyntax {
  /** MDX has no code by indentation: children of a component are often indented. */
  hasIndentedCode: boolean;
  /** `## Decks and cards[[decks]]` names the heading's anchor. */
  hasHeadingAnchors: boolean;
  limits: SourceLimits;
}

/** What the rules of the parser know of the text that they read. */
export type MarkdownEnvironment = Pick<MarkdownSyntax, "hasHeadingAnchors" | "limits"> & { nodes: number };

/** A new environment for each parsing, since it counts. */
export function createEnvironment({ hasHeadingAnchors, limits }: MarkdownSyntax): MarkdownEnvironment {
  return { hasHeadingAnchors, limits, nodes: 0 };
}

/** A parser whose tokens `visitTokens` can place. Parsing throws UnreadableText for what is over a limit. */
export function createParser({ hasIndentedCode }: { hasIndentedCode: boolean }): MarkdownIt {
  const parser = createMarkdownIt({ html: true, maxNesting: MAX_NESTING });
  parser.inline.State = PlacedInlineState;
  parser.block.State = CountingBlockState;
  const tokenize = parser.block.tokenize.bind(parser.block);
  parser.block.tokenize = (state, startLine, endLine) => {
    if (state.level >= MAX_NESTING) {
      throw new UnreadableText(`lists and quotations are nested too deeply: ${MAX_NESTING} levels can be read`);
    }
    tokenize(state, startLine, endLine);
  };
  parser.core.ruler.before("inline", "heading_anchors", readHeadingAnchors);
  parser.core.ruler.before("inline", "alerts", readAlerts);
  return hasIndentedCode ? parser : parser.disable("code");
}

/**
 * Calls `visit` for every token in its order, with its line: from 1 at the start of the Markdown. Throws UnreadableText
 * where the tokens hold more than a lesson may: each use of a reference repeats its address and title.
 */
export function visitTokens(
  tokens: Token[],
  { limits }: Pick<MarkdownSyntax, "limits">,
  visit: (token: Token, line: number) => void,
): void {
  let size = 0;
  const visitCounted = (token: Token, line: number): void => {
    for (const [, value] of token.attrs ?? []) size += String(value).length;
    if (size > limits.maxLessonBytes) {
      const what = "the addresses and titles of a lesson's links";
      throw new UnreadableText(describeTooLarge(size, limits.maxLessonBytes, what, "max-lesson-size"));
    }
    visit(token, line);
  };
  // Cells of tables have no lines of their own: the row's count.
  let line = 1;
  for (const token of tokens) {
    if (token.map !== null) line = token.map[0] + 1;
    visitCounted(token, line);
    for (const child of token.children ?? []) visitCounted(child, line + (lineOffsets.get(child) ?? 0));
  }
}

function countNode(environment: MarkdownEnvironment): void {
  if (++environment.nodes <= environment.limits.maxNodes) return;
  throw new UnreadableText(describeTooManyNodes(environment.limits, "the Markdown"));
}

class CountingBlockState extends createMarkdownIt.StateBlock {
  override push(...args: Parameters<InstanceType<typeof createMarkdownIt.StateBlock>["push"]>): Token {
    countNode(this.env as MarkdownEnvironment);
    return super.push(...args);
  }
}

// The parser keeps no places within a paragraph; rules replace a token's meta, so that cannot hold them.
const lineOffsets = new WeakMap<Token, number>();

class PlacedInlineState extends createMarkdownIt.StateInline {
  #lineBreaks = 0;
  #nextLineBreak = this.src.indexOf("\n");

  override push(...args: Parameters<MarkdownIt["inline"]["State"]["prototype"]["push"]>): Token {
    countNode(this.env as MarkdownEnvironment);
    const token = super.push(...args);
    while (this.#nextLineBreak !== -1 && this.#nextLineBreak < this.pos) {
      this.#lineBreaks++;
      this.#nextLineBreak = this.src.indexOf("\n", this.#nextLineBreak + 1);
    }
    if (this.#lineBreaks > 0) lineOffsets.set(token, this.#lineBreaks);
    return token;
  }
}

function readHeadingAnchors({ tokens, env }: StateCore): void {
  if (!(env as MarkdownEnvironment).hasHeadingAnchors) return;
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
