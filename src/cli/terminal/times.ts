import { InvalidArgumentError } from "commander";
import type { Cell } from "./table.ts";

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

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };

/** Converts a duration, such as `90d`, `12h`, `30m` or `45s`, to milliseconds. Throws InvalidArgumentError. */
export function parseDuration(text: string): number {
  const [, count = "", unit = ""] = /^([1-9]\d{0,5})([dhms])$/.exec(text) ?? [];
  const duration = Number(count) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? 0);
  // Timestamps have four-digit years.
  if (duration > 0 && Date.now() + duration < Date.UTC(9999, 0)) return duration;
  throw new InvalidArgumentError("Expected a number and a unit, such as 90d, 12h, 30m or 45s.");
}
