// Renders abbreviations: a line such as `*[HTML]: the language of pages` defines one, often in a shared snippet.
import type { MarkdownIt, StateBlock, StateCore, Token } from "markdown-it";
import { countNode, environmentOf, isIndentedCode, startOfLine } from "../../markdown/markdown-environment.ts";
import { hasExtension } from "./mkdocs-extensions.ts";

/** The maximum number per text: each word of the text is compared with all abbreviations that begin with that word. */
const MAX_ABBREVIATIONS = 500;
const DEFINITION = /^\*\[([^[\]\n]{1,100})\][ \t]?:[ \t]*(\S.*)$/;
const WORD = /[\p{L}\p{N}_]+/gu;

/** The abbreviations of each text, by the text's environment. */
const meanings = new WeakMap<object, Map<string, string>>();

export function addAbbreviations({ block, core }: MarkdownIt): void {
  block.ruler.before("reference", "abbreviation", readDefinition, { alt: ["paragraph", "reference"] });
  core.ruler.after("inline", "abbreviations", showAbbreviations);
}

function readDefinition(state: StateBlock, line: number, _endLine: number, isSilent: boolean): boolean {
  const start = startOfLine(state, line);
  if (!state.src.startsWith("*[", start) || isIndentedCode(state, line) || !hasExtension(state, "abbr")) return false;
  const [, name, meaning = ""] = DEFINITION.exec(state.src.slice(start, state.eMarks[line])) ?? [];
  if (name === undefined) return false;
  if (isSilent) return true;
  const environment = environmentOf(state);
  const known = meanings.get(environment) ?? new Map<string, string>();
  meanings.set(environment, known);
  if (known.size < MAX_ABBREVIATIONS) known.set(name, meaning.trim());
  state.line = line + 1;
  return true;
}

function showAbbreviations(state: StateCore): void {
  const known = meanings.get(environmentOf(state));
  if (known === undefined) return;
  // The names by their first word, longest first.
  const byWord = new Map<string, string[]>();
  for (const name of [...known.keys()].sort((a, b) => b.length - a.length)) {
    const [word] = name.match(WORD) ?? [];
    if (word !== undefined && name.startsWith(word)) byWord.set(word, [...(byWord.get(word) ?? []), name]);
  }
  for (const token of state.tokens) {
    if (token.type !== "inline" || token.children === null) continue;
    token.children = token.children.flatMap((child) =>
      child.type === "text" ? split(state, child, byWord, known) : [child],
    );
  }
}

function split(
  state: StateCore,
  text: Token,
  byWord: ReadonlyMap<string, string[]>,
  known: ReadonlyMap<string, string>,
): Token[] {
  const { content } = text;
  const parts: Token[] = [];
  let copiedTo = 0;
  const addText = (end: number): void => {
    if (end > copiedTo) parts.push(create(state, text, "text", "", 0, content.slice(copiedTo, end)));
  };
  for (const { 0: word, index } of content.matchAll(WORD)) {
    if (index < copiedTo) continue;
    const name = byWord.get(word)?.find((each) => isThere(content, each, index));
    if (name === undefined) continue;
    addText(index);
    const opening = create(state, text, "abbr_open", "abbr", 1);
    opening.attrSet("title", known.get(name) ?? "");
    parts.push(opening, create(state, text, "text", "", 0, name), create(state, text, "abbr_close", "abbr", -1));
    copiedTo = index + name.length;
  }
  if (parts.length === 0) return [text];
  addText(content.length);
  return parts;
}

function isThere(content: string, name: string, index: number): boolean {
  return (
    content.startsWith(name, index) &&
    !/^[\p{L}\p{N}_]/u.test(content.slice(index + name.length, index + name.length + 2))
  );
}

function create(state: StateCore, { map }: Token, type: string, tag: string, nesting: -1 | 0 | 1, content = ""): Token {
  countNode(environmentOf(state));
  return Object.assign(new state.Token(type, tag, nesting), { content, map });
}
