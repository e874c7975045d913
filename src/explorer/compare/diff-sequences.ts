import { diffArrays, type ArrayChange } from "diff";

/** Adjacent items that are in both lists, or in only one of them. */
export interface DiffPart<T> {
  kind: "same" | "removed" | "added";
  items: T[];
}

/** The maximum number of edits to search for. The work grows with the square of this number. */
const MAX_EDITS = 800;

/**
 * Compares two lists; removals precede additions. If the lists differ by more than MAX_EDITS edits, everything between
 * their common beginning and end counts as replaced.
 */
export function diffSequences<T>(before: readonly T[], after: readonly T[]): DiffPart<T>[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const [a, b] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const changes = diffArrays(a, b, { maxEditLength: MAX_EDITS });
  const middle = changes?.map(toPart) ?? [
    { kind: "removed" as const, items: a },
    { kind: "added" as const, items: b },
  ];
  return [
    { kind: "same" as const, items: before.slice(0, start) },
    ...middle,
    { kind: "same" as const, items: before.slice(before.length - end) },
  ].filter(({ items }) => items.length > 0);
}

function toPart<T>({ added, removed, value }: ArrayChange<T>): DiffPart<T> {
  return { kind: added ? "added" : removed ? "removed" : "same", items: value };
}
