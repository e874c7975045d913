// A release in the form that searches need: the rows of its published courses, in catalog order.
import type { IndexFile } from "./index-file.ts";
import { formatMatch, type SearchQuery } from "./query.ts";

/** The grades of matches. Grade 0 is no match. */
const REST = 1;
const HEADINGS = 2;
const NAME = 3;

/** The place of a result: its course version and lesson position. Position -1 is the course itself. */
export interface Place {
  versionId: number;
  position: number;
}

export interface ReleaseView {
  readonly versions: Float64Array;
  /** The rank of each course's own row. The ranks of the course's lessons follow. */
  readonly starts: Float64Array;
  /** The rows, in ascending order, and the rank of each. */
  readonly rows: Float64Array;
  readonly ranks: Uint32Array;
}

/** Expects `courseVersions` in catalog order. Returns undefined if one of them is not completely indexed. */
export function loadView(file: IndexFile, courseVersions: readonly number[]): ReleaseView | undefined {
  const parts: Float64Array[] = [];
  const versions = Float64Array.from(courseVersions);
  const starts = new Float64Array(versions.length);
  let size = 0;
  for (const [course, version] of versions.entries()) {
    const lessons = file.rowsOf(version);
    if (lessons === undefined) return undefined;
    starts[course] = size;
    size += 1 + lessons.length;
    parts.push(Float64Array.of(-version), lessons);
  }
  const byRank = new Float64Array(size);
  let rank = 0;
  for (const part of parts) {
    byRank.set(part, rank);
    rank += part.length;
  }
  const ranks = sortRanks(byRank);
  const rows = Float64Array.from(ranks, (each) => byRank[each] ?? 0);
  return { versions, starts, rows, ranks };
}

/** Returns the number of matches in the requested courses, and one page of the matches, in order. */
export function findMatches(
  view: ReleaseView,
  file: IndexFile,
  query: SearchQuery,
  isWanted: (course: number) => boolean,
  { limit, offset }: { limit: number; offset: number },
): { total: number; places: Place[] } {
  const size = view.rows.length;
  const grades = new Uint8Array(size);
  if (raiseGrades(view, file, formatMatch(query), grades, 0, REST) > 0) {
    // A match in fewer columns only raises the grade of a full match: only full matches respect exclusions.
    raiseGrades(view, file, formatMatch(query, "name headings"), grades, REST, HEADINGS);
    raiseGrades(view, file, formatMatch(query, "name"), grades, HEADINGS, NAME);
  }
  for (const [course, start] of view.starts.entries()) {
    if (!isWanted(course)) grades.fill(0, start, view.starts[course + 1] ?? size);
  }
  const counts = [0, 0, 0, 0];
  for (const grade of grades) counts[grade] = (counts[grade] ?? 0) + 1;
  const places: Place[] = [];
  let skipped = 0;
  for (const grade of [NAME, HEADINGS, REST]) {
    const count = counts[grade] ?? 0;
    if (offset >= skipped + count || places.length === limit) {
      skipped += count;
      continue;
    }
    for (
      let rank = grades.indexOf(grade);
      rank !== -1 && places.length < limit;
      rank = grades.indexOf(grade, rank + 1)
    ) {
      if (skipped++ >= offset) places.push(findPlace(view, rank));
    }
  }
  return { total: size - (counts[0] ?? 0), places };
}

/** Raises the grade of matches. Matches and rows both ascend, so each lookup starts at the previous row. */
function raiseGrades(
  { rows, ranks }: ReleaseView,
  file: IndexFile,
  match: string,
  grades: Uint8Array,
  from: number,
  to: number,
): number {
  let at = 0;
  let raised = 0;
  file.visitMatches(match, (row) => {
    at = findFrom(rows, row, at);
    if (rows[at] !== row) return;
    const rank = ranks[at] ?? 0;
    if (grades[rank] !== from) return;
    grades[rank] = to;
    raised++;
  });
  return raised;
}

function findPlace({ versions, starts }: ReleaseView, rank: number): Place {
  let course = findFrom(starts, rank, 0);
  if (starts[course] !== rank) course--;
  return { versionId: versions[course] ?? 0, position: rank - (starts[course] ?? 0) - 1 };
}

/** Returns the index of the first value not below `value`, by a galloping search from index `from`. */
function findFrom(values: Float64Array, value: number, from: number): number {
  let low = from;
  let step = 1;
  while (low + step < values.length && (values[low + step] ?? 0) < value) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, values.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns the ranks in the order of their rows. Sorting plain numbers is ten times faster than sorting with a
 * comparison function.
 */
function sortRanks(byRank: Float64Array): Uint32Array {
  const least = byRank.reduce((a, b) => Math.min(a, b), 0);
  const most = byRank.reduce((a, b) => Math.max(a, b), 0);
  const count = byRank.length;
  if ((most - least + 1) * count > Number.MAX_SAFE_INTEGER) {
    return Uint32Array.from(byRank.keys()).sort((a, b) => (byRank[a] ?? 0) - (byRank[b] ?? 0));
  }
  const keys = byRank.map((row, rank) => (row - least) * count + rank).sort();
  return Uint32Array.from(keys, (key) => key % count);
}
