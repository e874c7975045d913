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
