import { diffSequences, type DiffPart } from "./diff-sequences.ts";

/** A part of a line. `isChanged` is true if the other side lacks this part. */
export interface Piece {
  text: string;
  isChanged: boolean;
}

/** A line on each side (undefined if a side lacks it), or the number of hidden lines. */
export type DiffRow =
  | { kind: "same"; text: string }
  | { kind: "changed"; before: Piece[] | undefined; after: Piece[] | undefined }
  | { kind: "gap"; count: number; of: "equal line" | "more line" };

/** The number of equal lines shown before and after a change. */
const CONTEXT = 3;
/** The maximum number of rows shown; the rest are only counted. */
const MAX_ROWS = 2000;
/** Lines with a smaller share in common are shown as two lines, not as one changed line. */
const MIN_COMMON = 0.4;
/** Lines with more characters are compared as a whole. */
const MAX_LINE = 5000;

/** Creates rows that show two versions side by side; none if the versions are equal. */
export function createDiffRows(before: readonly string[], after: readonly string[]): DiffRow[] {
  const parts = diffSequences(before, after);
  if (parts.every(({ kind }) => kind === "same")) return [];
  const rows = parts.flatMap((part, index) => toRows(part, index, parts));
  const hidden = rows.length - MAX_ROWS;
  return hidden > 0 ? [...rows.slice(0, MAX_ROWS), { kind: "gap", count: hidden, of: "more line" }] : rows;
}

function toRows({ kind, items }: DiffPart<string>, index: number, parts: DiffPart<string>[]): DiffRow[] {
  const [previous, next] = [parts[index - 1], parts[index + 1]];
  if (kind === "same") return toContext(items, previous !== undefined, next !== undefined);
  // The rows of the removal before it already contain this addition.
  if (kind === "added" && previous?.kind === "removed") return [];
  if (kind === "added") return items.map((text) => ({ kind: "changed", before: undefined, after: [whole(text)] }));
  const added = next?.kind === "added" ? next.items : [];
  return Array.from({ length: Math.max(items.length, added.length) }, (_, row) => pairLines(items[row], added[row]));
}

function toContext(items: string[], hasBefore: boolean, hasAfter: boolean): DiffRow[] {
  const head = hasBefore ? CONTEXT : 0;
  const tail = hasAfter ? CONTEXT : 0;
  const count = items.length - head - tail;
  const show = (lines: string[]): DiffRow[] => lines.map((text) => ({ kind: "same", text }));
  if (count <= 1) return show(items);
  return [
    ...show(items.slice(0, head)),
    { kind: "gap", count, of: "equal line" },
    ...show(tail === 0 ? [] : items.slice(-tail)),
  ];
}

function pairLines(before: string | undefined, after: string | undefined): DiffRow {
  const apart: DiffRow = {
    kind: "changed",
    before: before === undefined ? before : [whole(before)],
    after: after === undefined ? after : [whole(after)],
  };
  if (before === undefined || after === undefined || before.length > MAX_LINE || after.length > MAX_LINE) return apart;
  const parts = diffSequences(splitWords(before), splitWords(after));
  const common = parts.reduce((sum, { kind, items }) => sum + (kind === "same" ? items.join("").trim().length : 0), 0);
  if (common < MIN_COMMON * Math.min(before.length, after.length)) return apart;
  const side = (own: "removed" | "added"): Piece[] =>
    parts
      .filter(({ kind }) => kind === "same" || kind === own)
      .map(({ kind, items }) => ({ text: items.join(""), isChanged: kind === own }));
  return { kind: "changed", before: side("removed"), after: side("added") };
}

const whole = (text: string): Piece => ({ text, isChanged: true });

/** Splits text into words and separators, or into characters in scripts without spaces. */
function splitWords(text: string): string[] {
  return (
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}_]+|\s+|[^]/gu) ??
    []
  );
}
