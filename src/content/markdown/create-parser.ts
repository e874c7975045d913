// The Markdown that lessons are written in: CommonMark with tables and HTML, and what course repositories use beyond it, each
// in a file of its own.
import createMarkdownIt, { type MarkdownIt, type StateBlock, type Token } from "markdown-it";
import readEmphasisBesideCjk from "markdown-it-cjk-friendly";
import type { SourcePiece } from "../html/source-lines.ts";
import { describeTooLarge, UnreadableText } from "../limits.ts";
import type { MarkdownDialect } from "./dialects.ts";
import { addBareLinkRule } from "./rules/bare-links.ts";
import { addCellRules } from "./rules/cells.ts";
import { addChunkRule } from "./rules/chunks.ts";
import { addCalloutRule } from "./rules/callouts.ts";
import { addCodeReferenceRule } from "./rules/code-references.ts";
import { limitNesting } from "./rules/deep-nesting.ts";
import { addFenceRule } from "./fences.ts";
import { addFigureRule } from "./rules/figures.ts";
import { addFootnoteRules } from "./rules/footnotes.ts";
import { addHeadingIdRules } from "./rules/heading-ids.ts";
import { addHtmlRules } from "./rules/html-rules.ts";
import { addIndentedBlockRule } from "./rules/indented-blocks.ts";
import { countNode, environmentOf, type MarkdownEnvironment, type MarkdownSyntax } from "./markdown-environment.ts";
import { BlockState, InlineState } from "./parser-states.ts";
import { addMathRules } from "./rules/math.ts";
import { addTexEnvironments } from "./rules/tex-environments.ts";
import { addJsxDisplay } from "./rules/jsx-display.ts";
import { addJsxRules } from "./rules/jsx.ts";
import { addQuotationAttributeRule } from "./rules/quotation-attributes.ts";
import { addScriptRule } from "./rules/pandoc-scripts.ts";
import { addSmartDashRule } from "./rules/smart-dashes.ts";
import { takeRule } from "./rules/take-rule.ts";
import { addTaskRule } from "./rules/task-lists.ts";
import { addAttributeRules } from "./rules/attributes.ts";
import { addContainerRules } from "./rules/containers.ts";
import { addDefinitionListRule } from "./rules/definition-lists.ts";
import { addHiddenLineRule } from "./rules/hidden-lines.ts";

/** Tokens of a text, in the order in which they are rendered; `visitTokens` places them. Throws UnreadableText for what is over a limit. */
export function parseMarkdown(markdown: string, syntax: MarkdownSyntax): Token[] {
  return findParser(syntax.dialect).parse(markdown, toEnvironment(syntax));
}

/** As `parseMarkdown`, but links to `javascript:` and the like are links, not text. Never to be rendered. */
export function parseWithEveryLink(markdown: string, syntax: MarkdownSyntax): Token[] {
  const parser = findParser(syntax.dialect);
  const trusting = Object.assign(Object.create(parser) as MarkdownIt, { validateLink: () => true });
  return trusting.parse(markdown, toEnvironment(syntax));
}

/** The HTML of a short text: without a paragraph around it, unless it holds blocks, such as lists or fenced code. */
export function renderFragment(markdown: string, { dialect, limits, language }: MarkdownSyntax): string {
  const environment = toEnvironment({ dialect, limits, language });
  const text = markdown.trim();
  const parser = findParser(dialect);
  return HOLDS_BLOCKS.test(text) ? parser.render(text, environment) : parser.renderInline(text, environment);
}

const HOLDS_BLOCKS = /^(?:```|~~~)|\n[ \t]*(?:\r?\n|```|~~~|[-*+][ \t]|\d{1,9}[.)][ \t])/;

function toEnvironment(syntax: MarkdownSyntax) {
  return { ...syntax, nodes: 0 } satisfies MarkdownEnvironment;
}

/**
 * The HTML of tokens, and where its pieces come from. Throws UnreadableText where the tokens hold more than a lesson may: each use
 * of a reference repeats its address and title.
 */
export function renderWithLines(tokens: Token[], syntax: Pick<MarkdownSyntax, "limits">) {
  const lines = new Map<Token, number>();
  visitTokens(tokens, syntax, (token, line) => lines.set(token, line));
  const { renderer, options } = defaultParser;
  const pieces: SourcePiece[] = [];
  let html = "";
  const render = (all: Token[]): void => {
    for (const [index, token] of all.entries()) {
      const { type, children, map } = token;
      const isHtml = type === "html_block" || type === "html_inline";
      const line = lines.get(token) ?? 1;
      // Parts of a paragraph that have no lines of their own go on with those before them. The code of a fence begins below it.
      if (all === tokens || map !== null) {
        pieces.push({ offset: html.length, line: type === "fence" ? line + 1 : line, isHtml });
      }
      if (type === "inline") render(children ?? []);
      else
        html += renderer.rules[type]?.(all, index, options, {}, renderer) ?? renderer.renderToken(all, index, options);
    }
  };
  render(tokens);
  return { html, pieces };
}

/** The HTML of tokens. */
export function renderTokens(tokens: Token[]): string {
  return defaultParser.renderer.render(tokens, defaultParser.options, {});
}

/** How many addresses the parser has made no links of so far. */
export function countRefusedLinks(): number {
  return refusedLinks;
}

/** False for an address of which the parser makes no link. */
export function isRenderedLink(url: string): boolean {
  return defaultParser.validateLink(url);
}

function createParser(): MarkdownIt {
  const created = createMarkdownIt({ html: true });
  const validateLink = created.validateLink.bind(created);
  created.validateLink = (url) => {
    const isValid = validateLink(url);
    if (!isValid) refusedLinks++;
    return isValid;
  };
  created.inline.State = InlineState;
  created.block.State = BlockState;
  limitNesting(created);
  // By CommonMark's rule `**…。**という` is no emphasis: such text has no blanks.
  created.use(readEmphasisBesideCjk);
  addContainerRules(created);
  addQuotationAttributeRule(created);
  addAttributeRules(created);
  addScriptRule(created);
  addHiddenLineRule(created);
  addChunkRule(created);
  letDialectDisableCode(created);
  addJsxRules(created);
  addIndentedBlockRule(created);
  countLinesAfterQuotations(created);
  addMathRules(created);
  addTexEnvironments(created);
  addHtmlRules(created);
  addCellRules(created);
  addHeadingIdRules(created);
  addCalloutRule(created);
  addFenceRule(created);
  addCodeReferenceRule(created);
  addFootnoteRules(created);
  addTaskRule(created);
  addBareLinkRule(created);
  addSmartDashRule(created);
  addFigureRule(created);
  addDefinitionListRule(created);
  addJsxDisplay(created);
  loadImagesLazily(created);
  return created;
}

function loadImagesLazily({ renderer: { rules } }: MarkdownIt): void {
  const { image } = rules;
  rules.image = (tokens, index, ...more) => {
    tokens[index]?.attrSet("loading", "lazy");
    return image?.(tokens, index, ...more) ?? "";
  };
}

// A quotation goes on with lines without `>` where it ends in a paragraph. The parser looks at all of them before it knows that, and
// at the next quotation once more.
function countLinesAfterQuotations({ block: { ruler } }: MarkdownIt): void {
  const count = (state: StateBlock, _start: number, _end: number, isSilent: boolean): boolean => {
    if (isSilent) countNode(environmentOf(state));
    return false;
  };
  ruler.before("table", "lines_after_quotations", count, { alt: ["blockquote"] });
}

function letDialectDisableCode({ block: { ruler } }: MarkdownIt): void {
  const readCode = takeRule(ruler, "code");
  ruler.at("code", (state, ...lines) => environmentOf(state).dialect.hasIndentedCode && readCode(state, ...lines));
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
    for (const child of token.children ?? []) visitCounted(child, line + (child.map?.[0] ?? 0));
  }
}

let refusedLinks = 0;
/** Its rules ask the environment for the dialect. */
const defaultParser = createParser();
const parsers = new Map([[undefined as MarkdownDialect["addRules"], defaultParser]]);

function findParser({ addRules }: MarkdownDialect): MarkdownIt {
  let parser = parsers.get(addRules);
  if (parser === undefined) {
    parser = createParser();
    addRules?.(parser);
    parsers.set(addRules, parser);
  }
  return parser;
}
