// What two lists do not have in common, by Myers' algorithm (An O(ND) Difference Algorithm, 1986).

/** Items that stand together: in both lists, or in one of them. */
export interface DiffPart<T> {
  kind: "same" | "removed" | "added";
  items: T[];
}

/** How many differences are looked for: the work is at most this, squared. */
const MAX_EDITS = 800;

/**
 * The parts of two lists in their order. Lists that differ at more than 800 places are given as removed and added between what they
 * begin and end with; so the work is linear in their length.
 */
export function diffSequences<T>(before: readonly T[], after: readonly T[]): DiffPart<T>[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const [a, b] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  return joinParts<T>([
    { kind: "same", items: before.slice(0, start) },
    ...diffMiddle(a, b),
    { kind: "same", items: before.slice(before.length - end) },
  ]);
}

function diffMiddle<T>(a: readonly T[], b: readonly T[]): DiffPart<T>[] {
  const trace = findTrace(a, b);
  if (trace === undefined) {
    return [
      { kind: "removed", items: [...a] },
      { kind: "added", items: [...b] },
    ];
  }
  const parts: DiffPart<T>[] = [];
  let [x, y] = [a.length, b.length];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reached = trace[edits] as Int32Array;
    const at = (diagonal: number): number => reached[diagonal + edits + 1] ?? -1;
    const diagonal = x - y;
    const isDown = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
    const from = diagonal + (isDown ? 1 : -1);
    const [fromX, fromY] = edits === 0 ? [0, 0] : [at(from), at(from) - from];
    while (x > fromX && y > fromY) {
      parts.push({ kind: "same", items: [a[--x] as T] });
      y--;
    }
    if (edits === 0) break;
    if (isDown) parts.push({ kind: "added", items: [b[--y] as T] });
    else parts.push({ kind: "removed", items: [a[--x] as T] });
  }
  return parts.toReversed();
}

/**
 * For each number of edits how far each diagonal reached before it, at `diagonal + edits + 1`. Undefined where more edits are needed
 * than are looked for.
 */
function findTrace<T>(a: readonly T[], b: readonly T[]): Int32Array[] | undefined {
  const most = Math.min(a.length + b.length, MAX_EDITS);
  const middle = most + 1;
  const reached = new Int32Array(2 * most + 3).fill(-1);
  reached[middle + 1] = 0;
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    trace.push(reached.slice(middle - edits - 1, middle + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const [below, above] = [reached[middle + diagonal + 1] ?? -1, reached[middle + diagonal - 1] ?? -1];
      let x = diagonal === -edits || (diagonal !== edits && above < below) ? below : above + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      reached[middle + diagonal] = x;
      if (x >= a.length && x - diagonal >= b.length) return trace;
    }
  }
  return undefined;
}

/** Neighbours of one kind become one part; empty ones go; between two that are the same, what was removed stands first. */
function joinParts<T>(parts: DiffPart<T>[]): DiffPart<T>[] {
  const joined: DiffPart<T>[] = [];
  let [removed, added]: [T[], T[]] = [[], []];
  const flush = (): void => {
    if (removed.length > 0) joined.push({ kind: "removed", items: removed });
    if (added.length > 0) joined.push({ kind: "added", items: added });
    [removed, added] = [[], []];
  };
  for (const { kind, items } of parts) {
    if (items.length === 0) continue;
    if (kind === "same") flush();
    const last = joined.at(-1);
    const isGoingOn = kind === "same" && last?.kind === "same";
    const target = isGoingOn ? last.items : kind === "removed" ? removed : kind === "added" ? added : [];
    if (kind === "same" && !isGoingOn) joined.push({ kind, items: target });
    // Not spread: as arguments a long list is too many.
    for (const item of items) target.push(item);
  }
  flush();
  return joined;
}
