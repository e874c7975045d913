// Lesson Markdown: CommonMark with tables and HTML, plus extensions that course repositories use. Each extension has a
// file of its own.
import createMarkdownIt, { type MarkdownIt, type StateBlock, type Token } from "markdown-it";
import readEmphasisBesideCjk from "markdown-it-cjk-friendly";
import type { SourcePiece } from "../html/source-lines.ts";
import {
  describeTooLarge,
  describeTooManyLines,
  hasTooManyLines,
  UnreadableText,
  type SourceLimits,
} from "../limits.ts";
import type { AddRules, MarkdownDialect } from "./dialects.ts";
import { addBareLinkRule } from "./rules/bare-links.ts";
import { addCalloutRule } from "./rules/callouts.ts";
import { limitNesting } from "./rules/deep-nesting.ts";
import { addFenceRule } from "./fences.ts";
import { addFootnoteRules } from "./rules/footnotes.ts";
import { addHeadingIdRules } from "./rules/heading-ids.ts";
import { addHtmlRules } from "./rules/html-rules.ts";
import {
  CODE_INDENT,
  countNode,
  environmentOf,
  readLine,
  type MarkdownEnvironment,
  type MarkdownSyntax,
} from "./markdown-environment.ts";
import { BlockState, InlineState, takeRule } from "./parser-states.ts";
import { addMathRules } from "./rules/math.ts";
import { addTexEnvironments } from "./rules/tex-environments.ts";
import { addTaskRule } from "./rules/task-lists.ts";

/** Returns tokens in rendering order; `visitTokens` gives their lines. Throws UnreadableText beyond a limit. */
export function parseMarkdown(markdown: string, syntax: MarkdownSyntax): Token[] {
  return findParser(syntax.dialect).parse(markdown, toEnvironment(syntax));
}

/** Like `parseMarkdown`, but keeps links to `javascript:` and similar URLs. Never render the result. */
export function parseWithEveryLink(markdown: string, syntax: MarkdownSyntax): Token[] {
  const parser = findParser(syntax.dialect);
  const trusting = Object.assign(Object.create(parser) as MarkdownIt, { validateLink: () => true });
  return trusting.parse(markdown, toEnvironment(syntax));
}

/** Returns the HTML of a short text, without a paragraph around inline content. */
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

/** Returns the HTML of tokens and its line map. Throws UnreadableText beyond the lesson limit. */
export function renderWithLines(tokens: Token[], syntax: Pick<MarkdownSyntax, "limits">) {
  const count = createAddressCount(syntax.limits);
  const { renderer, options } = defaultParser;
  const pieces: SourcePiece[] = [];
  let html = "";
  const render = (all: Token[], firstLine: number, isInline: boolean): void => {
    let blockLine = firstLine;
    for (let index = 0; index < all.length; index++) {
      const token = all[index] as Token;
      count(token);
      const { type, children, map } = token;
      if (!isInline && map !== null) blockLine = map[0] + 1;
      // Inline tokens without a line map continue the previous piece. A fence's code begins one line below the fence.
      if (!isInline || map !== null) {
        const line = isInline ? firstLine + (map?.[0] ?? 0) : blockLine + (type === "fence" ? 1 : 0);
        pieces.push({ offset: html.length, line, isHtml: type === "html_block" || type === "html_inline" });
      }
      if (type === "inline") render(children ?? [], blockLine, true);
      else
        html += renderer.rules[type]?.(all, index, options, {}, renderer) ?? renderer.renderToken(all, index, options);
    }
  };
  render(tokens, 1, false);
  return { html, pieces };
}

export function renderTokens(tokens: Token[]): string {
  return defaultParser.renderer.render(tokens, defaultParser.options, {});
}

/** Returns how many URLs parsers have refused as links so far. */
export function countRefusedLinks(): number {
  return refusedLinks;
}

/** Returns false for a URL that the parser refuses as a link. */
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
  limitLines(created);
  limitNesting(created);
  // CommonMark does not parse `**…。**という` as emphasis, since the text contains no spaces.
  created.use(readEmphasisBesideCjk);
  letDialectDisableCode(created);
  addIndentedBlockRule(created);
  countLinesAfterQuotations(created);
  addMathRules(created);
  addTexEnvironments(created);
  addHtmlRules(created);
  addHeadingIdRules(created);
  addCalloutRule(created);
  addFenceRule(created);
  addFootnoteRules(created);
  addTaskRule(created);
  addBareLinkRule(created);
  loadImagesLazily(created);
  return created;
}

// The parser keeps five numbers per line, also of lines that give no node.
function limitLines({ core: { ruler } }: MarkdownIt): void {
  ruler.before("block", "limit_lines", (state) => {
    const { limits } = environmentOf(state);
    if (hasTooManyLines(state.src, limits)) throw new UnreadableText(describeTooManyLines(limits, "the Markdown"));
  });
}

function loadImagesLazily({ renderer: { rules } }: MarkdownIt): void {
  const { image } = rules;
  rules.image = (tokens, index, ...more) => {
    tokens[index]?.attrSet("loading", "lazy");
    return image?.(tokens, index, ...more) ?? "";
  };
}

// Counts lazy continuation lines toward the limit, since the parser scans them again for each quotation.
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

// If a dialect has no indented code, its lists, fences, quotations and headings can have any indentation. The parser
// itself overlooks such indented blocks below text.
function addIndentedBlockRule({ block: { ruler } }: MarkdownIt): void {
  ruler.before("table", "indented_block", (state, startLine, endLine, isSilent) => {
    const indent = state.sCount[startLine] ?? 0;
    if (isSilent || indent - state.blkIndent < CODE_INDENT || environmentOf(state).dialect.hasIndentedCode)
      return false;
    const { blkIndent } = state;
    state.blkIndent = indent;
    const isRead = ruler.getRules("").some((read) => read(state, startLine, endLine, false));
    state.blkIndent = blkIndent;
    return isRead;
  });
  for (const name of ["lheading", "paragraph"]) {
    const read = takeRule(ruler, name);
    ruler.at(name, (state, startLine, endLine, isSilent) => {
      const { hasIndentedCode } = environmentOf(state).dialect;
      const end = hasIndentedCode ? endLine : findIndentedBlock(state as BlockState, startLine + 1, endLine);
      return read(state, startLine, end, isSilent);
    });
  }
}

const MARK = /^(?:(?:[-*+]|1[.)])[ \t]+\S|#{1,6}[ \t]|```|~~~)/;

/**
 * Returns the line of the next mark if that line is indented like code, else `end`. Caches the mark, so that parsing
 * takes linear time.
 */
function findIndentedBlock(state: BlockState, from: number, end: number): number {
  const { nextMark, sCount, blkIndent } = state;
  const isMark = (line: number): boolean => MARK.test(readLine(state, line));
  // The line remembered for an inner block can be that block's end instead of a mark.
  const isKnown = nextMark.line >= end || isMark(nextMark.line);
  if (from < nextMark.from || from > nextMark.line || !isKnown) {
    let line = from;
    while (line < end && !isMark(line)) line++;
    state.nextMark = { from, line };
  }
  const { line } = state.nextMark;
  return line < end && (sCount[line] ?? 0) - blkIndent >= CODE_INDENT ? line : end;
}

/** Calls `visit` for every token in order, with its line from 1. Throws UnreadableText beyond the lesson limit. */
export function visitTokens(
  tokens: Token[],
  { limits }: Pick<MarkdownSyntax, "limits">,
  visit: (token: Token, line: number) => void,
): void {
  const count = createAddressCount(limits);
  const visitCounted = (token: Token, line: number): void => {
    count(token);
    visit(token, line);
  };
  // Table cells have no lines of their own; they use the line of their row.
  let line = 1;
  for (const token of tokens) {
    if (token.map !== null) line = token.map[0] + 1;
    visitCounted(token, line);
    for (const child of token.children ?? []) visitCounted(child, line + (child.map?.[0] ?? 0));
  }
}

/** Returns a function that throws UnreadableText once URLs and titles, which references repeat, exceed the limit. */
function createAddressCount({ maxLessonBytes }: SourceLimits): (token: Token) => void {
  let size = 0;
  return ({ attrs }) => {
    if (attrs === null) return;
    for (const [, value] of attrs) size += String(value).length;
    if (size <= maxLessonBytes) return;
    const what = "a lesson's link URLs and titles";
    throw new UnreadableText(describeTooLarge(size, maxLessonBytes, what, "max-lesson-size"));
  };
}

let refusedLinks = 0;
/** The default parser, whose rules read the dialect from the environment. */
const defaultParser = createParser();
/** One parser for each list of rules. */
const parsers: { rules: readonly AddRules[]; parser: MarkdownIt }[] = [{ rules: [], parser: defaultParser }];

function findParser({ rules = [] }: MarkdownDialect): MarkdownIt {
  const isSame = (each: { rules: readonly AddRules[] }): boolean =>
    each.rules === rules || (each.rules.length === rules.length && each.rules.every((add, at) => add === rules[at]));
  const known = parsers.find(isSame);
  if (known !== undefined) return known.parser;
  const parser = createParser();
  for (const addRules of rules) addRules(parser);
  parsers.push({ rules, parser });
  return parser;
}
