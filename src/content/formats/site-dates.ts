// Dates as builders of sites write them in front matter.
import { toTimestamp } from "../../catalog/timestamps.ts";

/** The moment that a date means, in milliseconds since 1970; undefined for what is none. Without a zone it is in UTC. */
export function toInstant(text: string): number | undefined {
  const exact = toTimestamp(toIsoDate(text));
  if (exact !== undefined) return Date.parse(exact);
  // Jan 31, 2026
  const written = text.trim();
  const hasZone = /(?:[A-Z]{1,5}|[+-]\d\d:?\d\d)$/.test(written);
  const parsed = /\b\d{4}\b/.test(written) ? Date.parse(hasZone ? written : `${written} UTC`) : NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** A date of Jekyll, `2024-05-01 10:00:00 +0200`, as ISO 8601 has it; any other text as it is. */
export function toIsoDate(text: string): string {
  const parts = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?$/.exec(text.trim());
  if (parts === null) return text.trim();
  const zone = parts[3] ?? "Z";
  return `${parts[1]}T${parts[2]}${zone === "Z" || zone.includes(":") ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`}`;
}
