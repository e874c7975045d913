/** `12,000`: a whole number for people. */
export function formatNumber(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 lesson`, `12,000 lessons`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** `812 bytes`, `14.2 kB`, `3.4 MB`, `1.2 GB`: decimal, as `formatMegabytes`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return formatCount(bytes, "byte");
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return bytes < 1_000_000_000 ? formatMegabytes(bytes) : formatMegabytes(bytes / 1000).replace("MB", "GB");
}

/** Decimal, as disks are sold: `12.3 MB`. */
export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`;
}

/** A text that takes so many columns of a terminal at most; one that is longer ends in `…`. */
export function cutToWidth(text: string, columns: number): string {
  return Bun.sliceAnsi(text, 0, columns, "…");
}

/** A text in lines of so many columns, broken between words; a longer word is broken, too. */
export function wrapText(text: string, columns: number): string {
  return Bun.wrapAnsi(text, columns, { hard: true });
}
