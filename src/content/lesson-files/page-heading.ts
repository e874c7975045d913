import type { SourceTree } from "../files/source-tree.ts";
import { parseMarkdown } from "../markdown/create-parser.ts";
import { MARKDOWN } from "../markdown/dialects.ts";
import { toText } from "../markdown/tokens.ts";
import { readNotebook } from "./notebook-cells.ts";
import { UnreadableText } from "../limits.ts";

/** The length of the text to search, from the top, in UTF-16 code units. */
const MAX_SEARCHED = 10_000;

/** Returns the first level-1 heading near the top of a Markdown page or notebook, if any. */
export async function findPageHeading(tree: SourceTree, path: string): Promise<string | undefined> {
  const text = await tree.readText(path, () => undefined);
  if (text === undefined) return undefined;
  try {
    const markdown = /\.ipynb$/i.test(path) ? readFirstCells(text, tree) : text.replace(/^---\n.*?\n---\n/s, "");
    const tokens = parseMarkdown(markdown.slice(0, MAX_SEARCHED), { dialect: MARKDOWN, limits: tree.limits });
    const heading = tokens.findIndex(({ type, tag }) => type === "heading_open" && tag === "h1");
    return heading === -1 ? undefined : toText(tokens[heading + 1]?.children ?? []).trim() || undefined;
  } catch (error) {
    if (error instanceof UnreadableText) return undefined;
    throw error;
  }
}

function readFirstCells(json: string, { limits }: SourceTree): string {
  const cells = readNotebook(json, limits).cells.filter(({ kind }) => kind === "markdown");
  return cells
    .slice(0, 3)
    .flatMap(({ lines }) => [...lines, ""])
    .join("\n");
}
