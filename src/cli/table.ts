import { toPrintable } from "../catalog/printable.ts";
import { cutToWidth, wrapText } from "./format.ts";
import { paint } from "./paint.ts";
import type { Display } from "./terminal.ts";

/** What stands in a cell: the same for everybody, or one text for programs and files and another for people. */
export type Cell = string | { exact: string; short: string };

export interface Table {
  head: string[];
  rows: Cell[][];
  /** The heads of columns that may be cut: no ids, no numbers. */
  cuts?: string[];
  /** The heads of columns that are left out where a terminal is narrow, the first ones first. */
  drops?: string[];
}

const GAP = "  ";
/** Less of a text tells nothing. */
const MIN_CUT_COLUMNS = 12;

/**
 * Rows as columns that line up. At a terminal they fit its width: long texts are cut, and columns left out, which is told;
 * where that is not enough, each row is shown as lines of its own.
 */
export function formatTable({ head, rows, cuts = [], drops = [] }: Table, display: Display): string {
  const { columns = Infinity } = display;
  const form = display.columns === undefined ? "exact" : "short";
  const texts = rows.map((row) => row.map((cell) => toPrintable(typeof cell === "string" ? cell : cell[form])));
  for (let count = 0; count <= drops.length; count++) {
    const dropped = drops.slice(0, count);
    const keep = (row: string[]): string[] => row.filter((_, column) => !dropped.includes(head[column] ?? ""));
    const lines = formatColumns([head, ...texts].map(keep), cuts, columns);
    if (lines === undefined) continue;
    const more = cutToWidth(`More in a wider window: ${dropped.join(", ")}`, columns);
    const [title = "", ...others] = lines;
    return [paint(title, "bold", display), ...others, ...(count === 0 ? [] : [paint(more, "dim", display)])].join("\n");
  }
  return texts.map((row) => formatRecord(head, row, display)).join("\n\n");
}

/** Undefined when they do not fit. */
function formatColumns(rows: string[][], cuts: string[], columns: number): string[] | undefined {
  const head = rows[0] ?? [];
  // Not with Math.max(...): so many arguments, one for each row, would exhaust the stack.
  const widths = head.map((_, column) =>
    rows.reduce((most, row) => Math.max(most, Bun.stringWidth(row[column] ?? "")), 0),
  );
  const cuttable = head.flatMap((title, column) => (cuts.includes(title) ? [column] : []));
  const widthOf = (column: number): number => widths[column] ?? 0;
  let excess = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - columns;
  for (; excess > 0; excess--) {
    const widest = cuttable.toSorted((a, b) => widthOf(b) - widthOf(a))[0];
    if (widest === undefined || widthOf(widest) <= MIN_CUT_COLUMNS) return undefined;
    widths[widest] = widthOf(widest) - 1;
  }
  const pad = (text: string, width: number): string => text + " ".repeat(width - Bun.stringWidth(text));
  return rows.map((row) =>
    row
      .map((text, column) => pad(cutToWidth(text, widthOf(column)), widthOf(column)))
      .join(GAP)
      .trimEnd(),
  );
}

function formatRecord(head: string[], row: string[], display: Display): string {
  const width = head.reduce((most, title) => Math.max(most, title.length), 0);
  const rest = Math.max(MIN_CUT_COLUMNS, (display.columns ?? Infinity) - width - GAP.length);
  const lines = head.flatMap((title, column) => {
    const text = row[column] ?? "";
    const wrapped = wrapText(text, rest).replaceAll("\n", `\n${" ".repeat(width)}${GAP}`);
    return text === "" ? [] : [paint(title, "bold", display) + " ".repeat(width - title.length) + GAP + wrapped];
  });
  return lines.join("\n");
}
