// Renders MkDocs boxes: callouts, details and tabs.
import type { StateBlock, Token } from "markdown-it";
import { createBlock, createTextBlock, type TokenMaker } from "../../markdown/tokens.ts";
import { findCalloutKind, titleCallout, type CalloutKind } from "../../markdown/rules/callouts.ts";
import { environmentOf } from "../../markdown/markdown-environment.ts";

/**
 * Callout kinds by MkDocs's names: https://squidfunk.github.io/mkdocs-material/reference/admonitions/#supported-types
 */
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
  /** The first type names the box; the first known type determines its kind. Other types are classes of the theme. */
  types: string[];
  /** The title; undefined for the default title, "" for no title. */
  title: string | undefined;
  /** The initial state of a foldable box; undefined for other boxes. */
  isOpen?: boolean | undefined;
}

/** Opens a box with its title; `closeBox` closes it. */
export function openBox(state: TokenMaker, { types, title, isOpen }: Box, env: unknown, line: number): Token[] {
  const type = types[0]?.toLowerCase() ?? "note";
  const kinds = types.map((each) => findCalloutKind(each.toLowerCase()) ?? KINDS[each.toLowerCase()]);
  const kind = kinds.find((each) => each !== undefined) ?? "note";
  const tag = isOpen === undefined ? "aside" : "details";
  const opening = createBlock(state, "box_open", tag, 1, [line, line + 1]);
  opening.attrSet("class", "callout");
  opening.attrSet("data-callout", kind);
  if (isOpen === true) opening.attrSet("open", "");
  const ownTitle = type === kind ? titleCallout(kind, environmentOf({ env }).language) : capitalize(type);
  const shown = title ?? ownTitle;
  if (isOpen !== undefined) return [opening, ...createTextBlock(state, "summary", shown || ownTitle, [line, line + 1])];
  if (shown === "") return [opening];
  const text = createTextBlock(state, "p", shown, [line, line + 1]);
  text[0].attrSet("class", "callout-title");
  return [opening, ...text];
}

export function closeBox(state: TokenMaker, isFolded: boolean): Token {
  return createBlock(state, "box_close", isFolded ? "details" : "aside", -1);
}

/** Opens a titled tab. Readers see the tabs one below the other, since pages contain no scripts. */
export function openTab(state: TokenMaker, title: string, line: number): Token[] {
  const opening = createBlock(state, "tab_open", "div", 1, [line, line + 1]);
  opening.attrSet("class", "option");
  const text = createTextBlock(state, "p", title, [line, line + 1]);
  text[0].attrSet("class", "option-title");
  return [opening, ...text];
}

export function closeTab(state: TokenMaker): Token {
  return createBlock(state, "tab_close", "div", -1);
}

/** Opens a group of adjacent tabs. */
export function openTabs(state: TokenMaker, line: number): Token {
  const opening = createBlock(state, "tabs_open", "div", 1, [line, line + 1]);
  opening.attrSet("class", "options");
  return opening;
}

export function closeTabs(state: TokenMaker): Token {
  return createBlock(state, "tabs_close", "div", -1);
}

/** Appends tokens to a block state and updates its nesting level. */
export function pushTokens(state: StateBlock, tokens: Token[]): void {
  for (const { type, tag, nesting, ...rest } of tokens) {
    const { content, children, attrs, map } = rest;
    Object.assign(state.push(type, tag, nesting), { content, children, attrs, map });
  }
}

/** Converts a name such as `my-type` to a title. */
export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
}
