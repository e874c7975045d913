import { createLineCounter } from "../html/source-lines.ts";
import { type PlacedFields, type PlacedValue, findText } from "../resolve/placed-value.ts";
import { parseYaml, type YamlSource } from "../resolve/yaml-text.ts";
import { cutText } from "../quote.ts";
import type { Location, ReportFinding } from "../source.ts";

export interface FileText {
  fields: PlacedFields;
  body: string;
  /** The line of the file on which the body begins. */
  bodyLine: number;
}

/** Splits a lesson into front matter and body. Reports broken front matter and returns undefined. */
export function splitFrontMatter(
  text: string,
  file: string,
  source: YamlSource,
  report: ReportFinding,
): FileText | undefined {
  if (/^\+\+\+[ \t]*\r?\n/.test(text)) return splitTomlFrontMatter(text, file, report);
  const opening = /^---[ \t]*\r?\n/.exec(text);
  if (opening === null || isThematicBreak(text, source)) return { fields: new Map(), body: text, bodyLine: 1 };
  const closing = /^---[ \t]*(?:\r?\n|$)/gm;
  closing.lastIndex = opening[0].length;
  const end = closing.exec(text);
  if (end === null) {
    const message = "the front matter that begins here is not closed; end it with a line ---";
    report({ kind: "syntax", file, line: 1, message });
    return undefined;
  }
  const yaml = text.slice(opening[0].length, end.index);
  const parsed = parseYaml(yaml, { file, firstLine: 2, source }, report);
  if (parsed === undefined) return undefined;
  const { value = new Map(), place } = parsed;
  if (!(value instanceof Map)) {
    report({
      kind: "syntax",
      ...place,
      message: "the front matter must contain fields such as name: Title",
    });
    return undefined;
  }
  const bodyLine = createLineCounter(text)(closing.lastIndex);
  return { fields: value, body: text.slice(closing.lastIndex), bodyLine };
}

// As in Pandoc, `---` above a blank line normally does not open front matter:
// https://pandoc.org/MANUAL.html#extension-yaml_metadata_block. Other programs allow the blank line, so `---` does open
// front matter if fields follow.
function isThematicBreak(text: string, source: YamlSource): boolean {
  const [opening] = /^---[ \t]*\r?\n[ \t]*\r?\n/.exec(text) ?? [];
  if (opening === undefined) return false;
  const rest = text.slice(opening.length);
  const closing = /^---[ \t]*$/m.exec(rest);
  if (closing === null) return true;
  const parsed = parseYaml(rest.slice(0, closing.index), { file: "", firstLine: 1, source }, () => undefined);
  return parsed === undefined || (parsed.value !== undefined && !(parsed.value instanceof Map));
}

/** The maximum length of TOML to parse, since the parser takes superlinear time. */
const MAX_TOML = 65_536;

// Hugo's front matter is between two lines of `+++`.
function splitTomlFrontMatter(text: string, file: string, report: ReportFinding): FileText | undefined {
  const fail = (message: string): undefined => {
    report({ kind: "syntax", file, line: 1, message });
  };
  const start = text.indexOf("\n") + 1;
  const closing = /^\+\+\+[ \t]*(?:\r?\n|$)/gm;
  closing.lastIndex = start;
  const end = closing.exec(text);
  if (end === null) return fail("the front matter that begins here is not closed; end it with a line +++");
  const fields = parseToml(text.slice(start, end.index), { file, firstLine: 2 }, fail);
  if (fields === undefined) return undefined;
  return { fields, body: text.slice(closing.lastIndex), bodyLine: createLineCounter(text)(closing.lastIndex) };
}

/** Parses TOML. As in YAML, scalars become text. Passes the reason to `fail` if the TOML is invalid. */
export function parseToml(
  text: string,
  { file, firstLine }: { file: string; firstLine: number },
  fail: (message: string) => undefined,
): PlacedFields | undefined {
  if (text.length > MAX_TOML) return fail("too large: front matter in TOML is limited to 64 KiB");
  try {
    const parsed = Bun.TOML.parse(text) as Record<string, unknown>;
    const lines = findTomlLines(text);
    const placeOf = (name: string): Location => ({ file, line: (lines.get(name) ?? 0) + firstLine });
    return new Map(Object.entries(parsed).map(([name, value]) => [name, toPlaced(value, placeOf(name))]));
  } catch (error) {
    if (error instanceof RangeError) return fail("the TOML is nested too deeply to be read");
    return fail(cutText(error instanceof Error ? error.message : String(error)));
  }
}

/** Finds the lines of keys and tables, counted from 0. */
function findTomlLines(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  for (const [index, line] of text.split("\n").entries()) {
    const [, name] = /^\s*(?:\[+\s*)?["']?([\w-]+)["']?\s*[=.\]]/.exec(line) ?? [];
    if (name !== undefined && !lines.has(name)) lines.set(name, index);
  }
  return lines;
}

function toPlaced(value: unknown, place: Location): PlacedValue {
  if (Array.isArray(value)) return { value: value.map((each) => toPlaced(each, place)), place };
  // The parser represents dates as objects.
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return { value: String(value), place };
  }
  return { value: new Map(Object.entries(value).map(([name, each]) => [name, toPlaced(each, place)])), place };
}

const NAMES = ["minutes", "duration"] as const;
const MAX_TEXT = 60;
/** The same limit as for `durationMinutes`. */
const MAX_MINUTES = 999_999;

/** Converts the field `minutes` or `duration` to `durationMinutes`, unless the author also sets `durationMinutes`. */
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

/** Returns a duration in whole minutes, rounded up; undefined for unsupported forms, such as the ambiguous 1:30. */
function toMinutes(text: string): number | undefined {
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
