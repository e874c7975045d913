// Parses durations in front matter: `minutes: 45`, `duration: 1h 30m`, `duration: PT45M`.
import { cutText } from "../quote.ts";
import { findText, type PlacedFields } from "../resolve/placed-value.ts";
import type { ReportFinding } from "../source.ts";

const NAMES = ["minutes", "duration"] as const;
const MAX_TEXT = 60;
/** Matches the limit of Lectern's own field. */
const MAX_MINUTES = 999_999;

/** Converts such a field to `durationMinutes`, unless the author sets it. */
export function consumeDuration(fields: PlacedFields, report: ReportFinding): void {
  for (const name of NAMES) {
    const field = fields.get(name);
    fields.delete(name);
    if (field?.value === undefined || fields.get("durationMinutes")?.value !== undefined) continue;
    const text = findText(new Map([[name, field]]), name)?.trim() ?? "";
    const minutes = toMinutes(text);
    if (minutes !== undefined) fields.set("durationMinutes", { ...field, value: String(minutes) });
    else {
      const message = `${name} is ignored: "${cutText(text, 40)}" is not a duration such as 45, 1h 30m or PT45M`;
      report({ kind: "ignored-value", ...field.place, message });
    }
  }
}

/** Whole minutes, rounded up; undefined for other forms, such as the ambiguous 1:30. */
export function toMinutes(text: string): number | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const [, hours = "", minutes = "", seconds = ""] =
    /^(?:(\d+(?:\.\d+)?)\s*h(?:ours?|rs?)?)?[\s,]*(?:(\d+(?:\.\d+)?)\s*(?:m(?:in(?:ute)?s?\.?)?|$))?[\s,]*(?:(\d+)\s*s(?:ec(?:ond)?s?\.?)?)?$/i.exec(
      text,
    ) ??
    /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(text) ??
    [];
  if (hours + minutes + seconds === "") return undefined;
  const sum = Math.ceil(Number(hours) * 60 + Number(minutes) + Number(seconds) / 60);
  return sum <= MAX_MINUTES ? sum : undefined;
}
