import { toPrintable } from "../catalog/printable.ts";

/** `1 lesson`, `12,000 lessons`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Rows as columns that line up, the first row being the head. */
export function formatTable(unsafeRows: string[][]): string {
  const rows = unsafeRows.map((row) => row.map(toPrintable));
  // Not with Math.max(...): so many arguments, one for each row, would exhaust the stack.
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((width, row) => Math.max(width, Bun.stringWidth(row[column] ?? "")), 0),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - Bun.stringWidth(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A time span in its largest unit: `45 s`, `3 min`, `5 h`, `12 d`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** `812 bytes`, `14.2 kB`, `3.4 MB`: decimal, as `formatMegabytes`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return formatCount(bytes, "byte");
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : formatMegabytes(bytes);
}

/** Decimal, as disks are sold: `12.3 MB`. */
export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`;
}
