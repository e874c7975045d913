// The Markdown that lessons are written in: CommonMark with tables and HTML, and two things that course repositories use
// beyond it: anchors and alerts. One parser reads every dialect.
import createMarkdownIt, { type MarkdownIt, type StateCore, type Token } from "markdown-it";
import { describeTooLarge, describeTooManyNodes, UnreadableText, type SourceLimits } from "../limits.ts";
import type { MarkdownDialect } from "./dialects.ts";
import { readMarks, type MdxMarks } from "./mdx-marks.ts";

/** Beyond it the parser would drop what is inside, without a word. */
const MAX_NESTING = 100;

/** CommonMark 0.31 §4.4. */
const CODE_INDENT = 4;

/** What a text is written in, and how much of it is read. */
export interface MarkdownSyntax {
  dialect: MarkdownDialect;
  limits: SourceLimits;
  /** What stands for components in the text; undefined where it holds none. */
  marks?: MdxMarks | undefined;
}

/** What the rules of the parser know of the text that they read; a new one for each parsing, since it counts. */
type MarkdownEnvironment = MarkdownSyntax & { nodes: number };

/** Tokens of a text, in the order in which they are rendered; `visitTokens` places them. Throws UnreadableText for what is over a limit. */
export function parseMarkdown(markdown: string, { dialect, limits, marks }: MarkdownSyntax): Token[] {
  return parser.parse(markdown, { dialect, limits, marks, nodes: 0 } satisfies MarkdownEnvironment);
}

/** As `parseMarkdown`, but links to `javascript:` and the like are links, not text. Never to be rendered. */
export function parseWithEveryLink(markdown: string, { dialect, limits, marks }: MarkdownSyntax): Token[] {
  return trustingParser.parse(markdown, { dialect, limits, marks, nodes: 0 } satisfies MarkdownEnvironment);
}

/** The HTML of a short text: without a paragraph around it, unless it holds blocks, such as lists or fenced code. */
export function renderFragment(markdown: string, { dialect, limits }: MarkdownSyntax): string {
  const environment = { dialect, limits, nodes: 0 } satisfies MarkdownEnvironment;
  const text = markdown.trim();
  return HOLDS_BLOCKS.test(text) ? parser.render(text, environment) : parser.renderInline(text, environment);
}

const HOLDS_BLOCKS = /^(?:```|~~~)|\n[ \t]*(?:\r?\n|```|~~~|[-*+][ \t]|\d{1,9}[.)][ \t])/;

/** The HTML of tokens. */
export function renderTokens(tokens: Token[]): string {
  return parser.renderer.render(tokens, parser.options, {});
}

/** False for an address of which the parser makes no link. */
export function isRenderedLink(url: string): boolean {
  return parser.validateLink(url);
}

function createParser(): MarkdownIt {
  const created = createMarkdownIt({ html: true, maxNesting: MAX_NESTING });
  created.inline.State = PlacedInlineState;
  created.block.State = CountingBlockState;
  const tokenize = created.block.tokenize.bind(created.block);
  created.block.tokenize = (state, startLine, endLine) => {
    if (state.level >= MAX_NESTING) {
      throw new UnreadableText(`lists and quotations are nested too deeply: ${MAX_NESTING} levels can be read`);
    }
    tokenize(state, startLine, endLine);
  };
  created.core.ruler.before("inline", "heading_anchors", readHeadingAnchors);
  created.core.ruler.before("inline", "alerts", readAlerts);
  letDialectDisableCode(created);
  readMarks(
    created,
    (state) => environmentOf(state).marks,
    (state, line) =>
      environmentOf(state).dialect.hasIndentedCode && (state.sCount[line] ?? 0) - state.blkIndent >= CODE_INDENT,
  );
  return created;
}

// The parser does not hand out a rule by its name: this one is what is gone when it is disabled.
function letDialectDisableCode({ block: { ruler } }: MarkdownIt): void {
  const rules = ruler.getRules("");
  ruler.disable("code");
  const others = new Set(ruler.getRules(""));
  ruler.enable("code");
  const readCode = rules.find((rule) => !others.has(rule));
  if (readCode === undefined) throw new Error("the Markdown parser has no rule for indented code");
  ruler.at("code", (state, ...lines) => environmentOf(state).dialect.hasIndentedCode && readCode(state, ...lines));
}

function environmentOf({ env }: { env: unknown }): MarkdownEnvironment {
  return env as MarkdownEnvironment;
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
    countNode(environmentOf(this));
    return super.push(...args);
  }
}

// The parser keeps no places within a paragraph; rules replace a token's meta, so that cannot hold them.
const lineOffsets = new WeakMap<Token, number>();

class PlacedInlineState extends createMarkdownIt.StateInline {
  #lineBreaks = 0;
  #nextLineBreak = this.src.indexOf("\n");

  override push(...args: Parameters<MarkdownIt["inline"]["State"]["prototype"]["push"]>): Token {
    countNode(environmentOf(this));
    const token = super.push(...args);
    while (this.#nextLineBreak !== -1 && this.#nextLineBreak < this.pos) {
      this.#lineBreaks++;
      this.#nextLineBreak = this.src.indexOf("\n", this.#nextLineBreak + 1);
    }
    if (this.#lineBreaks > 0) lineOffsets.set(token, this.#lineBreaks);
    return token;
  }
}

function readHeadingAnchors(state: StateCore): void {
  if (!environmentOf(state).dialect.hasHeadingAnchors) return;
  for (const [index, token] of state.tokens.entries()) {
    const content = state.tokens[index + 1];
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

/** The one parser: its rules ask the environment for the dialect. */
const parser = createParser();
/** The same, but every address makes a link. */
const trustingParser = Object.assign(Object.create(parser) as MarkdownIt, { validateLink: () => true });
