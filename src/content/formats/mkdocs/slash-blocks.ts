// Renders blocks between lines of slashes: https://facelessuser.github.io/pymdown-extensions/extensions/blocks/
import type { MarkdownIt, StateBlock, StateCore, Token } from "markdown-it";
import { isIndentedCode, readLine } from "../../markdown/markdown-environment.ts";
import { createBlock } from "../../markdown/tokens.ts";
import { closeBox, closeTab, closeTabs, openBox, openTab, openTabs } from "./block-tokens.ts";
import { hasExtension } from "./mkdocs-extensions.ts";

const EDGE = /^(\/{3,})(?:[ \t]*([a-z][\w-]*)(?:[ \t]*\|[ \t]*(.*))?)?$/is;
const OPTION_INDENT = 4;
/** The extension of each block name. Other names are admonition kinds, or `details-` followed by a kind. */
const EXTENSIONS: Record<string, string> = {
  admonition: "pymdownx.blocks.admonition",
  details: "pymdownx.blocks.details",
  tab: "pymdownx.blocks.tab",
  html: "pymdownx.blocks.html",
  define: "pymdownx.blocks.definition",
  caption: "pymdownx.blocks.caption",
  "figure-caption": "pymdownx.blocks.caption",
  "table-caption": "pymdownx.blocks.caption",
};
/** Elements that `html` can create; others become `<div>`. */
const HTML_TAGS =
  /^(?:article|aside|blockquote|div|figure|figcaption|footer|header|main|nav|p|section|span|details|summary|em|strong|mark|kbd|sub|sup|small|b|i|u|s|ins|del)$/;

interface Opening {
  slashes: number;
  name: string;
  title: string;
  options: ReadonlyMap<string, string>;
}

export function addSlashBlocks({ block, core }: MarkdownIt): void {
  block.ruler.before("fence", "slash_block", readEdge, { alt: ["paragraph", "reference", "blockquote", "list"] });
  core.ruler.after("block", "slash_blocks", balanceBlocks);
}

function readEdge(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  const line = readLine(state, startLine).trimEnd();
  if (!line.startsWith("///") || isIndentedCode(state, startLine)) return false;
  const [whole, slashes = "", name, title = ""] = EDGE.exec(line) ?? [];
  if (whole === undefined || !mayHold(state, name?.toLowerCase())) return false;
  if (isSilent) return true;
  state.line = startLine + 1;
  const token = state.push("slash_edge", "", 0);
  token.map = [startLine, startLine + 1];
  token.meta = { slashes: slashes.length, name: name?.toLowerCase(), title: title.trim(), options: new Map() };
  const { options } = token.meta as { options: Map<string, string> };
  if (name !== undefined) readOptions(state, endLine, options);
  const content = options.get("markdown");
  if (name === "html" && (content === "raw" || content === "html")) readVerbatim(state, endLine, slashes, content);
  return true;
}

// With `markdown: raw`, the text is shown as written; with `markdown: html`, it is HTML.
function readVerbatim(state: StateBlock, endLine: number, slashes: string, content: "raw" | "html"): void {
  const start = state.line;
  while (state.line < endLine && readLine(state, state.line).trimEnd() !== slashes) state.line++;
  const text = state.getLines(start, state.line, state.blkIndent, true);
  const token = state.push("html_block", "", 0);
  token.content = content === "raw" ? state.md.utils.escapeHtml(text) : text;
  token.map = [start, state.line];
}

function mayHold(state: StateBlock, name: string | undefined): boolean {
  if (name === undefined) return hasExtension(state, ...new Set(Object.values(EXTENSIONS)));
  const known = Object.hasOwn(EXTENSIONS, name) ? EXTENSIONS[name] : undefined;
  if (known !== undefined) return hasExtension(state, known);
  return hasExtension(state, name.startsWith("details-") ? "pymdownx.blocks.details" : "pymdownx.blocks.admonition");
}

// Reads the indented YAML lines below the opening line: `open: true`, `attrs: {class: tea}`.
function readOptions(state: StateBlock, endLine: number, options: Map<string, string>): void {
  for (; state.line < endLine && !state.isEmpty(state.line); state.line++) {
    if ((state.sCount[state.line] ?? 0) - state.blkIndent < OPTION_INDENT) break;
    const [, name = "", value = ""] = /^([\w-]+):[ \t]*(.*)$/s.exec(readLine(state, state.line).trimEnd()) ?? [];
    if (name !== "") options.set(name, value);
  }
}

/** The maximum depth of blocks, lists and quotations; deeper blocks lose their boxes. */
const MAX_OPEN = 200;

interface OpenBlock {
  /** The number of slashes that opened the block; undefined for lists, quotations and other elements. */
  slashes: number | undefined;
  close: () => void;
}

// A line of slashes closes the innermost block with the same number of slashes, and the blocks inside it.
function balanceBlocks(state: StateCore): void {
  if (!state.tokens.some(({ type }) => type === "slash_edge")) return;
  const tokens: Token[] = [];
  const open: OpenBlock[] = [];
  const shut = (): void => open.pop()?.close();
  const isOpen = (): boolean => open.at(-1)?.slashes !== undefined;
  for (const token of state.tokens) {
    if (token.type !== "slash_edge") {
      if (token.nesting === 1) open.push({ slashes: undefined, close: () => undefined });
      while (token.nesting === -1 && isOpen()) shut();
      if (token.nesting === -1) open.pop();
      tokens.push(token);
      continue;
    }
    const { slashes, name, ...rest } = token.meta as Omit<Opening, "name"> & { name: string | undefined };
    if (name === undefined) {
      const outer = open.findLastIndex((each) => each.slashes === undefined);
      const index = open.findLastIndex((each) => each.slashes === slashes);
      if (index > outer) for (let count = open.length - index; count > 0; count--) shut();
    } else if (open.length < MAX_OPEN) {
      open.push({ slashes, close: openBlock(state, tokens, { slashes, name, ...rest }, token.map?.[0] ?? 0) });
    }
  }
  while (open.length > 0) shut();
  state.tokens = tokens;
}

/** Opens a block and returns a function that closes it. */
function openBlock(state: StateCore, tokens: Token[], block: Opening, line: number): () => void {
  const { name, title, options } = block;
  const add = (added: Token[]): number => tokens.push(...added);
  const open = (tag: string, attributes: Record<string, string> = {}): (() => void) => {
    const opening = createBlock(state, "slash_open", tag, 1, [line, line + 1]);
    for (const [key, value] of Object.entries(attributes)) if (value !== "") opening.attrSet(key, value);
    add([opening]);
    return () => add([createBlock(state, "slash_close", tag, -1)]);
  };
  const attributes = readAttributes(options.get("attrs") ?? "");
  if (name === "tab") return openTabBlock(state, tokens, block, line);
  if (name === "html") {
    const { tag, ...own } = parseSelector(title);
    return open(tag, { ...attributes, ...own });
  }
  if (name === "define") return open("div", { class: "define" });
  if (name.endsWith("caption")) return openCaption(tokens, open, title.includes("<"));
  const isFolded = name.startsWith("details");
  const own = name.replace(/^details-?/, "").replace(/^admonition$/, "");
  const type = (options.get("type") ?? own) || "note";
  add(
    openBox(
      state,
      {
        types: [type.replaceAll(/["']/g, "")],
        title: title || undefined,
        isOpen: isFolded ? options.get("open")?.toLowerCase() === "true" : undefined,
      },
      state.env,
      line,
    ),
  );
  return () => add([closeBox(state, isFolded)]);
}

// Adjacent tabs form a group; a tab that sets `new: true` begins a new group.
function openTabBlock(state: StateCore, tokens: Token[], { title, options }: Opening, line: number): () => void {
  const isNext = tokens.at(-1)?.type === "tabs_close" && options.get("new")?.toLowerCase() !== "true";
  if (isNext) tokens.pop();
  else tokens.push(openTabs(state, line));
  tokens.push(...openTab(state, title, line));
  return () => tokens.push(closeTab(state), closeTabs(state));
}

// A caption turns the block above into a figure.
function openCaption(tokens: Token[], open: (tag: string) => () => void, isFirst: boolean): () => void {
  let depth = 0;
  let start = tokens.length;
  const last = tokens.at(-1);
  // A figure can have only one caption.
  if (last?.type === "slash_close" && last.tag === "figure") return open("div");
  do {
    start--;
    depth += tokens[start]?.nesting ?? 0;
  } while (start > 0 && depth !== 0);
  const hasBlock = start >= 0 && depth === 0;
  const above = hasBlock ? tokens.splice(start) : [];
  const addAbove = (isHere: boolean): void => {
    if (isHere) for (const token of above) tokens.push(token);
  };
  const close = open("figure");
  addAbove(!isFirst);
  const closeText = open("figcaption");
  return () => {
    closeText();
    addAbove(isFirst);
    close();
  };
}

// Parses a selector such as `div.tea#green[lang=en]`; ignores its attributes.
function parseSelector(written: string): { tag: string; class: string; id: string } {
  const [name = ""] = /^[a-z][a-z\d]*/i.exec(written) ?? [];
  const selector = written.replaceAll(/\[[^\]]*\]?/g, "");
  const classes = Array.from(selector.matchAll(/\.([\w-]+)/g), ([, each]) => each);
  const tag = name.toLowerCase();
  return {
    tag: HTML_TAGS.test(tag) ? tag : "div",
    class: classes.join(" "),
    id: /#([\w-]+)/.exec(selector)?.[1] ?? "",
  };
}

function readAttributes(written: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = "", value = ""] of written.matchAll(/\b(class|id|lang|dir|title)["']?:[ \t]*["']?([^,"'{}]*)/g))
    found[name] = value.trim();
  return found;
}
