// Extracts the parts of a snippet file:
// https://facelessuser.github.io/pymdown-extensions/extensions/snippets/#snippet-lines

import { takeRanges, type NumberedLine } from "../line-ranges.ts";

const MARK = /(?<![;-])-{1,40}8<-{1,40}[ \t]+\[[ \t]*(start|end)[ \t]*:[ \t]*([a-z][\w-]*)[ \t]*\]/i;

const SECTION_PART = /:[a-z][\w-]*$/i;
const RANGE_PART = /:-?\d*(?::-?\d+)?$/;
const RANGE = /^-?\d*(?::-?\d+)?$/;

/** Splits `intro.md:section` or `intro.md:2:4,6` into a file name and a part. */
export function splitName(written: string): { name: string; part: string } {
  let start = written.search(SECTION_PART);
  // Reads a list of ranges from its end, so that the time is linear.
  let end = written.length;
  for (const item of written.split(",").toReversed()) {
    const at = item.search(RANGE_PART);
    if (at !== -1) start = end - item.length + at;
    if (!RANGE.test(item)) break;
    end -= item.length + 1;
  }
  return start === -1 ? { name: written, part: "" } : { name: written.slice(0, start), part: written.slice(start + 1) };
}

/** Converts the line numbers of an include, `1 3-5` or `1,3-5`, to those of a snippet, `:1:1,3:5`. */
export function toPart(ranges: string): string {
  const written = ranges.split(/[\s,]+/).filter((range) => range !== "");
  const parts = written.map((range) => (range.includes("-") ? range.replace("-", ":") : `${range}:${range}`));
  return parts.length === 0 ? "" : `:${parts.join(",")}`;
}

/** Returns a part's lines, without section markers. Returns undefined for a missing section. */
export function takeLines(text: string, part: string): NumberedLine[] | undefined {
  const lines = text.split(/\r?\n/).map((line, index) => ({ text: line, number: index + 1 }));
  if (lines.at(-1)?.text === "") lines.pop();
  if (/^[a-z]/i.test(part)) return takeSection(lines, part);
  const ranges = part === "" ? [":"] : part.split(",");
  const taken = takeRanges(
    lines,
    ranges.map((range) => toRange(range, lines.length)),
  );
  return taken.filter((line) => !MARK.test(line.text));
}

function takeSection(lines: NumberedLine[], name: string): NumberedLine[] | undefined {
  const marks = lines.map(({ text }) => MARK.exec(text));
  const isMark = (mark: RegExpExecArray | null, kind: string): boolean =>
    mark?.[1]?.toLowerCase() === kind && mark[2] === name;
  const start = marks.findIndex((mark) => isMark(mark, "start"));
  if (start === -1) return undefined;
  const end = marks.findIndex((mark, index) => index > start && isMark(mark, "end"));
  return lines.slice(start + 1, end === -1 ? undefined : end).filter((_, index) => marks[start + 1 + index] === null);
}

// Parses `4`, `4:6`, `:3` or `4:`, which can exceed the file. Negative numbers count from the end.
function toRange(written: string, length: number): readonly [number, number] {
  const [first = "", last] = written.split(":");
  const toNumber = (text: string): number => (Number(text) < 0 ? length + Number(text) + 1 : Number(text));
  const from = first === "" ? 1 : toNumber(first);
  return [from, last === undefined || last === "" ? length : toNumber(last)];
}
