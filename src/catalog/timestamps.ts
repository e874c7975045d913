const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?([Zz]|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)$/;

/** Converts an ISO 8601 date, or date-time with a zone, to a UTC timestamp with milliseconds; undefined if invalid. */
export function toTimestamp(text: string): string | undefined {
  const day = DATE.test(text) ? text : DATE_TIME.exec(text)?.[1];
  if (day === undefined || !isCalendarDay(day)) return undefined;
  const date = new Date(text === day ? text : normalizeDateTime(text));
  if (Number.isNaN(date.getTime())) return undefined;
  const timestamp = date.toISOString();
  // A zone can shift the date to a year with more than four digits, which makes the timestamp longer.
  return timestamp.length === 24 ? timestamp : undefined;
}

// Date parses 2026-02-30 as 2 March; a real day round-trips unchanged.
function isCalendarDay(day: string): boolean {
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

// Converts to the only form that every engine's Date must parse (ECMA-262, Date Time String Format).
function normalizeDateTime(text: string): string {
  const upper = text
    .toUpperCase()
    .replace(" ", "T")
    .replace(/(\.\d{3})\d+/, "$1");
  // Completes the zones `+0200` and `+02`. PostgreSQL writes the latter.
  return upper.replace(/([+-]\d{2}):?(\d{2})?$/, (_, hours: string, minutes = "00") => `${hours}:${minutes}`);
}
