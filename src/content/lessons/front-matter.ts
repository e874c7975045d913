import { createLineCounter } from "../html/line-counter.ts";
import type { SourceLimits } from "../limits.ts";
import type { PlacedFields } from "../placed/placed-value.ts";
import { parseYaml } from "../placed/yaml-text.ts";
import type { Report } from "../source.ts";

export interface FileText {
  fields: PlacedFields;
  body: string;
  /** The line of the file on which the body begins. */
  bodyLine: number;
}

/** Parts a lesson's text into front matter and body. Undefined when the front matter is broken; that is reported. */
export function splitFrontMatter(
  text: string,
  file: string,
  limits: SourceLimits,
  report: Report,
): FileText | undefined {
  const opening = /^---[ \t]*\r?\n/.exec(text);
  if (opening === null) return { fields: new Map(), body: text, bodyLine: 1 };
  const closing = /^---[ \t]*(?:\r?\n|$)/gm;
  closing.lastIndex = opening[0].length;
  const end = closing.exec(text);
  if (end === null) {
    const message = "the front matter that begins here is not closed by a line ---";
    report({ severity: "error", kind: "syntax", file, line: 1, message });
    return undefined;
  }
  const yaml = text.slice(opening[0].length, end.index);
  const parsed = parseYaml(yaml, { file, firstLine: 2, limits }, report);
  if (parsed === undefined) return undefined;
  const { value = new Map(), place } = parsed;
  if (!(value instanceof Map)) {
    report({
      severity: "error",
      kind: "syntax",
      ...place,
      message: "the front matter must be a list of fields such as name: Title",
    });
    return undefined;
  }
  const bodyLine = createLineCounter(text)(closing.lastIndex);
  return { fields: value, body: text.slice(closing.lastIndex), bodyLine };
}
