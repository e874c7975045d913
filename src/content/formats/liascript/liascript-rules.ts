// Adds LiaScript's syntax to Markdown: quizzes, gaps, media, animations, and narration.
import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from "markdown-it";
import { escapeHtml } from "../../html/escape.ts";
import { environmentOf } from "../../markdown/markdown-environment.ts";
import { takeRule } from "../../markdown/parser-states.ts";
import { withoutEmptyParagraphs } from "../../markdown/tokens.ts";
import { hasGap, readGap, readQuizBlock, readRest, STARS, type QuizBlock } from "./liascript-quiz.ts";
import { LiaScriptReading } from "./liascript-reading.ts";

const NARRATION = /^\s*--\{\{[^{}]*\}\}--/;
const ANIMATION = /^\s*(?:\{\{[^{}]*\}\}|!?>?\{\{[^{}]*\}\})\s*$/;
const FENCE = /^\s*(?:```|~~~)/;
/** Matches a choice outside a quiz, for example in a quotation, to hide whether the choice is right. */
const STRAY_CHOICE = /\[\([ \t]{0,9}[Xx]?[ \t]{0,9}\)\]/y;
// In animations, {{1}} precedes a text, and {1}{a text} encloses one.
const ANIMATED = /\{\{[ \t]*(?:\|>|\d[\d\s,-]*(?![\d\s,-]))[^{}\n]*\}\}[ \t]*/y;
const ANIMATED_PART = /\{[ \t]*(?:\|>|\d)[^{}\n]*\}\{([^{}\n]*)\}/y;
// Media: !?[a film](url), ?[a sound](url), ??[a page](url).
const MEDIA = /\[([^[\]]{0,1000})\]\(([^()\s]{1,2000})(?:[ \t]+"[^"\n]{0,1000}")?[ \t]*\)/y;

/** Matches HTML in which LiaScript's syntax has no meaning, including questions that are already rendered. */
const VERBATIM = /^\s*<(?:(?:script|pre|style|textarea)[\s>]|[!?]|p><span data-question)/i;

/** Adds LiaScript's rules to a parser. The reading collects findings; without a reading, rules only hide content. */
export function addLiaScriptRules({ block, core, inline }: MarkdownIt): void {
  // Precedes the rule for indented code, since LiaScript allows any indentation.
  block.ruler.before("table", "liascript", readLines, { alt: ["paragraph", "reference", "blockquote", "list"] });
  inline.ruler.before("link", "liascript_gap", readGapHere);
  inline.ruler.before("link", "liascript_media", readMedia);
  inline.ruler.before("link", "liascript_animation", readAnimation);
  core.ruler.after("inline", "liascript_html", (state) => {
    state.tokens.forEach((token) => readHtml(token, state));
    state.tokens = withoutEmptyParagraphs(state.tokens);
  });
  const readHtmlBlock = takeRule(block.ruler, "html_block");
  const readUpToQuiz: typeof readHtmlBlock = (state, startLine, endLine, isSilent) => {
    if (isSilent) return readHtmlBlock(state, startLine, endLine, true);
    // Reads only the first line at first: finding the end takes time, and the text may not be HTML.
    if (!readHtmlBlock(state, startLine, startLine + 1, false)) return false;
    state.tokens.pop();
    return readHtmlBlock(state, startLine, findHtmlEnd(state, startLine, endLine), false);
  };
  block.ruler.at("html_block", readUpToQuiz, { alt: ["paragraph", "reference", "blockquote"] });
  const readCode = takeRule(inline.ruler, "backticks");
  inline.ruler.at("backticks", (state, isSilent) => {
    const { pos, tokens } = state;
    if (!readCode(state, isSilent)) return false;
    const last = isSilent ? undefined : tokens.at(-1);
    if (last?.type === "code_inline") last.meta = { start: pos, end: state.pos };
    return true;
  });
}

function readingOf(state: { env: unknown }): LiaScriptReading | undefined {
  const { reading } = environmentOf(state);
  return reading instanceof LiaScriptReading ? reading : undefined;
}

// Returns a line without the markers of the quotations around it.
function lineAt({ src, bMarks, eMarks }: StateBlock, line: number): string {
  return src.slice(bMarks[line] ?? src.length, eMarks[line]);
}

function readLines(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  const text = lineAt(state, startLine);
  const reading = readingOf(state);
  const end = findUnseenEnd(state, text, startLine, endLine);
  if (end !== undefined) {
    if (isSilent) return true;
    state.line = end;
    if (reading === undefined) return true;
    if (STARS.test(text)) reading.openStars--;
    // An animation can show several paragraphs between lines of stars.
    else if (ANIMATION.test(text) && end > startLine + 1) reading.openStars++;
    for (let line = startLine; line < end; line++) if (NARRATION.test(lineAt(state, line))) reading.count("narration");
    return true;
  }
  const lines = (line: number): string | undefined => (line < endLine ? lineAt(state, line) : undefined);
  if (!isSilent && /^\s*(?:\[\[\?|\*\*\*)/.test(text) && followsGap(state.tokens)) {
    const rest = readRest(lines, startLine);
    if (rest.end > startLine) {
      pushHtml(state, startLine, rest.end, reading?.renderRest(rest) ?? "");
      return true;
    }
  }
  if (!/^\s*(?:[-*+][ \t]+)?\[/.test(text)) return false;
  const quiz = readQuizBlock(lines, startLine);
  if (quiz === undefined) return false;
  if (!isSilent) pushQuiz(state, startLine, quiz);
  return true;
}

// A quiz can directly follow a tag; the HTML continues below the quiz.
function findHtmlEnd(state: StateBlock, startLine: number, endLine: number): number {
  const first = lineAt(state, startLine);
  if (!/^[ \t>]*</.test(first) || VERBATIM.test(first)) return endLine;
  const isInBlock = (line: number): boolean => (state.sCount[line] ?? 0) >= state.blkIndent;
  let line = startLine + 1;
  while (line < endLine && !state.isEmpty(line) && isInBlock(line) && !readLines(state, line, endLine, true)) line++;
  return state.isEmpty(line) ? endLine : line;
}

// HTML blocks can contain gaps, media and animations between tags.
function readHtml(token: Token, { md, env }: StateCore): void {
  const { type, content } = token;
  if (type !== "html_block" || VERBATIM.test(content) || !/[[{]/.test(content)) return;
  const read: Token[] = [];
  const state = new md.inline.State(content, md, env, read);
  const lastEnd = content.lastIndexOf(">");
  while (state.pos < state.posMax) {
    if ([readGapHere, readMedia, readAnimation].some((rule) => rule(state, false))) continue;
    const { pos } = state;
    state.pos = content[pos] === "<" && pos < lastEnd ? content.indexOf(">", pos) + 1 : pos + 1;
    state.pending += content.slice(pos, state.pos);
  }
  if (state.pending !== "") state.pushPending();
  for (const each of read) if (each.type === "text") each.type = "html_inline";
  token.content = md.renderer.renderInline(read, md.options, env);
}

/** Returns the line after a hidden part: a narrator's comment or animation markers. */
function findUnseenEnd(state: StateBlock, text: string, startLine: number, endLine: number): number | undefined {
  let end = startLine + 1;
  if (NARRATION.test(text)) {
    while (end < endLine && !state.isEmpty(end) && !FENCE.test(lineAt(state, end))) end++;
    return end;
  }
  if (ANIMATION.test(text)) return end < endLine && STARS.test(lineAt(state, end)) ? end + 1 : end;
  return STARS.test(text) && (readingOf(state)?.openStars ?? 0) > 0 ? end : undefined;
}

function pushQuiz(state: StateBlock, startLine: number, quiz: QuizBlock): void {
  const shown = readingOf(state)?.addBlock(quiz, findAbove(state.tokens)) ?? "…";
  pushHtml(state, startLine, quiz.end, `<p>${shown}</p>\n`);
}

function pushHtml(state: StateBlock, startLine: number, end: number, html: string): void {
  state.line = end;
  const token = state.push("html_block", "", 0);
  token.map = [startLine, end];
  token.content = html;
}

/** Returns true if the block above, apart from comments, contains a gap or is a quiz. */
function followsGap(tokens: readonly Token[]): boolean {
  const above = tokens.findLast(({ type, content }) => type !== "html_block" || !/^\s*<!--/.test(content));
  if (above?.type === "html_block") return above.content.startsWith("<p><span data-question");
  if (above?.nesting !== -1) return false;
  const from = tokens.findLastIndex(({ nesting, level }) => nesting === 1 && level === above.level);
  return tokens.slice(from).some(({ type, content }) => type === "inline" && hasGap(content));
}

/** Returns a quiz's question: the paragraph directly above the quiz. */
function findAbove(tokens: readonly Token[]): string {
  const [text, end] = tokens.slice(-2);
  return end?.type === "paragraph_close" ? (text?.content ?? "") : "";
}

function readGapHere(state: StateInline, isSilent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (src[pos] !== "[") return false;
  STRAY_CHOICE.lastIndex = pos;
  if (STRAY_CHOICE.test(src)) {
    if (!isSilent) state.pending += "○";
    state.pos = STRAY_CHOICE.lastIndex;
    return true;
  }
  const gap = readGap(src, pos);
  // [[a]](b) and [[a]: b] are links.
  if (gap === undefined || gap.end > posMax || /[(:[]/.test(src.charAt(gap.end))) return false;
  if (!isSilent) {
    const html = readingOf(state)?.addGap(gap, src, pos);
    if (html === undefined) state.pending += "…";
    else state.push("html_inline", "", 0).content = html;
  }
  state.pos = gap.end;
  return true;
}

function readAnimation(state: StateInline, isSilent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (src[pos] !== "{") return false;
  ANIMATED.lastIndex = ANIMATED_PART.lastIndex = pos;
  if (ANIMATED.test(src)) {
    state.pos = ANIMATED.lastIndex;
    return true;
  }
  const part = ANIMATED_PART.exec(src)?.[1];
  const end = ANIMATED_PART.lastIndex;
  if (part === undefined || end > posMax) return false;
  if (!isSilent) {
    state.posMax = end - 1;
    state.pos = state.posMax - part.length;
    state.md.inline.tokenize(state);
    state.posMax = posMax;
  }
  state.pos = end;
  return true;
}

function readMedia(state: StateInline, isSilent: boolean): boolean {
  const { src, pos, posMax, pending } = state;
  const isFilm = src.startsWith("!?[", pos);
  const sign = isFilm ? "!?" : src[pos] === "[" ? findQuestionMarks(state) : "";
  if (sign === "") return false;
  MEDIA.lastIndex = isFilm ? pos + 2 : pos;
  const [whole, title = "", url = ""] = MEDIA.exec(src) ?? [];
  const end = MEDIA.lastIndex;
  if (whole === undefined || end > posMax) return false;
  if (!isSilent) {
    if (!isFilm) state.pending = pending.slice(0, -sign.length);
    pushMedia(state, sign, title, url);
  }
  state.pos = end;
  return true;
}

/** Returns the unescaped question marks before a bracket: the parser does not stop at question marks. */
function findQuestionMarks({ src, pos, pending }: StateInline): string {
  // Checks the source first, since reading `pending` takes time proportional to its length.
  if (src[pos - 1] !== "?" || pending.length === 0) return "";
  return src[pos - 2] === "?" && pending.length > 1 ? "??" : "?";
}

function pushMedia(state: StateInline, sign: string, title: string, url: string): void {
  const reading = readingOf(state);
  const attributes = `controls src="${escapeHtml(url)}" title="${escapeHtml(title)}"`;
  if (sign === "?") state.push("html_inline", "", 0).content = `<audio ${attributes}></audio>`;
  else if (sign === "!?" && reading !== undefined && reading.videoUrl === undefined) reading.videoUrl = url;
  else if (sign === "!?" && /\.(?:mp4|webm|ogv|mov)(?:[?#]|$)/i.test(url))
    state.push("html_inline", "", 0).content = `<video ${attributes}></video>`;
  else {
    const link: Token[] = [];
    state.md.inline.parse(`[${title === "" ? url : title}](${url})`, state.md, state.env, link);
    const { map } = state.push("text", "", 0);
    for (const token of link) token.map = map;
    state.tokens.push(...link);
  }
}
