// Markdown to HTML, and the lines that it comes from.
import type { Token } from "markdown-it";
import { foldName } from "../../catalog/fold-name.ts";
import type { SourcePiece } from "../html/source-lines.ts";
import { toAnchor } from "./rules/heading-ids.ts";
import type { MarkdownSyntax, TextRemark } from "./markdown-environment.ts";
import { countRefusedLinks, parseMarkdown, renderWithLines } from "./create-parser.ts";
import type { QuizPlace } from "./mdx/mdx-quiz.ts";
import type { JsxMeta } from "./mdx/show-components.ts";
import { toText } from "./tokens.ts";

export interface RenderedMarkdown {
  /** With its links as they were written. */
  html: string;
  /** Where the HTML comes from; lines count from 1 at the start of the Markdown. */
  pieces: SourcePiece[];
  /** The text of the first level-1 heading; undefined when there is none. */
  title: string | undefined;
  /** "" where the text has no questions. */
  quizHtml: string;
  /** How many questions of MDX it has. */
  selfChecks: number;
  /** The lines with cells of tables that readers do not get. */
  droppedCells: number[];
  /** What the rules of the dialect have to tell. */
  remarks: TextRemark[];
  /** True where addresses such as `javascript:` stay text. */
  hasRefusedLinks: boolean;
}

export interface MarkdownOptions extends MarkdownSyntax {
  /** Where questions are shown that the text holds; "quiz" where absent. */
  quizPlace?: QuizPlace;
  /** What the lesson is called; undefined where the first level-1 heading is to name it. */
  name?: string | undefined;
}

/** Renders Markdown; a heading above all else that says the name again is left out, but for its id. Throws UnreadableText. */
export function renderMarkdown(markdown: string, options: MarkdownOptions): RenderedMarkdown {
  const refusedBefore = countRefusedLinks();
  const remarks: TextRemark[] = [];
  const tokens = parseMarkdown(markdown, { ...options, remarks });
  const title = findTitle(tokens);
  const { quizPlace = "quiz", answers = "self-check" } = options;
  const { quizHtml = "", questions: selfChecks = 0 } =
    options.components?.placeQuestions(tokens, options, { quizPlace, answers }) ?? {};
  const droppedCells = listDroppedCells(markdown, tokens);
  const name = options.name ?? title;
  if (name !== undefined) dropName(tokens, name);
  return {
    ...renderWithLines(tokens, options),
    title,
    quizHtml,
    selfChecks,
    droppedCells,
    remarks,
    hasRefusedLinks: countRefusedLinks() > refusedBefore,
  };
}

function findTitle(tokens: Token[]): string | undefined {
  const heading = tokens.findIndex((token) => token.type === "heading_open" && token.tag === "h1");
  const title = toText(tokens[heading + 1]?.children ?? []).trim();
  return heading === -1 || title === "" ? undefined : title;
}

// Sites show the name above the text. A heading that holds more than text stays: an image or a link would be lost.
function dropName(tokens: Token[], name: string): void {
  // Components may stand above it, such as links to notebooks.
  const first = tokens.findIndex(({ meta }) => (meta as JsxMeta | null)?.item === undefined);
  const [heading, text, , next] = tokens.slice(first, first + 4);
  if (heading?.type !== "heading_open" || heading.level > 0 || text === undefined || next === undefined) return;
  const children = text.children ?? [];
  if (children.some(({ type }) => type === "image" || type === "link_open" || type === "html_inline")) return;
  if (foldName(toText(children)) !== foldName(name)) return;
  // Links to the heading lead to where it was, unless another one that readers see has its id.
  const id = heading.attrGet("id");
  const isTaken = tokens.some(
    (token) => token !== heading && token.type === "heading_open" && token.attrGet("id") === id,
  );
  tokens.splice(first, 3, ...(isTaken ? [] : [toAnchor(heading)]));
}

/** The lines with cells that Markdown drops: those of a row of a table beyond the columns that its head has. */
function listDroppedCells(markdown: string, tokens: readonly Token[]): number[] {
  const dropped: number[] = [];
  let lines: string[] | undefined;
  let columns = 0;
  for (const { type, map } of tokens) {
    if (type === "thead_open") columns = 0;
    else if (type === "th_open") columns++;
    else if (type === "tr_open" && map !== null && columns > 0) {
      lines ??= markdown.split(/\r\n?|\n/);
      const [, ...cells] = ` ${(lines[map[0]] ?? "").replace(/^[ \t>]*\|/, "")}`.split(/(?<!\\)\|/);
      if (cells.slice(columns - 1).some((cell) => cell.trim() !== "")) dropped.push(map[0] + 1);
    }
  }
  return dropped;
}
