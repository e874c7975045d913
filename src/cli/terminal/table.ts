import { toPrintable } from "../../catalog/printable.ts";
import { paint } from "./paint.ts";
import type { Display } from "./terminal.ts";

/** The text of a cell, or two texts: `exact` for files and pipes, `short` for terminals. */
export type Cell = string | { exact: string; short: string };

export interface Table {
  head: string[];
  rows: Cell[][];
  /** The heads of columns whose texts are cut for a narrow terminal. */
  cuts?: string[];
  /** The heads of columns that are left out for a narrow terminal, in this order. */
  drops?: string[];
}

const GAP = "  ";
const MIN_CUT_COLUMNS = 12;

/**
 * Aligns columns. For a narrow terminal, cuts texts and leaves out columns. The last line names the columns left out.
 */
export function formatTable({ head, rows, cuts = [], drops = [] }: Table, display: Display): string {
  const { columns = Infinity } = display;
  const form = display.columns === undefined ? "exact" : "short";
  const texts = rows.map((row) => row.map((cell) => toPrintable(typeof cell === "string" ? cell : cell[form])));
  for (let count = 0; ; count++) {
    const dropped = drops.slice(0, count);
    const keep = (row: string[]): string[] => row.filter((_, column) => !dropped.includes(head[column] ?? ""));
    const [widths, fits] = fitColumns([head, ...texts].map(keep), cuts, columns);
    if (!fits && count < drops.length) continue;
    const [title = "", ...lines] = [head, ...texts].map((row) => formatRow(keep(row), widths));
    const more = Bun.sliceAnsi(`More in a wider window: ${dropped.join(", ")}`, 0, columns, "…");
    return [paint(title, "bold", display), ...lines, ...(count === 0 ? [] : [paint(more, "dim", display)])].join("\n");
  }
}

function fitColumns([head = [], ...rows]: string[][], cuts: string[], columns: number): [number[], boolean] {
  // `Math.max(...)` with an argument for each row could exhaust the stack.
  const widths = head.map((title, column) =>
    rows.reduce((most, row) => Math.max(most, Bun.stringWidth(row[column] ?? "")), title.length),
  );
  let excess = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - columns;
  for (; excess > 0; excess--) {
    const widest = Math.max(...widths.filter((_, column) => cuts.includes(head[column] ?? "")), MIN_CUT_COLUMNS);
    const column = widths.findIndex((width, index) => width === widest && cuts.includes(head[index] ?? ""));
    if (column === -1 || widest === MIN_CUT_COLUMNS) return [widths, false];
    widths[column] = widest - 1;
  }
  return [widths, true];
}

function formatRow(row: string[], widths: number[]): string {
  const cells = row.map((text, column) => {
    const width = widths[column] ?? 0;
    const shown = Bun.sliceAnsi(text, 0, width, "…");
    return shown + " ".repeat(width - Bun.stringWidth(shown));
  });
  return cells.join(GAP).trimEnd();
}
