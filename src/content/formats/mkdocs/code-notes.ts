// Material's annotations: `(1)` in code refers to an item of the list below.
import type { MarkdownIt, StateCore, Token } from "markdown-it";
import { hasExtension } from "./mkdocs-extensions.ts";

const NUMBER_IN_COMMENT = /(?:#|\/\/|\/\*|<!--|--|;|%)[^\n]{0,300}\(\d{1,3}\)!?/;

/** Marks lists of annotations below code. Drops `[TOC]`: readers' sites generate their own tables of contents. */
export function addCodeNotes({ core: { ruler } }: MarkdownIt): void {
  ruler.after("block", "code_notes", (state) => {
    if (!hasExtension(state, "toc", "attr_list", "pymdownx.superfences")) return;
    markNotes(state);
    dropContents(state);
  });
}

function markNotes({ tokens }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    const list = tokens[index + 1];
    if (token.type !== "fence" || list?.type !== "ordered_list_open") continue;
    if (NUMBER_IN_COMMENT.test(token.content)) list.attrJoin("class", "code-notes");
  }
}

function dropContents(state: StateCore): void {
  const tokens: Token[] = [];
  for (let index = 0; index < state.tokens.length; index++) {
    const token = state.tokens[index] as Token;
    const isContents = token.type === "paragraph_open" && state.tokens[index + 1]?.content.trim() === "[TOC]";
    if (isContents) index += 2;
    else tokens.push(token);
  }
  state.tokens = tokens;
}
