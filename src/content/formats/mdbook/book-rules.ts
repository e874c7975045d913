// Emulates mdBook's common preprocessors and drops the directives of other preprocessors.
import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from "markdown-it";
import { keepWithText, environmentOf, isIndentedCode, readLine } from "../../markdown/markdown-environment.ts";
import { cutText } from "../../quote.ts";
import { ESCAPED } from "./book-includes.ts";

// Matches `{{#name}}`, `{{/name}}` and `{{%name}}`; other braces, such as `{{ 1 }}`, are text.
const DIRECTIVE = String.raw`(?<!${ESCAPED})\{\{\s*[#/%][ \t]*[A-Za-z_][^{}\n]*\}\}`;
const DIRECTIVE_HERE = new RegExp(DIRECTIVE, "y");
const DIRECTIVES = new RegExp(DIRECTIVE, "g");
const DIRECTIVE_LINE = new RegExp(String.raw`^[ \t]*(?:${DIRECTIVE}[ \t]*)+$`);
const LISTING = /<Listing\b((?:[^<>"]|"[^"]*"){0,4000})>|<\/Listing>/g;
const LISTING_LINE = /^<\/?Listing\b/;

export function addBookRules({ block, core, inline }: MarkdownIt): void {
  const alt = ["paragraph", "reference", "blockquote", "list"];
  block.ruler.before("table", "book_directives", readDirectiveLine, { alt });
  block.ruler.before("html_block", "book_listing", readListingLine, { alt });
  inline.ruler.before("autolink", "book_directive", readDirective);
  core.ruler.after("block", "book_admonitions", showAdmonitions);
  core.ruler.after("inline", "book_html", readHtml);
  core.ruler.push("book_escapes", ({ tokens }) => tokens.forEach(unescape));
}

interface BookMeta {
  /** The dropped directive. */
  directive: string;
}

// A line that contains only directives counts as blank.
function readDirectiveLine(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine)) return false;
  const text = readLine(state, startLine);
  const next = startLine + 1;
  if (next < endLine && DIRECTIVE_LINE.test(readLine(state, next))) keepWithText(state, next);
  if (!DIRECTIVE_LINE.test(text)) return false;
  if (isSilent) return true;
  state.line = next;
  for (const [directive] of text.matchAll(DIRECTIVES)) {
    const token = state.push("html_block", "", 0);
    token.map = [startLine, next];
    token.meta = { directive } satisfies BookMeta;
  }
  return true;
}

function readDirective(state: StateInline, isSilent: boolean): boolean {
  DIRECTIVE_HERE.lastIndex = state.pos;
  const directive = state.src[state.pos] === "{" ? DIRECTIVE_HERE.exec(state.src)?.[0] : undefined;
  if (directive === undefined || DIRECTIVE_HERE.lastIndex > state.posMax) return false;
  if (!isSilent) state.push("html_inline", "", 0).meta = { directive } satisfies BookMeta;
  state.pos += directive.length;
  return true;
}

// Reads the listings of The Rust Programming Language, which become `<figure>` elements and can interrupt a paragraph.
function readListingLine(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine) || !LISTING_LINE.test(readLine(state, startLine))) return false;
  if (isSilent) return true;
  let line = startLine + 1;
  while (line < endLine && !state.isEmpty(line) && (state.sCount[line] ?? 0) >= state.blkIndent) line++;
  state.line = line;
  const token = state.push("html_block", "", 0);
  token.map = [startLine, line];
  token.content = state.getLines(startLine, line, state.blkIndent, true);
  return true;
}

/** Drops directives and renders listings. */
function readHtml(state: StateCore): void {
  const dropped = new Map<string, { line: number; count: number }>();
  const captions: string[] = [];
  const drop = (directive: string, line: number): string => {
    const name = /[#/%]\s*[\w-]+/.exec(directive)?.[0].replace(/\s+/, "") ?? "";
    const known = dropped.get(name);
    if (known === undefined) dropped.set(name, { line, count: 1 });
    else known.count++;
    return "";
  };
  const read = (token: Token, line: number): boolean => {
    const { directive } = (token.meta as BookMeta | null) ?? {};
    if (directive !== undefined) drop(directive, line);
    if (token.type === "html_block" || token.type === "html_inline") {
      token.content = token.content
        .replace(DIRECTIVES, (each) => drop(each, line))
        .replace(LISTING, (_, attributes?: string) => showListing(attributes, captions));
    }
    return directive === undefined;
  };
  state.tokens = state.tokens.filter((token) => {
    const line = (token.map?.[0] ?? 0) + 1;
    if (token.children !== null) {
      const shown = token.children.filter((child) => read(child, line + (child.map?.[0] ?? 0)));
      if (shown.length < token.children.length) trimText(shown);
      token.children = shown;
    }
    return read(token, line);
  });
  for (const [name, { line, count }] of dropped) {
    const times = count === 1 ? "" : ` (${count} times in this file)`;
    const shown = `{{${cutText(name, 60)} …}}`;
    environmentOf(state).remarks?.push({
      line,
      kind: "dropped-component",
      message: `directive ${shown} is dropped: it needs a preprocessor${times}`,
      tally: [{ what: `directive ${shown}`, plural: `directives ${shown}`, count, isKept: false }],
    });
  }
}

function trimText(children: Token[]): void {
  const [first, last] = [children[0], children.at(-1)];
  if (first?.type === "text") first.content = first.content.trimStart();
  if (last?.type === "text") last.content = last.content.trimEnd();
}

function showListing(written: string | undefined, captions: string[]): string {
  if (written === undefined) {
    const caption = captions.pop();
    return caption === undefined ? "" : `${caption}</figure>`;
  }
  const attributes = new Map(
    Array.from(written.matchAll(/(?<![\w-])([\w-]+)="([^"]*)"/g), ([, name = "", value = ""]) => [name, value]),
  );
  const number = attributes.get("number");
  const title = [number === undefined ? "" : `Listing ${number}`, attributes.get("caption") ?? ""].filter(
    (part) => part !== "",
  );
  captions.push(title.length === 0 ? "" : `<figcaption>${toHtml(title.join(": "))}</figcaption>`);
  const fileName = attributes.get("file-name");
  const file = fileName === undefined ? "" : `<p class="file-name">${toHtml(fileName)}</p>`;
  return `<figure class="listing">${file}`;
}

// Escapes a caption, and converts text in backticks to code.
function toHtml(text: string): string {
  return text
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/`([^`]+)`/g, "<code>$1</code>");
}

const ADMONITION = /^\s*admonish\b[ \t]*([\w-]*)([^]*)$/;
// Callout kinds by the names of mdbook-admonish.
const CALLOUTS: Record<string, string> = {
  bug: "CAUTION",
  caution: "WARNING",
  danger: "CAUTION",
  error: "CAUTION",
  fail: "CAUTION",
  failure: "CAUTION",
  hint: "TIP",
  important: "IMPORTANT",
  success: "TIP",
  tip: "TIP",
  warning: "WARNING",
};

/** Converts mdbook-admonish blocks to callouts. */
function showAdmonitions(state: StateCore): void {
  state.tokens = state.tokens.flatMap((token) => {
    const [whole, kind = "", rest = ""] = (token.type === "fence" ? ADMONITION.exec(token.info) : null) ?? [];
    if (whole === undefined) return [token];
    const title = /(?:title=)?"([^"]*)"|title='([^']*)'/.exec(rest);
    const mark = `[!${CALLOUTS[kind] ?? "NOTE"}] ${title?.[1] ?? title?.[2] ?? ""}`.trimEnd();
    const [opening, closing] = [1, -1].map((nesting) => {
      const end = new state.Token(nesting === 1 ? "blockquote_open" : "blockquote_close", "blockquote", nesting as 1);
      return Object.assign(end, { block: true, map: nesting === 1 ? token.map : null, level: token.level });
    }) as [Token, Token];
    const inner: Token[] = [];
    state.md.block.parse(`${mark}\n${token.content}`, state.md, state.env, inner);
    for (const each of inner) {
      each.level += token.level + 1;
      if (each.map !== null) each.map = [each.map[0] + (token.map?.[0] ?? 0), each.map[1] + (token.map?.[0] ?? 0)];
    }
    return [opening, ...inner, closing];
  });
}

function unescape(token: Token): void {
  if (token.content.includes(ESCAPED)) token.content = token.content.replaceAll(`${ESCAPED}{{`, "{{");
  token.children?.forEach(unescape);
}
