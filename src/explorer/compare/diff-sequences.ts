import { diffArrays, type ArrayChange } from "diff";

/** Items that stand together: in both lists, or in one of them. */
export interface DiffPart<T> {
  kind: "same" | "removed" | "added";
  items: T[];
}

/** The work is at most this, squared. */
const MAX_EDITS = 800;

/**
 * The parts of two lists in their order, what was removed before what was added. Lists that differ at more than 800 places are
 * removed and added as a whole between what they begin and end with.
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
