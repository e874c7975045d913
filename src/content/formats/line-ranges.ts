/** A line of a file with its number, from 1. */
export interface NumberedLine {
  text: string;
  number: number;
}

/**
 * Returns the numbered lines, from 1, that any range of line numbers contains. The time is linear, although authors can write
 * thousands of ranges that overlap.
 */
export function takeRanges<T>(lines: readonly T[], ranges: readonly (readonly [from: number, to: number])[]): T[] {
  /** How many more ranges begin than ended at each line. */
  const steps = new Int32Array(lines.length + 2);
  for (const [from, to] of ranges) {
    const [first, end] = [Math.max(1, from), Math.min(lines.length, to) + 1];
    // Also false for NaN.
    if (!(first < end)) continue;
    steps[first] = (steps[first] ?? 0) + 1;
    steps[end] = (steps[end] ?? 0) - 1;
  }
  let open = 0;
  return lines.filter((_, index) => (open += steps[index + 1] ?? 0) > 0);
}
