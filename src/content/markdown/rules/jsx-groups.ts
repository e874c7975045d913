// Groups MDX tags and control lines within the same list item, quotation or paragraph. Improperly nested pairs lose
// their tags, but not their content.
import type { StateCore, Token } from "markdown-it";
import { keyOf } from "../mdx/component-reading.ts";
import type { JsxItem } from "../mdx/jsx-items.ts";
import { jsxOf } from "../mdx/show-components.ts";

/** An open item; `level` counts emphasis and links around it. */
interface Entry {
  members: JsxItem[];
  depth: number;
  level: number;
  isLost: boolean;
}

/** The maximum number of tokens to search for the end of a closing tag's parent. */
const MAX_AHEAD = 200;

/**
 * Assigns lines and groups to items. If a closing tag ends a paragraph, list or quotation, moves the tag after that
 * block.
 */
export function groupItems(state: StateCore): void {
  new Grouping(state).read();
}

class Grouping {
  #tokens: Token[] = [];
  /** The open items in each enclosing list item, quotation and paragraph. */
  readonly #scopes: Entry[][] = [[]];
  readonly #byKey = new Map<string, Entry[]>();
  /** The number of opening items without a match, by key; each is reported only once. */
  readonly #lost = new Map<string, number>();
  /** Closing items to add later, each with the depth of the scope to which it belongs. */
  #postponed: { token: Token; depth: number }[] = [];
  readonly #state: StateCore;

  constructor(state: StateCore) {
    this.#state = state;
  }

  read(): void {
    const { tokens } = this.#state;
    for (const [index, token] of tokens.entries()) {
      if (token.nesting === -1) {
        this.#tokens.push(token);
        this.#leave();
        continue;
      }
      const item = jsxOf(token)?.item;
      if (item !== undefined) {
        place(item, (token.map?.[0] ?? 0) + 1);
        this.#add(token, item, countEnds(tokens, index + 1));
      } else if (token.children?.some((child) => jsxOf(child)?.item !== undefined) === true)
        this.#readInline(token, tokens, index);
      else this.#tokens.push(token);
      if (token.nesting === 1) this.#scopes.push([]);
    }
    while (this.#scopes.length > 0) this.#leave();
    this.#state.tokens = this.#tokens;
  }

  get #depth(): number {
    return this.#scopes.length - 1;
  }

  #leave(): void {
    for (const entry of this.#scopes.pop() ?? []) this.#lose(entry);
    const due = this.#postponed.filter(({ depth }) => depth === this.#depth);
    if (due.length === 0) return;
    this.#postponed = this.#postponed.filter(({ depth }) => depth < this.#depth);
    for (const { token } of due) this.#add(token, jsxOf(token)?.item as JsxItem, 0);
  }

  /** Adds an item's token; `ends` is the number of scopes that end right after it. */
  #add(token: Token, item: JsxItem, ends: number): void {
    if (!this.#pair(item, 0, ends)) this.#postpone(token, item);
    else this.#tokens.push(token);
  }

  #postpone(token: Token, item: JsxItem): void {
    this.#postponed.push({ token, depth: this.#find(item)?.depth ?? 0 });
  }

  /** Pairs an item. Returns false if the item must move to where its opening item's scope continues. */
  #pair(item: JsxItem, level: number, ends: number): boolean {
    if (item.kind === "open" || item.kind === "begin") {
      const entry: Entry = { members: [item], depth: this.#depth, level, isLost: false };
      this.#scopes.at(-1)?.push(entry);
      const same = this.#byKey.get(keyOf(item));
      if (same === undefined) this.#byKey.set(keyOf(item), [entry]);
      else same.push(entry);
      return true;
    }
    if (item.kind !== "close" && item.kind !== "end" && item.kind !== "next") return true;
    const entry = this.#find(item);
    if (entry === undefined) {
      const lost = this.#lost.get(keyOf(item)) ?? 0;
      if (lost > 0) item.group = [];
      if (item.kind !== "next") this.#lost.set(keyOf(item), Math.max(0, lost - 1));
      return true;
    }
    const between = this.#depth - entry.depth;
    if (between > 0 && between <= ends) return false;
    if (between > 0 || entry.level !== level) {
      item.group = [];
      this.#lose(entry);
      if (item.kind !== "next") this.#lost.set(keyOf(item), (this.#lost.get(keyOf(item)) ?? 0) - 1);
      return true;
    }
    const scope = this.#scopes.at(-1) ?? [];
    for (let last = scope.at(-1); last !== undefined && last !== entry; last = scope.at(-1)) {
      scope.pop();
      this.#lose(last);
    }
    entry.members.push(item);
    if (item.kind === "next") return true;
    scope.pop();
    this.#byKey.get(keyOf(item))?.pop();
    for (const member of entry.members) member.group = entry.members;
    return true;
  }

  #find(item: JsxItem): Entry | undefined {
    const entries = this.#byKey.get(keyOf(item)) ?? [];
    while (entries.at(-1)?.isLost === true) entries.pop();
    const entry = entries.at(-1);
    return item.kind === "end" && entry?.members[0]?.name !== item.name ? undefined : entry;
  }

  #lose(entry: Entry): void {
    const [opening, ...others] = entry.members;
    if (entry.isLost || opening === undefined) return;
    entry.isLost = true;
    for (const other of others) other.group = [];
    this.#lost.set(keyOf(opening), (this.#lost.get(keyOf(opening)) ?? 0) + 1);
  }

  #readInline(inline: Token, tokens: readonly Token[], index: number): void {
    const [opening, closing] = [tokens[index - 1], tokens[index + 1]];
    const isText = opening?.type === "paragraph_open" || opening?.type === "heading_open";
    const ends = countEnds(tokens, index + 1) + 1;
    const children = inline.children ?? [];
    let shown: Token[] = [];
    this.#scopes.push([]);
    for (const [at, child] of children.entries()) {
      const item = jsxOf(child)?.item;
      if (item === undefined) {
        // Text after a block begins a new paragraph, without the line break between them.
        if (shown.length > 0 || !isText || child.type !== "softbreak") shown.push(child);
        continue;
      }
      place(item, (inline.map?.[0] ?? 0) + (child.map?.[0] ?? 0) + 1);
      const isFree = isText && child.level === 0;
      const isLast = isFree && endsText(children, at + 1);
      const endsLine = isFree && (isLast || children[at + 1]?.type === "softbreak");
      // An item that must move leaves the inline text and its paragraph.
      if (this.#pair(item, child.level, isLast ? ends : endsLine ? 2 : 0)) {
        shown.push(child);
        continue;
      }
      const block = this.#toBlock(child, item);
      if (isLast) {
        this.#postpone(block, item);
        trimEnd(shown);
        continue;
      }
      this.#closeText(inline, shown, closing);
      this.#add(block, item, 0);
      shown = [];
      if (opening !== undefined) this.#tokens.push(copyWith(opening, null));
      this.#scopes.push([], []);
    }
    this.#tokens.push(copyWith(inline, shown));
    this.#leave();
  }

  #closeText(inline: Token, shown: Token[], closing: Token | undefined): void {
    trimEnd(shown);
    this.#leave();
    if (shown.length === 0) this.#tokens.pop();
    else {
      this.#tokens.push(copyWith(inline, shown));
      if (closing !== undefined) this.#tokens.push(copyWith(closing, null));
    }
    this.#leave();
  }

  #toBlock(child: Token, item: JsxItem): Token {
    const token = new this.#state.Token("html_block", "", 0);
    token.meta = child.meta;
    token.map = [item.line - 1, item.line];
    item.isBlock = true;
    return token;
  }
}

function place(item: JsxItem, line: number): void {
  item.line = line;
  item.group = undefined;
}

function copyWith(token: Token, children: Token[] | null): Token {
  return Object.assign(Object.create(Object.getPrototypeOf(token)), token, { children }) as Token;
}

function trimEnd(children: Token[]): void {
  const last = children.at(-1);
  if (last?.type === "text") last.content = last.content.trimEnd();
}

/** Returns the number of scopes that end at `from`, with only closing items in between. */
function countEnds(tokens: readonly Token[], from: number): number {
  let count = 0;
  for (const token of tokens.slice(from, from + MAX_AHEAD)) {
    const kind = jsxOf(token)?.item?.kind;
    if (token.nesting === -1) count++;
    else if (kind !== "close" && kind !== "end") break;
  }
  return count;
}

function endsText(children: readonly Token[], from: number): boolean {
  return children.slice(from, from + MAX_AHEAD).every((child) => {
    const kind = jsxOf(child)?.item?.kind;
    return kind === "close" || kind === "end" || (child.type === "text" && child.content.trim() === "");
  });
}
