// Containers: `::: challenge` above a part of the text, `:::` below it, of any length and within each other.
import type { MarkdownIt, StateBlock, StateCore, Token } from "markdown-it";
import { readAttributes } from "./attributes.ts";
import { titleContainer } from "./container-titles.ts";
import { readHeadingAttributes } from "./heading-ids.ts";
import { environmentOf } from "../markdown-environment.ts";

/** What containers become; of a kind that is not named here, a `<div>` with the kind as its class. */
export interface ContainerKinds {
  /** Those that are folded. */
  details: ReadonlySet<string>;
  /** True where those that a lesson of The Carpentries has get a title for lack of a heading. */
  hasTitles: boolean;
}

/** The opening of a container: its classes, the first of which is its kind. */
export interface ContainerOpening {
  classes: string[];
  id: string | undefined;
  /** What stands behind the kind; "" for nothing. */
  title: string;
}

/** Reads a line of colons. Undefined for another line, `end` for one that closes a container. */
export function parseContainerLine(line: string): ContainerOpening | "end" | undefined {
  const text = line.trim();
  if (!text.startsWith(":::")) return undefined;
  let start = 3;
  let end = text.length;
  while (text[start] === ":") start++;
  while (end > start && (text[end - 1] === ":" || text[end - 1] === " ")) end--;
  const rest = text.slice(start, end).trim();
  if (rest === "") return "end";
  if (rest.startsWith("{")) {
    const attributes = readAttributes(rest, 0);
    if (attributes === undefined || attributes.classes.length === 0) return undefined;
    return { ...attributes, title: rest.slice(attributes.end).trim() };
  }
  const [kind] = /^[A-Za-z][\w-]*/.exec(rest) ?? [];
  if (kind === undefined) return undefined;
  const behind = rest.slice(kind.length).trim();
  // `:::note[A title]`
  const title = behind.startsWith("[") && behind.endsWith("]") ? behind.slice(1, -1) : behind;
  return { classes: [kind], id: undefined, title };
}

/** Adds containers to a parser. */
export function addContainerRules({ block, core }: MarkdownIt): void {
  block.ruler.before("fence", "container", readContainerLine, {
    alt: ["paragraph", "reference", "blockquote", "list", "table"],
  });
  core.ruler.after("block", "containers", balanceContainers);
}

/** The first line and the one behind the last of each container of a kind that is in no other of it; `tokens` are blocks as they are parsed. */
export function listContainerLines(tokens: readonly Token[], kind: string): [start: number, end: number][] {
  const found: [number, number][] = [];
  // What stands around containers, such as a quotation, ends those that are open in it.
  const blocks: { end: number; open: { start: number; isOfKind: boolean }[] }[] = [{ end: Infinity, open: [] }];
  let openOfKind = 0;
  const close = (container: { start: number; isOfKind: boolean } | undefined, end: number): void => {
    if (container?.isOfKind === true && --openOfKind === 0) found.push([container.start, end]);
  };
  const closeBlock = ({ end, open }: (typeof blocks)[number]): void => {
    for (const container of open.toReversed()) close(container, end);
  };
  for (const { type, nesting, map, meta } of tokens) {
    const [start, end] = map ?? [0, Infinity];
    if (type === "container_open") {
      const isOfKind = (meta as { opening: ContainerOpening }).opening.classes[0] === kind;
      if (isOfKind) openOfKind++;
      blocks.at(-1)?.open.push({ start, isOfKind });
    } else if (type === "container_close") close(blocks.at(-1)?.open.pop(), end);
    else if (nesting === 1) blocks.push({ end, open: [] });
    else if (nesting === -1) closeBlock(blocks.pop() ?? { end, open: [] });
  }
  for (const block of blocks.toReversed()) closeBlock(block);
  return found;
}

function readContainerLine(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  if (environmentOf(state).dialect.containers === undefined) return false;
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
  if (!state.src.startsWith(":::", start)) return false;
  const line = parseContainerLine(state.src.slice(start, state.eMarks[startLine]));
  if (line === undefined) return false;
  if (silent) return true;
  state.line = startLine + 1;
  const token = state.push(line === "end" ? "container_close" : "container_open", "div", 0);
  token.map = [startLine, state.line];
  token.meta = line === "end" ? null : { opening: line };
  return true;
}

// An end belongs to the innermost container that is open in the same list or quotation. One that is never closed ends with what
// it stands in.
function balanceContainers(state: StateCore): void {
  const kinds = environmentOf(state).dialect.containers;
  if (kinds === undefined) return;
  const tokens: Token[] = [];
  const open: string[] = [];
  const close = (): void => {
    const tag = open.pop() ?? "div";
    const token = new state.Token("container_close", tag, -1);
    token.block = true;
    tokens.push(token);
  };
  const isOpen = (): boolean => open.length > 0 && open.at(-1) !== "other";
  for (let index = 0; index < state.tokens.length; index++) {
    const token = state.tokens[index];
    if (token === undefined) break;
    if (token.type === "container_open") {
      const { tag, opened, taken } = openContainer(state, token, state.tokens.slice(index + 1, index + 4), kinds);
      open.push(tag);
      tokens.push(...opened);
      index += taken;
    } else if (token.type === "container_close") {
      if (isOpen()) close();
    } else {
      if (token.nesting === 1) open.push("other");
      while (token.nesting === -1 && isOpen()) close();
      if (token.nesting === -1) open.pop();
      tokens.push(token);
    }
  }
  while (isOpen()) close();
  state.tokens = tokens;
}

function openContainer(
  state: StateCore,
  token: Token,
  following: Token[],
  { details, hasTitles }: ContainerKinds,
): { tag: string; opened: Token[]; taken: number } {
  const meta = token.meta as { opening: ContainerOpening } | null;
  const { classes, id, title } = meta?.opening ?? { classes: [], id: undefined, title: "" };
  const [kind = ""] = classes;
  const isFolded = details.has(kind);
  const tag = isFolded ? "details" : "div";
  const known = hasTitles || isFolded ? titleContainer(kind, environmentOf(state).language) : undefined;
  const opening = new state.Token("container_open", tag, 1);
  opening.block = true;
  opening.map = token.map;
  opening.attrs = [["class", classes.join(" ")], ...(id === undefined ? [] : [["id", id] as [string, string]])];
  const [heading, text, end] = following;
  const hasHeading = heading?.type === "heading_open";
  if (!isFolded) {
    const shown = title === "" && !hasHeading ? known : title;
    const above = shown === undefined || shown === "" ? [] : createText(state, "p", shown, token);
    if (above[0] !== undefined) above[0].attrs = [["class", "container-title"]];
    return { tag, opened: [opening, ...above], taken: 0 };
  }
  // The heading is what is clicked at; as a heading it could not be.
  if (title === "" && hasHeading && text !== undefined && end !== undefined) {
    const content = takeId(text.content, opening);
    const summaryTokens = createText(state, "summary", content, heading);
    return { tag, opened: [opening, ...summaryTokens], taken: 3 };
  }
  return {
    tag,
    opened: [opening, ...createText(state, "summary", title === "" ? (known ?? "Details") : title, token)],
    taken: 0,
  };
}

// ## Windows {#windows}: the id is that of what is folded.
function takeId(content: string, opening: Token): string {
  const text = content.trimEnd();
  const given = readHeadingAttributes(text);
  if (given?.id !== undefined) opening.attrSet("id", given.id);
  return given === undefined ? content : text.slice(0, given.start).trimEnd();
}

function createText(state: StateCore, tag: string, content: string, { map }: Token): Token[] {
  const open = new state.Token(`${tag}_open`, tag, 1);
  const inline = new state.Token("inline", "", 0);
  const close = new state.Token(`${tag}_close`, tag, -1);
  inline.content = content;
  inline.children = [];
  open.block = inline.block = close.block = true;
  open.map = inline.map = map;
  return [open, inline, close];
}
