// Takes the part of an included file that a directive's options select:
// https://docutils.sourceforge.io/docs/ref/rst/directives.html#include,
// https://www.sphinx-doc.org/en/master/usage/restructuredtext/directives.html#directive-literalinclude
import { countLineBreaks } from "../../markdown/prepared-text.ts";
import { takeRanges, type NumberedLine } from "../line-ranges.ts";

/** Returns the lines of a file that the options select, and their text. The text begins after `skipped` lines. */
export function takePart(
  text: string,
  options: ReadonlyMap<string, string>,
  isLiteral: boolean,
  skipped = 0,
): { body: string; lines: NumberedLine[] } {
  const lines = text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((line, index) => ({ text: line, number: skipped + index + 1 }));
  const numbers = options.get("lines");
  const taken = numbers === undefined ? lines : takeRanges(lines, numbers.split(",").map(toRange));
  const part = taken.slice(toLine(options.get("start-line"), 0), toLine(options.get("end-line"), taken.length));
  if (!isLiteral) return cutPart(part, options);
  const kept = cutLines(part, options);
  const dedent = toLine(options.get("dedent"), 0);
  const indent = new RegExp(`^[ \\t]{0,${Math.min(dedent, 99)}}`);
  return { body: kept.map((line) => line.text.replace(indent, "")).join("\n"), lines: kept };
}

const toLine = (written: string | undefined, fallback: number): number =>
  /^-?\d{1,7}$/.test(written ?? "") ? Number(written) : fallback;

// Parses an element of a list such as `1-3,5,7-`.
function toRange(written: string): readonly [from: number, to: number] {
  const [, from = "", dash = "", to = ""] = /^(\d{0,9})(-?)(\d{0,9})$/.exec(written.trim()) ?? [];
  if (from + to === "") return [NaN, NaN];
  return [Number(from), dash === "" ? Number(from) : to === "" ? Infinity : Number(to)];
}

// The part selected by `{include}` can begin and end within a line.
function cutPart(lines: NumberedLine[], options: ReadonlyMap<string, string>): ReturnType<typeof takePart> {
  const text = lines.map((line) => line.text).join("\n");
  const [after, before] = [options.get("start-after"), options.get("end-before")];
  const found = after === undefined ? -1 : text.indexOf(after);
  const start = found === -1 ? 0 : found + (after ?? "").length;
  const end = before === undefined ? -1 : text.indexOf(before, start);
  const body = text.slice(start, end === -1 ? undefined : end);
  return { body, lines: lines.slice(countLineBreaks(text.slice(0, start))) };
}

// The part selected by `{literalinclude}` consists of whole lines.
function cutLines(lines: NumberedLine[], options: ReadonlyMap<string, string>): NumberedLine[] {
  const find = (name: string, among: NumberedLine[]): number => {
    const mark = options.get(name);
    return mark === undefined ? -1 : among.findIndex((line) => line.text.includes(mark));
  };
  const at = find("start-at", lines);
  const rest = lines.slice(at === -1 ? find("start-after", lines) + 1 : at);
  const until = find("end-at", rest);
  const end = until === -1 ? find("end-before", rest) : until + 1;
  return end === -1 ? rest : rest.slice(0, end);
}
