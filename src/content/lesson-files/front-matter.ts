import { createLineCounter } from "../html/source-lines.ts";
import type { SourceLimits } from "../limits.ts";
import type { PlacedFields, PlacedValue } from "../resolve/placed-value.ts";
import { parseYaml } from "../resolve/yaml-text.ts";
import { cutText } from "../quote.ts";
import type { Location, Tell } from "../source.ts";

export interface FileText {
  fields: PlacedFields;
  body: string;
  /** The line of the file on which the body begins. */
  bodyLine: number;
}

/** Parts a lesson's text into front matter and body. Undefined when the front matter is broken; that is reported. */
export function splitFrontMatter(text: string, file: string, limits: SourceLimits, report: Tell): FileText | undefined {
  if (/^\+\+\+[ \t]*\r?\n/.test(text)) return splitTomlFrontMatter(text, file, report);
  const opening = /^---[ \t]*\r?\n/.exec(text);
  if (opening === null) return { fields: new Map(), body: text, bodyLine: 1 };
  const closing = /^---[ \t]*(?:\r?\n|$)/gm;
  closing.lastIndex = opening[0].length;
  const end = closing.exec(text);
  if (end === null) {
    const message = "the front matter that begins here is not closed by a line ---";
    report({ kind: "syntax", file, line: 1, message });
    return undefined;
  }
  const yaml = text.slice(opening[0].length, end.index);
  const parsed = parseYaml(yaml, { file, firstLine: 2, limits }, report);
  if (parsed === undefined) return undefined;
  const { value = new Map(), place } = parsed;
  if (!(value instanceof Map)) {
    report({
      kind: "syntax",
      ...place,
      message: "the front matter must be a list of fields such as name: Title",
    });
    return undefined;
  }
  const bodyLine = createLineCounter(text)(closing.lastIndex);
  return { fields: value, body: text.slice(closing.lastIndex), bodyLine };
}

/** No front matter is larger, and the parser's time grows faster than the text. */
const MAX_TOML = 65_536;

// `+++` above and below, as Hugo writes it.
function splitTomlFrontMatter(text: string, file: string, report: Tell): FileText | undefined {
  const fail = (message: string): undefined => {
    report({ kind: "syntax", file, line: 1, message });
  };
  const start = text.indexOf("\n") + 1;
  const closing = /^\+\+\+[ \t]*(?:\r?\n|$)/gm;
  closing.lastIndex = start;
  const end = closing.exec(text);
  if (end === null) return fail("the front matter that begins here is not closed by a line +++");
  const fields = parseToml(text.slice(start, end.index), { file, firstLine: 2 }, fail);
  if (fields === undefined) return undefined;
  return { fields, body: text.slice(closing.lastIndex), bodyLine: createLineCounter(text)(closing.lastIndex) };
}

/** Parses TOML, of which each scalar becomes text, as in YAML. Undefined when it cannot be read; `fail` is told why. */
export function parseToml(
  text: string,
  { file, firstLine }: { file: string; firstLine: number },
  fail: (message: string) => undefined,
): PlacedFields | undefined {
  if (text.length > MAX_TOML) return fail("too large: front matter in TOML may have 64 KiB");
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

/** The lines on which keys and tables begin, from 0. */
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
  // A date is an object of its own kind.
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return { value: String(value), place };
  }
  return { value: new Map(Object.entries(value).map(([name, each]) => [name, toPlaced(each, place)])), place };
}
