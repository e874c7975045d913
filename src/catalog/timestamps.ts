const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?([Zz]|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)$/;

/**
 * Turns an ISO 8601 date, or date-time with a zone, into UTC with milliseconds (`2026-01-31T09:30:00.000Z`); finer
 * fractions are cut. Undefined when the text is neither, or names a day that does not exist.
 */
export function toTimestamp(text: string): string | undefined {
  const day = DATE.test(text) ? text : DATE_TIME.exec(text)?.[1];
  if (day === undefined || !isCalendarDay(day)) return undefined;
  const date = new Date(text === day ? text : normalizeDateTime(text));
  if (Number.isNaN(date.getTime())) return undefined;
  const timestamp = date.toISOString();
  // A zone can move the first or last day out of the years with four digits; other years have a longer form.
  return timestamp.length === 24 ? timestamp : undefined;
}

// Date takes 2026-02-30 for 2 March; a day that reads back as itself exists.
function isCalendarDay(day: string): boolean {
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

// The one spelling that every engine's Date must parse (ECMA-262, Date Time String Format).
function normalizeDateTime(text: string): string {
  const upper = text
    .toUpperCase()
    .replace(" ", "T")
    .replace(/(\.\d{3})\d+/, "$1");
  // The zone, also as `+0200`, and as `+02`, which PostgreSQL writes.
  return upper.replace(/([+-]\d{2}):?(\d{2})?$/, (_, hours: string, minutes = "00") => `${hours}:${minutes}`);
}
