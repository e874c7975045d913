// Renders Markdown to HTML with a line map.
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
  /** The HTML, with links as written. */
  html: string;
  /** Maps the HTML to lines from 1. */
  pieces: SourcePiece[];
  /** The text of the first level-1 heading, if any. */
  title: string | undefined;
  /** The quiz; "" without questions. */
  quizHtml: string;
  /** The number of MDX questions. */
  selfChecks: number;
  /** The lines with surplus table cells. Such cells are not rendered. */
  droppedCells: number[];
  /** Remarks from the dialect's rules. */
  remarks: TextRemark[];
  /** The text of each label; undefined unless the dialect sets `hasLabels`. */
  labels: ReadonlyMap<string, string> | undefined;
  /** True if URLs such as `javascript:` stayed text. */
  hasRefusedLinks: boolean;
}

export interface MarkdownOptions extends MarkdownSyntax {
  /** Where to show questions; "quiz" by default. */
  quizPlace?: QuizPlace;
  /** The lesson's name; if undefined, the first level-1 heading is the name. */
  name?: string | undefined;
}

/**
 * Renders Markdown. Drops a leading heading that repeats the name, but keeps the heading's id. Throws UnreadableText
 * beyond a limit.
 */
export function renderMarkdown(markdown: string, options: MarkdownOptions): RenderedMarkdown {
  const refusedBefore = countRefusedLinks();
  const remarks: TextRemark[] = [];
  const labels = options.dialect.hasLabels === true ? new Map<string, string>() : undefined;
  const tokens = parseMarkdown(markdown, { ...options, remarks, labels });
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
    labels,
    hasRefusedLinks: countRefusedLinks() > refusedBefore,
  };
}

function findTitle(tokens: Token[]): string | undefined {
  const heading = tokens.findIndex((token) => token.type === "heading_open" && token.tag === "h1");
  const title = toText(tokens[heading + 1]?.children ?? []).trim();
  return heading === -1 || title === "" ? undefined : title;
}

// Sites show the name above the text, so the heading would repeat it. A heading with images or links stays.
function dropName(tokens: Token[], name: string): void {
  // Labels, and components such as notebook links, can precede the heading.
  const first = tokens.findIndex(({ meta }) => {
    const { item, label } = (meta ?? {}) as Partial<JsxMeta> & { label?: string };
    return item === undefined && label === undefined;
  });
  const [heading, text, , next] = tokens.slice(first, first + 4);
  if (heading?.type !== "heading_open" || heading.level > 0 || text === undefined || next === undefined) return;
  const children = text.children ?? [];
  if (children.some(({ type }) => type === "image" || type === "link_open" || type === "html_inline")) return;
  if (foldName(toText(children)) !== foldName(name)) return;
  // Keeps the heading's id for links, unless another heading has the same id.
  const id = heading.attrGet("id");
  const isTaken = tokens.some(
    (token) => token !== heading && token.type === "heading_open" && token.attrGet("id") === id,
  );
  tokens.splice(first, 3, ...(isTaken ? [] : [toAnchor(heading)]));
}

/** Lists the lines of table rows with more cells than the header; Markdown drops the surplus cells. */
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
