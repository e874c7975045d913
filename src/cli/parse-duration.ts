import { InvalidArgumentError } from "commander";

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };

/** `90d`, `12h`, `30m`, `45s` in milliseconds. Throws InvalidArgumentError. */
export function parseDuration(text: string): number {
  const [, count = "", unit = ""] = /^([1-9]\d{0,5})([dhms])$/.exec(text) ?? [];
  const duration = Number(count) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? 0);
  // Later years have five digits, which timestamps here cannot have.
  if (duration > 0 && Date.now() + duration < Date.UTC(9999, 0)) return duration;
  throw new InvalidArgumentError("Expected a number and a unit, such as 90d, 12h, 30m or 45s.");
}
