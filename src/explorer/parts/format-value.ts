// Formats numbers, times and sizes in the browser's language.
const NUMBER = new Intl.NumberFormat();
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Returns `1,234`. */
export const formatNumber = (value: number): string => NUMBER.format(value);
export const formatDate = (timestamp: string): string => DATE.format(new Date(timestamp));
export const formatDateTime = (timestamp: string): string => DATE_TIME.format(new Date(timestamp));

/** Returns `1 lesson` or `2 lessons`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** Returns `812 B` or `4.1 KB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Formats whole minutes as `45 min` or `1 h 30 min`. */
export function formatMinutes(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : "", rest > 0 || hours === 0 ? `${rest} min` : ""]
    .filter((part) => part !== "")
    .join(" ");
}

/** Returns a language's name, such as `German` for `de`, or the tag if the name is unknown. */
export function formatLanguage(tag: string): string {
  try {
    return new Intl.DisplayNames(undefined, { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
