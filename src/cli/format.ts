/** `1 lesson`, `12,000 lessons`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Text of authors for a terminal: control characters, which could be commands to it, become blanks. */
export function toPrintable(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}

/** Rows as columns that line up, the first row being the head. */
export function formatTable(unsafeRows: string[][]): string {
  const rows = unsafeRows.map((row) => row.map(toPrintable));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ""))));
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
