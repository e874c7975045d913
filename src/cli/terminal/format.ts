// How numbers, times, colors and tables look.
import { styleText } from "node:util";
import { toPrintable } from "../../catalog/printable.ts";
import { formatProblem, type Problem } from "../../content/source.ts";
import type { Display } from "./terminal.ts";

/** Formats a number, such as `12,000`. */
export function formatNumber(count: number): string {
  return count.toLocaleString("en-US");
}

/** Formats a count, such as `1 lesson` or `12,000 lessons`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Formats a size, such as `812 bytes`, `14.2 kB`, `3.4 MB` or `1.2 GB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return formatCount(bytes, "byte");
  const [unit, name] = bytes < 1e6 ? [1e3, "kB"] : bytes < 1e9 ? [1e6, "MB"] : [1e9, "GB"];
  return `${(bytes / unit).toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ${name}`;
}

const UNITS = [
  { name: "year", seconds: 31_557_600 },
  { name: "month", seconds: 2_629_800 },
  { name: "day", seconds: 86_400 },
  { name: "hour", seconds: 3600 },
  { name: "minute", seconds: 60 },
] as const;

/** Describes a time relative to now, such as `2 hours ago`, `in 3 days` or `just now`. */
export function formatRelative(timestamp: string, now: Date): string {
  const seconds = (Date.parse(timestamp) - now.getTime()) / 1000;
  const unit = UNITS.find((each) => Math.abs(seconds) >= each.seconds);
  if (unit === undefined) return seconds > 0 ? "in a moment" : "just now";
  return new Intl.RelativeTimeFormat("en").format(Math.round(seconds / unit.seconds), unit.name);
}

/** Describes a time in relative and absolute form, such as `2 hours ago, 2026-11-21 20:14 UTC`. */
export function formatMoment(timestamp: string, now: Date): string {
  return `${formatRelative(timestamp, now)}, ${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`;
}

export function toTimeCell(timestamp: string | null | undefined, now: Date, absent: string): Cell {
  if (timestamp === undefined || timestamp === null) return absent;
  return { exact: timestamp, short: formatRelative(timestamp, now) };
}

export function paint(
  text: string,
  color: "bold" | "dim" | "red" | "yellow",
  { hasColors }: Pick<Display, "hasColors">,
): string {
  return hasColors ? styleText(color, text, { validateStream: false }) : text;
}

export function formatPaintedProblem(problem: Problem, display: Display): string {
  const { severity } = problem;
  const word = paint(severity, severity === "error" ? "red" : "yellow", display);
  return formatProblem(problem).replace(`: ${severity}: `, () => `: ${word}: `);
}

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
