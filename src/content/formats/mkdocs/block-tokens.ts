// What the boxes of MkDocs become, however their author writes them: callouts, what is folded, and what one chooses from.
import type { StateBlock, StateCore, Token } from "markdown-it";
import { findCalloutKind, titleCallout, type CalloutKind } from "../../markdown/rules/callouts.ts";
import { environmentOf } from "../../markdown/markdown-environment.ts";

/** Kinds that only MkDocs has, and names for them: https://squidfunk.github.io/mkdocs-material/reference/admonitions/#supported-types */
export const KINDS: Record<string, CalloutKind> = {
  hint: "tip",
  check: "tip",
  done: "tip",
  attention: "warning",
  failure: "caution",
  fail: "caution",
  missing: "caution",
  bug: "caution",
};

export interface Box {
  /** The first names its kind; others are classes of themes. */
  types: string[];
  /** Undefined where the author gives none, "" where there is to be none. */
  title: string | undefined;
  /** Undefined for one that is not folded; else whether it is open at first. */
  isOpen?: boolean | undefined;
}

type Tokens = Pick<StateCore, "Token">;

/** The opening of a box, and its title; `closeBox` has its end. */
export function openBox(state: Tokens, { types, title, isOpen }: Box, env: unknown, line: number): Token[] {
  const [type = "note"] = types;
  const kind = findCalloutKind(type) ?? KINDS[type] ?? "note";
  const tag = isOpen === undefined ? "aside" : "details";
  const opening = createToken(state, "box_open", tag, 1, line);
  opening.attrSet("class", "callout");
  opening.attrSet("data-callout", kind);
  if (isOpen === true) opening.attrSet("open", "");
  const ownTitle = type === kind ? titleCallout(kind, environmentOf({ env }).language) : capitalize(type);
  const shown = title ?? ownTitle;
  if (isOpen !== undefined) return [opening, ...createText(state, "summary", shown || ownTitle, line)];
  if (shown === "") return [opening];
  const [paragraph, ...rest] = createText(state, "p", shown, line) as [Token, ...Token[]];
  paragraph.attrSet("class", "callout-title");
  return [opening, paragraph, ...rest];
}

export function closeBox(state: Tokens, isFolded: boolean): Token {
  return createToken(state, "box_close", isFolded ? "details" : "aside", -1);
}

/** The opening of a tab, one below the other with its title: that needs no script. */
export function openTab(state: Tokens, title: string, line: number): Token[] {
  const opening = createToken(state, "tab_open", "div", 1, line);
  opening.attrSet("class", "option");
  opening.attrSet("data-option", title);
  const [paragraph, ...rest] = createText(state, "p", title, line) as [Token, ...Token[]];
  paragraph.attrSet("class", "option-title");
  return [opening, paragraph, ...rest];
}

export function closeTab(state: Tokens): Token {
  return createToken(state, "tab_close", "div", -1);
}

/** Around tabs that belong together. */
export function openTabs(state: Tokens, line: number): Token {
  const opening = createToken(state, "tabs_open", "div", 1, line);
  opening.attrSet("class", "options");
  return opening;
}

export function closeTabs(state: Tokens): Token {
  return createToken(state, "tabs_close", "div", -1);
}

/** A part of the text in an element of its own. */
export function createText(state: Tokens, tag: string, content: string, line: number): Token[] {
  const inline = createToken(state, "inline", "", 0, line);
  inline.content = content;
  inline.children = [];
  return [createToken(state, `${tag}_open`, tag, 1, line), inline, createToken(state, `${tag}_close`, tag, -1)];
}

export function createToken(
  { Token: TokenClass }: Tokens,
  type: string,
  tag: string,
  nesting: -1 | 0 | 1,
  line?: number,
): Token {
  const token = new TokenClass(type, tag, nesting);
  token.block = true;
  if (line !== undefined) token.map = [line, line + 1];
  return token;
}

/** Adds tokens to those of a block state, which counts them and how deep they stand. */
export function pushTokens(state: StateBlock, tokens: Token[]): void {
  for (const { type, tag, nesting, ...rest } of tokens) {
    const { content, children, attrs, map } = rest;
    Object.assign(state.push(type, tag, nesting), { content, children, attrs, map });
  }
}

/** `my-type` as a title. */
export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
}
