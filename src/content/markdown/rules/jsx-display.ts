// Renders MDX tokens and hides other frameworks' branches.
import type { MarkdownIt, StateCore, Token } from "markdown-it";
import { environmentOf } from "../markdown-environment.ts";
import type { ComponentReading } from "../mdx/component-reading.ts";
import type { JsxItem } from "../mdx/jsx-items.ts";
import { ComponentDisplay, findHidden, jsxOf, type ShownItem } from "../mdx/show-components.ts";
import { groupItems } from "./jsx-groups.ts";

export function addJsxDisplay({ core }: MarkdownIt): void {
  core.ruler.before("inline", "jsx_hidden", hideBranches);
  core.ruler.after("inline", "jsx_display", (state) => {
    const reading = environmentOf(state).components;
    if (reading === undefined) return;
    groupItems(state);
    state.tokens = new Display(reading, (url) => state.md.validateLink(url)).show(state.tokens);
  });
}

// Hides branches before inline parsing, so that the footnotes and references in them get no numbers.
function hideBranches(state: StateCore): void {
  const framework = environmentOf(state).components?.options.framework;
  // If text contains branches within a line, `Display` hides all branches later.
  if (framework === undefined || state.tokens.some(({ type, content }) => type === "inline" && /\{[:/]/.test(content)))
    return;
  groupItems(state);
  const hidden = new Map<JsxItem, JsxItem>();
  let hiddenTo: JsxItem | undefined;
  state.tokens = state.tokens.filter((token) => {
    const item = jsxOf(token)?.item;
    if (hiddenTo !== undefined && item !== hiddenTo) return false;
    if (item === undefined) return true;
    for (const [from, to] of findHidden(item, framework) ?? []) hidden.set(from, to);
    hiddenTo = hidden.get(item);
    return true;
  });
}

/** The maximum number of open pairs, which is also the limit for lists and quotations. */
const MAX_LEVELS = 100;

class Display {
  /** The number of open pairs around the token, in total and for each list item and quotation. */
  #level = 0;
  readonly #scopes: number[] = [0];
  readonly #open = new Set<JsxItem>();
  readonly #flat = new Set<readonly JsxItem[]>();
  #hiddenTo: JsxItem | undefined;
  readonly #reading: ComponentReading;
  readonly #display: ComponentDisplay;

  constructor(reading: ComponentReading, isLink: (url: string) => boolean) {
    this.#reading = reading;
    this.#display = new ComponentDisplay(reading, isLink);
  }

  show(tokens: readonly Token[]): Token[] {
    return tokens.filter((token) => {
      const line = token.map?.[0] ?? 0;
      if (token.nesting === -1) this.#scopes.pop();
      const isShown = this.#showToken(token, line, true);
      if (token.nesting === 1) this.#scopes.push(0);
      if (!isShown || token.children === null) return isShown;
      token.children = token.children.filter((child) => this.#showToken(child, line + (child.map?.[0] ?? 0), false));
      return true;
    });
  }

  /** Renders a token. Returns false for a hidden token. */
  #showToken(token: Token, line: number, isBlock: boolean): boolean {
    const { item, dropped = [] } = jsxOf(token) ?? {};
    if (this.#hiddenTo !== undefined && this.#hiddenTo !== item) return false;
    this.#hiddenTo = undefined;
    for (const { name, breaks } of dropped) this.#reading.drop(name, line + breaks + 1);
    // Inside components, paragraphs keep their tags even in tight lists.
    if (token.hidden && (this.#scopes.at(-1) ?? 0) > 0) token.hidden = false;
    const shown = item === undefined ? undefined : this.#flatten(item, this.#display.show(item), line);
    if (item !== undefined && this.#open.delete(item)) this.#nest(-1);
    token.level += isBlock ? this.#level : 0;
    if (shown === undefined) return true;
    token.content = shown.html;
    token.meta = { ...jsxOf(token), shown };
    this.#hiddenTo = shown.hiddenTo;
    if (isBlock && shown.opens !== undefined) {
      this.#open.add(shown.opens.closing);
      this.#nest(1);
    }
    return true;
  }

  /** Reduces a pair beyond the deepest level to its content. */
  #flatten(item: JsxItem, shown: ShownItem, line: number): ShownItem {
    const { group } = item;
    if (group !== undefined && shown.opens !== undefined && group[0] === item && this.#open.size >= MAX_LEVELS) {
      this.#flat.add(group);
      this.#reading.drop(`component nested beyond ${MAX_LEVELS} levels`, line + 1);
    }
    return group !== undefined && this.#flat.has(group) ? { html: "" } : shown;
  }

  #nest(change: 1 | -1): void {
    this.#level += change;
    this.#scopes.push((this.#scopes.pop() ?? 0) + change);
  }
}
