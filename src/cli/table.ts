import { toPrintable } from "../catalog/printable.ts";
import { cutToWidth, wrapText } from "./format.ts";
import { paint } from "./paint.ts";
import type { Display } from "./terminal.ts";

/** What stands in a cell: the same for everybody, or one text for programs and files, one for people, one where room is short. */
export type Cell = string | { exact: string; full: string; short: string };

export interface Table {
  head: string[];
  rows: Cell[][];
  /** The heads of columns that may be cut: no ids, no numbers. */
  cuts?: string[];
  /** The heads of columns that are left out where room is short, the first ones first. */
  drops?: string[];
}

const GAP = "  ";
/** Less of a text tells nothing. */
const MIN_CUT_COLUMNS = 12;

/**
 * Rows as columns that line up. At a terminal they fit its width: long texts are cut, and columns left out, which is told;
 * where that is not enough, each row is shown as lines of its own.
 */
export function formatTable(table: Table, display: Display): string {
  const { head, rows, cuts = [], drops = [] } = table;
  const { columns } = display;
  const toTexts = (form: keyof Exclude<Cell, string>): string[][] =>
    rows.map((row) => row.map((cell) => toPrintable(typeof cell === "string" ? cell : cell[form])));
  if (columns === undefined) return formatColumns(head, toTexts("exact"), measure(head, toTexts("exact")), display);
  for (const form of ["full", "short"] as const) {
    const texts = toTexts(form);
    const widths = measure(head, texts);
    if (form === "short") shrink(widths, head, cuts, columns);
    if (sumWidths(widths) <= columns) return formatColumns(head, texts, widths, display);
  }
  for (let count = 1; count <= drops.length; count++) {
    const dropped = drops.slice(0, count);
    const kept = head.map((title) => !dropped.includes(title));
    const keep = <T>(cells: T[]): T[] => cells.filter((_, column) => kept[column]);
    const [shownHead, texts] = [keep(head), toTexts("short").map(keep)];
    const widths = measure(shownHead, texts);
    shrink(widths, shownHead, cuts, columns);
    if (sumWidths(widths) > columns) continue;
    const more = paint(cutToWidth(`More in a wider window: ${dropped.join(", ")}`, columns), "dim", display);
    return `${formatColumns(shownHead, texts, widths, display)}\n${more}`;
  }
  return formatRecords(head, toTexts("full"), columns, display);
}

function measure(head: string[], texts: string[][]): number[] {
  // Not with Math.max(...): so many arguments, one for each row, would exhaust the stack.
  return head.map((title, column) =>
    texts.reduce((width, row) => Math.max(width, Bun.stringWidth(row[column] ?? "")), Bun.stringWidth(title)),
  );
}

function sumWidths(widths: number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
}

/** Takes from the widest of the columns that may be cut, until all fit or no more can be taken. */
function shrink(widths: number[], head: string[], cuts: string[], columns: number): void {
  const cuttable = head.flatMap((title, column) => (cuts.includes(title) ? [column] : []));
  for (let excess = sumWidths(widths) - columns; excess > 0; excess--) {
    const widest = cuttable.reduce<number | undefined>(
      (most, column) => (most === undefined || (widths[column] ?? 0) > (widths[most] ?? 0) ? column : most),
      undefined,
    );
    if (widest === undefined || (widths[widest] ?? 0) <= MIN_CUT_COLUMNS) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

function formatColumns(head: string[], texts: string[][], widths: number[], display: Display): string {
  const format = (row: string[]): string =>
    row
      .map((text, column) => cutToWidth(text, widths[column] ?? 0))
      .map((text, column) => text + " ".repeat(Math.max(0, (widths[column] ?? 0) - Bun.stringWidth(text))))
      .join(GAP)
      .trimEnd();
  return [paint(format(head), "bold", display), ...texts.map(format)].join("\n");
}

function formatRecords(head: string[], texts: string[][], columns: number, display: Display): string {
  const width = head.reduce((most, title) => Math.max(most, Bun.stringWidth(title)), 0);
  return texts
    .map((row) =>
      head
        .map((title, column) => ({ title, text: row[column] ?? "" }))
        .filter(({ text }) => text !== "")
        .map(({ title, text }) => {
          const label = paint(title, "bold", display) + " ".repeat(width - Bun.stringWidth(title));
          const lines = wrapText(text, Math.max(MIN_CUT_COLUMNS, columns - width - GAP.length));
          return `${label}${GAP}${lines.join(`\n${" ".repeat(width)}${GAP}`)}`;
        })
        .join("\n"),
    )
    .join("\n\n");
}
