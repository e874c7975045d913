import type { Cell } from "./table.ts";

const UNITS = [
  { name: "year", seconds: 31_557_600 },
  { name: "month", seconds: 2_629_800 },
  { name: "day", seconds: 86_400 },
  { name: "hour", seconds: 3600 },
  { name: "minute", seconds: 60 },
] as const;

/** `2 hours ago`, `in 3 days`, `just now`: how far a UTC timestamp is from now, in the largest unit that it fills, rounded. */
export function formatRelative(timestamp: string, now: Date): string {
  const seconds = (now.getTime() - Date.parse(timestamp)) / 1000;
  const unit = UNITS.find((each) => Math.abs(seconds) >= each.seconds);
  if (unit === undefined) return seconds < 0 ? "in a moment" : "just now";
  const count = Math.round(Math.abs(seconds) / unit.seconds);
  const span = `${count} ${unit.name}${count === 1 ? "" : "s"}`;
  return seconds < 0 ? `in ${span}` : `${span} ago`;
}

/** `2026-11-21 20:14 UTC` of a UTC timestamp. */
export function formatMinute(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`;
}

/** `2 hours ago, 2026-11-21 20:14 UTC` */
export function formatMoment(timestamp: string, now: Date): string {
  return `${formatRelative(timestamp, now)}, ${formatMinute(timestamp)}`;
}

/** A time in a table: the timestamp for programs, how long ago for people. `absent` stands where there is none. */
export function toTimeCell(timestamp: string | null | undefined, now: Date, absent: string): Cell {
  if (timestamp === undefined || timestamp === null) return absent;
  return { exact: timestamp, full: formatMoment(timestamp, now), short: formatRelative(timestamp, now) };
}
