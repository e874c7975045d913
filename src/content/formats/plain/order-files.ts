// Reads files that order a folder: `order`, `.order`, and MkDocs' `.pages` and `.nav.yml`.
import { basename, extname, join } from "node:path/posix";
import type { SourceEntry, SourceTree } from "../../files/source-tree.ts";
import { isLessonFile, findNumber, compareNames, isFirst } from "../../lesson-files/lesson-names.ts";
import { parseYaml } from "../../resolve/yaml-text.ts";
import { findText, type PlacedValue, type PlacedFields } from "../../resolve/placed-value.ts";
import { toWarnings, type ReportFinding } from "../../source.ts";
import { isAscending, isOtherIntroduction, type RankOf } from "../listed-order.ts";

/** Returns an entry's rank, or undefined if the entry sorts last. */
export type PlaceOf = (entry: SourceEntry) => number | undefined;

/** Returns the order in a folder's file, if any. */
export async function readOrderFile(
  tree: SourceTree,
  folder: string,
  report: ReportFinding,
): Promise<PlaceOf | undefined> {
  const path = join(folder, "order");
  const text =
    (await tree.find(path)) === "file"
      ? ((await tree.readText(path, report)) ?? "")
      : await tree.readDotFile(join(folder, ".order"), report);
  const lines = text?.split(/\r?\n/).map((line) => line.trim());
  const names = lines?.filter((line) => line !== "" && !line.startsWith("#"));
  return names && placeBy(names);
}

/** The contents of `.pages` or `.nav.yml`: the folder's name, and the order and names of its entries. */
export interface PagesFile {
  title?: string | undefined;
  placeOf?: PlaceOf | undefined;
  titleOf?: (entry: SourceEntry) => string | undefined;
}

/**
 * Reads `.pages` or, if that file is missing, `.nav.yml` (see https://github.com/lukasgeiter/mkdocs-awesome-nav).
 * Faults are warnings, since the pages form a course even without the file. Only a limit exceeded is an error.
 */
export async function readPagesFile(tree: SourceTree, folder: string, report: ReportFinding): Promise<PagesFile> {
  let path = join(folder, ".pages");
  let text = await tree.readDotFile(path, report);
  if (text === undefined) {
    path = join(folder, ".nav.yml");
    text = await tree.readDotFile(path, report);
  }
  if (text === undefined) return {};
  const warn = toWarnings(report);
  const value = parseYaml(text, { file: tree.toTypedPath(path), firstLine: 1, source: tree }, warn)?.value;
  if (!(value instanceof Map)) return {};
  const title = findText(value, "title")?.trim();
  const list = (value.get("nav") ?? value.get("arrange"))?.value;
  if (!Array.isArray(list)) return { title };
  const named = list.flatMap(listNamed);
  const names = named.map(({ name }) => name);
  const titles = new Map(named.map(({ name, title: given }) => [withoutEnding(name), given]));
  const rest = names.findIndex((name) => /^(?:\.\.\.|\*)/.test(name));
  return { title, placeOf: placeBy(names, rest < 0 ? undefined : rest), titleOf: (entry) => titles.get(keyOf(entry)) };
}

/** Reads `a.md` or `Title: a.md`. Ignores nested sections, which can list files in other folders. */
function listNamed({ value }: PlacedValue): { name: string; title?: string | undefined }[] {
  if (typeof value === "string") return [{ name: value }];
  if (!(value instanceof Map)) return [];
  return [...value].flatMap(([title, { value: name }]) => (typeof name === "string" ? [{ name, title }] : []));
}

/** Ranks entries by name; unlisted entries have the rank `rest`. */
function placeBy(names: readonly string[], rest?: number): PlaceOf {
  const places = new Map(names.map((name, index) => [withoutEnding(name), index]));
  return (entry) => places.get(keyOf(entry)) ?? rest;
}

function keyOf({ name, isFolder }: SourceEntry): string {
  return isFolder ? name : withoutEnding(name);
}

function withoutEnding(line: string): string {
  const name = basename(line.replace(/\/$/, ""));
  return isLessonFile(name) ? name.slice(0, -extname(name).length) : name;
}

/** A file or folder with its sort keys. */
export interface PlainItem {
  entry: SourceEntry;
  /** The front matter of a file or of a folder's introduction. */
  fields: PlacedFields;
  position: number | undefined;
}

/** Puts the introduction first; sorts the rest by position, list, number and name. Items without a key come last. */
export function sortItems(items: readonly PlainItem[], rankOf: RankOf = () => undefined): PlainItem[] {
  const byNames = items.toSorted((a, b) => compareItems(a, b));
  // If numbers agree with the list, unlisted entries keep the positions that their numbers give them.
  const agrees = [true, false].every((isFolder) => isAscending(listRanks(byNames, isFolder, rankOf)));
  return agrees ? byNames : items.toSorted((a, b) => compareItems(a, b, rankOf));
}

/** Returns true if names alone determine the order: there are no positions, and no numbers as in `week 2`. */
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
