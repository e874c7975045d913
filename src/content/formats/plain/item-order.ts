// Orders the entries of a folder.
import type { SourceEntry } from "../../files/source-tree.ts";
import { findNumber } from "../../lesson-files/lesson-names.ts";
import type { PlacedFields } from "../../resolve/placed-value.ts";
import { compareNames, isFirst } from "../lesson-entries.ts";
import { isAscending, isOtherIntroduction, type RankOf } from "../listed-order.ts";

/** A file or folder with its sort keys. */
export interface PlainItem {
  entry: SourceEntry;
  /** Front matter of a file or of a folder's introduction. */
  fields: PlacedFields;
  position: number | undefined;
}

/** Sorts the introduction first, then by position, list, number and name. Entries without a key come last. */
export function sortItems(items: readonly PlainItem[], rankOf: RankOf = () => undefined): PlainItem[] {
  const byNames = items.toSorted((a, b) => compareItems(a, b));
  // If numbers agree with the list, unlisted entries keep their number's rank.
  const agrees = [true, false].every((isFolder) => isAscending(listRanks(byNames, isFolder, rankOf)));
  return agrees ? byNames : items.toSorted((a, b) => compareItems(a, b, rankOf));
}

/** Returns true if only names decide, without positions and numbers such as `week 2`. */
export function isAlphabetical(items: readonly PlainItem[]): boolean {
  return [true, false].some((isFolder) => {
    const open = items.filter(
      ({ entry, position }) =>
        entry.isFolder === isFolder && position === undefined && !isFirst(entry) && !isOtherIntroduction(entry.name),
    );
    const beforeNumbers = open.map(({ entry: { name } }) => /^\D*(?=\d)/.exec(name)?.[0].toLowerCase());
    return open.length > 1 && beforeNumbers.some((text) => text === undefined || text !== beforeNumbers[0]);
  });
}

function listRanks(items: readonly PlainItem[], isFolder: boolean, rankOf: RankOf): number[] {
  const same = items.filter(({ entry }) => entry.isFolder === isFolder && !isFirst(entry));
  return same.flatMap(({ entry }) => rankOf(entry.path) ?? []);
}

function compareItems(a: PlainItem, b: PlainItem, rankOf?: RankOf): number {
  const first = Number(isFirst(b.entry)) - Number(isFirst(a.entry));
  if (first !== 0) return first;
  const placed =
    compareNumbers(a.position, b.position) ||
    compareNumbers(rankOf?.(a.entry.path), rankOf?.(b.entry.path)) ||
    compareNumbers(findNumber(a.entry.name), findNumber(b.entry.name));
  return placed || compareNames(a.entry, b.entry);
}

function compareNumbers(a: number | undefined, b: number | undefined): number {
  if (a === b) return 0;
  return a === undefined ? 1 : b === undefined ? -1 : a - b;
}
