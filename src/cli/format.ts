/** `12,000`: a whole number for people. */
export function formatNumber(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 lesson`, `12,000 lessons`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A time span in its largest unit: `45 s`, `3 min`, `5 h`, `12 d`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
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
  if (Bun.stringWidth(text) <= columns) return text;
  let [cut, width] = ["", 0];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += Bun.stringWidth(segment);
    if (width > columns - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** A text as lines of so many columns, broken between words; a longer word is cut. */
export function wrapText(text: string, columns: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && Bun.stringWidth(longer) > columns) lines.push(cutToWidth(word, columns));
    else lines[lines.length - 1] = cutToWidth(longer, columns);
  }
  return lines;
}
