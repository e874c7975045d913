// Expands or drops template tags outside code in the pages of unknown builders.
import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from "markdown-it";
import { createLineCounter } from "../../html/source-lines.ts";
import { keepWithText, environmentOf, isIndentedCode, startOfLine } from "../../markdown/markdown-environment.ts";
import { withoutEmptyParagraphs } from "../../markdown/tokens.ts";
import {
  DroppedTags,
  endOf,
  languageOf,
  readEscaped,
  readTag,
  showAddress,
  showEscaped,
  showTag,
  type TemplateTag,
} from "./template-tags.ts";

export function addTemplateRules({ block, core, helpers, inline }: MarkdownIt): void {
  block.ruler.before("table", "template_lines", readTagLines, {
    alt: ["paragraph", "reference", "blockquote", "list"],
  });
  inline.ruler.before("link", "template_tag", readTagHere);
  core.ruler.at("inline", parseInline);
  core.ruler.after("inline", "template_tags", dropTags);
  const { parseLinkDestination } = helpers;
  helpers.parseLinkDestination = (text, start, max) => {
    const tag = readTag(text, start);
    const str = tag === undefined || tag.end > max ? undefined : showAddress(tag);
    return str === undefined ? parseLinkDestination(text, start, max) : { ok: true, pos: tag?.end ?? start, str };
  };
}

/** State of the rules between blocks. */
interface TemplateState {
  /** The lines between `{% raw %}` and its end. */
  rawLines: Set<number>;
  /** True while tags are text. */
  isRaw: boolean;
  /** True within a comment that spans paragraphs. */
  isComment: boolean;
  /** The next closing tag by its pattern, for all opening tags between `from` and `start`. */
  ends: Map<RegExp, { from: number; start: number; end: number }>;
}

function templateOf({ env }: { env: unknown }): TemplateState {
  const environment = env as { template?: TemplateState };
  return (environment.template ??= { rawLines: new Set(), isRaw: false, isComment: false, ends: new Map() });
}

interface TagMeta {
  /** The dropped tag. */
  tag?: TemplateTag;
}

const tagOf = ({ meta }: Token): TemplateTag | undefined => (meta as TagMeta | null)?.tag;

/** Returns the position of a tag's closing tag; undefined if there is none. */
function findEnd(text: string, { end: from, ...tag }: TemplateTag, { ends }: TemplateState) {
  const ending = endOf(tag);
  if (ending === undefined) return undefined;
  let known = ends.get(ending);
  if (known === undefined || from < known.from || from > known.start) {
    ending.lastIndex = from;
    const start = ending.exec(text)?.index ?? Infinity;
    known = { from, start, end: ending.lastIndex };
    ends.set(ending, known);
  }
  return known.start === Infinity ? undefined : known;
}

// A line that contains only dropped tags counts as blank.
function readTagLines(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  const { src } = state;
  if (isIndentedCode(state, startLine) || templateOf(state).rawLines.has(startLine)) return false;
  const next = startLine + 1;
  const nextStart = startOfLine(state, next);
  if (next < endLine && src[nextStart] === "{" && readTag(src, nextStart) !== undefined) keepWithText(state, next);
  const start = startOfLine(state, startLine);
  const first = src[start] === "{" ? readTag(src, start) : undefined;
  if (first === undefined) return false;
  if (endOf(first) !== undefined) return readPair(state, first, startLine, endLine, isSilent);
  const { tags, end } = readTagsOf(src, first);
  let line = startLine;
  while (line + 1 < endLine && (state.eMarks[line] ?? 0) < first.end) line++;
  const isLong = line > startLine;
  while (line + 1 < endLine && (state.eMarks[line] ?? 0) < end) line++;
  if (tags === undefined || end !== state.eMarks[line]) {
    // Lines of a long tag can look like quotations or lists, but form a paragraph.
    if (!isLong || isSilent) return isLong;
    state.line = line + 1;
    pushParagraph(state, src.slice(start, state.eMarks[line]), startLine);
    return true;
  }
  if (isSilent) return true;
  state.line = line + 1;
  for (const tag of tags) {
    const token = state.push("html_block", "", 0);
    token.map = [startLine, state.line];
    token.meta = { tag } satisfies TagMeta;
  }
  return true;
}

/** Reads consecutive tags and the offset after them; `tags` is undefined if any tag is visible. */
function readTagsOf(text: string, first: TemplateTag): { tags: TemplateTag[] | undefined; end: number } {
  const tags: TemplateTag[] = [];
  let { end } = first;
  for (let tag: TemplateTag | undefined = first; tag !== undefined; tag = readTag(text, end)) {
    if (endOf(tag) !== undefined || showTag(tag) !== undefined) return { tags: undefined, end };
    tags.push(tag);
    end = tag.end;
    while (text[end] === " " || text[end] === "\t") end++;
  }
  return { tags, end };
}

// Reads {% raw %}, {% comment %} and {% highlight ruby %} if the opening and closing tags end their lines.
function readPair(state: StateBlock, tag: TemplateTag, startLine: number, endLine: number, isSilent: boolean): boolean {
  const template = templateOf(state);
  const found = findEnd(state.src, tag, template);
  const isAlone = (at: number): boolean => /[ \t]*(?:\n|$)/y.test(state.src.slice(at, at + 100));
  // Text after the opening tag of a comment is part of the comment.
  if (tag.liquid !== "comment" && !isAlone(tag.end)) return false;
  if (found === undefined ? tag.liquid === "raw" : !isAlone(found.end)) return false;
  if (isSilent) return true;
  let line = startLine;
  while (line < endLine && (state.eMarks[line] ?? 0) < (found?.end ?? Infinity)) line++;
  state.line = Math.min(line + 1, endLine);
  if (tag.liquid === "raw") {
    // The line of the closing tag is read later, like other lines of dropped tags.
    state.line = startLine + 1;
    for (let each = state.line; each < line; each++) template.rawLines.add(each);
  } else if (tag.liquid !== "comment") {
    const token = state.push("fence", "code", 0);
    token.content = state.getLines(startLine + 1, line, state.blkIndent, true);
    token.info = languageOf(tag);
    token.markup = "```";
    token.map = [startLine, state.line];
  }
  return true;
}

function pushParagraph(state: StateBlock, content: string, line: number): void {
  state.push("paragraph_open", "p", 1).map = [line, state.line];
  const inline = state.push("inline", "", 0);
  Object.assign(inline, { content, children: [], map: [line, state.line] });
  state.push("paragraph_close", "p", -1);
}

function parseInline(state: StateCore): void {
  const template = templateOf(state);
  for (const token of state.tokens) {
    if (template.isComment) skipComment(token, template);
    if (token.type !== "inline" || token.children === null) continue;
    template.isRaw = template.rawLines.has(token.map?.[0] ?? -1);
    template.ends.clear();
    state.md.inline.parse(token.content, state.md, state.env, token.children);
  }
}

const COMMENT_END = /^[^]*?\{%-?[ \t]*endcomment[ \t]*-?%\}/;

function skipComment(token: Token, template: TemplateState): void {
  const end = token.type === "inline" ? COMMENT_END.exec(token.content)?.[0].length : undefined;
  template.isComment = end === undefined && tagOf(token)?.liquid !== "endcomment";
  if (token.content === "") return;
  token.content = token.content.slice(end ?? token.content.length).trim();
  if (token.type === "fence" || token.type === "code_block") token.type = "html_block";
}

function readTagHere(state: StateInline, isSilent: boolean): boolean {
  const { src, pos, posMax } = state;
  const template = templateOf(state);
  if (src[pos] !== "{") return false;
  const escaped = readEscaped(src, pos);
  if (escaped !== undefined) {
    if (!isSilent) state.pending += escaped.shown;
    state.pos = escaped.end;
    return true;
  }
  const tag = template.isRaw ? undefined : readTag(src, pos);
  if (tag === undefined || tag.end > posMax) return false;
  const end = findEnd(src, tag, template);
  const { liquid } = tag;
  state.pos = end?.end ?? (liquid === "comment" ? posMax : tag.end);
  if (isSilent) return true;
  if (liquid === "comment") {
    template.isComment = end === undefined;
    skipBlanks(state);
  } else if (end !== undefined && liquid === "raw") {
    template.isRaw = true;
    Object.assign(state, { pos: tag.end, posMax: end.start });
    state.md.inline.tokenize(state);
    template.isRaw = false;
    Object.assign(state, { pos: end.end, posMax });
  } else if (end !== undefined) state.push("code_inline", "code", 0).content = src.slice(tag.end, end.start).trim();
  else pushShown(state, tag);
  return true;
}

/** Skips the spaces that a dropped tag leaves at the start or end of a line. */
function skipBlanks(state: StateInline): void {
  const isStart = state.pending === "" && (state.tokens.at(-1)?.type ?? "softbreak") === "softbreak";
  if (isStart) state.pos += /^ */.exec(state.src.slice(state.pos, state.posMax))?.[0].length ?? 0;
  if (state.pos >= state.posMax) state.pending = state.pending.trimEnd();
}

function pushShown(state: StateInline, tag: TemplateTag): void {
  const markdown = showTag(tag);
  if (markdown === undefined) skipBlanks(state);
  const token = state.push("html_inline", "", 0);
  if (markdown === undefined) {
    token.meta = { tag } satisfies TagMeta;
    return;
  }
  const shown: Token[] = [];
  state.md.inline.parse(markdown, state.md, state.env, shown);
  for (const each of shown) each.map = token.map;
  state.tokens.push(...shown);
}

const RAW = /\{%-?[ \t]*raw[ \t]*-?%\}((?:[^{]|\{(?!%-?[ \t]*(?:end)?raw))*)\{%-?[ \t]*endraw[ \t]*-?%\}/g;
const VERBATIM = /^\s*<(?:(?:pre|style|textarea)[\s>]|!--)/i;

/** Expands or drops tags in HTML, and unescapes tags in code. */
function dropTags(state: StateCore): void {
  const dropped = new DroppedTags();
  const read = (token: Token, line: number): boolean => {
    const tag = tagOf(token);
    if (tag !== undefined) dropped.add(tag, line);
    const { type, content } = token;
    if (/^(?:fence|code_(?:block|inline))$/.test(type) || VERBATIM.test(content)) {
      token.content = showEscaped(content.replace(RAW, "$1"));
    } else if (type === "html_block" || type === "html_inline") token.content = readHtml(content, line, dropped);
    return tag === undefined;
  };
  const shown = state.tokens.filter((token) => {
    const line = (token.map?.[0] ?? 0) + 1;
    token.children = token.children?.filter((child) => read(child, line + (child.map?.[0] ?? 0))) ?? null;
    return read(token, line);
  });
  state.tokens = withoutEmptyParagraphs(shown);
  environmentOf(state).remarks?.push(...dropped.list());
}

function readHtml(html: string, line: number, dropped: DroppedTags): string {
  if (!html.includes("{")) return html;
  const lineAt = createLineCounter(html);
  let shown = "";
  let copiedTo = 0;
  for (let at = html.indexOf("{"); at !== -1; at = html.indexOf("{", at)) {
    const tag = readTag(html, at);
    if (tag === undefined) {
      at++;
      continue;
    }
    const by = showAddress(tag) ?? showTag(tag);
    if (by === undefined) dropped.add(tag, line + lineAt(at) - 1);
    shown += html.slice(copiedTo, at) + (by ?? "");
    copiedTo = at = tag.end;
  }
  return showEscaped(shown + html.slice(copiedTo));
}
