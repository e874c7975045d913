// Lists of definitions as Pandoc writes them: a term on a line of its own, and below it `:   what it means`, and whatever is
// indented by four below that.
import type { MarkdownIt, StateCore, Token } from "markdown-it";
import { environmentOf } from "./markdown-environment.ts";

/** Adds lists of definitions to a parser. */
export function addDefinitionListRule({ core: { ruler } }: MarkdownIt): void {
  ruler.after("block", "definition_lists", readDefinitionLists);
}

interface Definition {
  tag: "dt" | "dd";
  content: string;
  line: number;
  /** What stands below the text of a definition and belongs to it. */
  blocks: Token[];
}

function readDefinitionLists(state: StateCore): void {
  if (!environmentOf(state).dialect.hasDefinitionLists) return;
  const tokens: Token[] = [];
  const list: Definition[] = [];
  const endList = (): void => {
    if (list.length > 0) for (const token of createList(state, list.splice(0))) tokens.push(token);
  };
  for (let index = 0; index < state.tokens.length; index++) {
    const [opening, text, closing] = state.tokens.slice(index, index + 3);
    if (opening === undefined) break;
    const isParagraph = opening.type === "paragraph_open" && text !== undefined && closing !== undefined;
    const following = state.tokens[index + 4];
    const isFollowed = state.tokens[index + 3]?.type === "paragraph_open" && /^:[ \t]/.test(following?.content ?? "");
    const last = list.at(-1);
    if (opening.type === "code_block" && last?.tag === "dd") {
      for (const block of parseBlocks(state, opening)) last.blocks.push(block);
      continue;
    }
    const definitions = isParagraph ? parseDefinitions(text, list.length > 0, isFollowed) : undefined;
    if (definitions === undefined) {
      endList();
      tokens.push(opening);
    } else {
      for (const definition of definitions) list.push(definition);
      index += 2;
    }
  }
  endList();
  state.tokens = tokens;
}

/** Undefined for a paragraph that is none: a term needs a definition, and a definition a term. */
function parseDefinitions({ content, map }: Token, isInList: boolean, isFollowed: boolean): Definition[] | undefined {
  const lines = content.split("\n");
  const isDefinition = (line: string | undefined): boolean => line !== undefined && /^:[ \t]/.test(line);
  const [first = "", second] = lines;
  const isTerm = !isDefinition(first) && (isDefinition(second) || (lines.length === 1 && isFollowed));
  if (!isTerm && !(isDefinition(first) && isInList)) return undefined;
  const start = map?.[0] ?? 0;
  const definitions: Definition[] = [];
  for (const [index, line] of lines.entries()) {
    const last = definitions.at(-1);
    if (isDefinition(line))
      definitions.push({ tag: "dd", content: line.slice(1).trim(), line: start + index, blocks: [] });
    else if (last === undefined || (last.tag === "dd" && isDefinition(lines[index + 1])))
      definitions.push({ tag: "dt", content: line.trim(), line: start + index, blocks: [] });
    else last.content += `\n${line}`;
  }
  return definitions;
}

// It was read as code, since a definition is an ordinary paragraph to CommonMark.
function parseBlocks({ md, env }: StateCore, code: Token): Token[] {
  const blocks: Token[] = [];
  md.block.parse(code.content, md, env, blocks);
  const firstLine = code.map?.[0] ?? 0;
  for (const block of blocks) if (block.map !== null) block.map = [block.map[0] + firstLine, block.map[1] + firstLine];
  return blocks;
}

function createList(state: StateCore, definitions: Definition[]): Token[] {
  const create = (tag: string, nesting: 1 | -1): Token => {
    const name = tag === "p" ? "paragraph" : tag;
    const token = new state.Token(`${name}_${nesting === 1 ? "open" : "close"}`, tag, nesting);
    token.block = true;
    return token;
  };
  const parts = definitions.flatMap(({ tag, content, line, blocks }) => {
    const inline = new state.Token("inline", "", 0);
    inline.content = content;
    inline.children = [];
    inline.map = [line, line + 1];
    const text = blocks.length === 0 ? [inline] : [create("p", 1), inline, create("p", -1)];
    return [create(tag, 1), ...text, ...blocks, create(tag, -1)];
  });
  return [create("dl", 1), ...parts, create("dl", -1)];
}
