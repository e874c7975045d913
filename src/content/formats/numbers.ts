// Detects numbered lessons and folders.
import type { SourceEntry, SourceTree } from "../files/source-tree.ts";
import type { NamedLesson } from "../lesson-files/lesson-file.ts";
import {
  findNumber,
  isErrorPage,
  isLessonFile,
  isFirst,
  isPlainLesson,
  isShownFolder,
} from "../lesson-files/lesson-names.ts";
import type { ReportFinding } from "../source.ts";

const MAX_DEPTH = 2000;

/** Returns true for a folder or lesson file with a number. */
export function isNumbered({ name, isFolder }: SourceEntry): boolean {
  return findNumber(name) !== undefined && (isFolder || (isLessonFile(name) && !isErrorPage(name)));
}

/** The parts of a course: lesson files except introductions, and folders with lessons. */
export interface CourseParts {
  numbered: SourceEntry[];
  others: SourceEntry[];
}

/** Lists the parts among a course's entries. */
export async function listParts(tree: SourceTree, entries: readonly SourceEntry[]): Promise<CourseParts> {
  const parts: CourseParts = { numbered: [], others: [] };
  for (const entry of entries) {
    const isPart = entry.isFolder ? await holdsLessons(tree, entry) : isPlainLesson(entry, true) && isPartFile(entry);
    if (isPart) parts[isNumbered(entry) ? "numbered" : "others"].push(entry);
  }
  return parts;
}

export async function isMostlyNumbered(tree: SourceTree, entries: readonly SourceEntry[]): Promise<boolean> {
  // If nothing has a number, there is no need to read subfolders.
  if (!entries.some(isNumbered)) return false;
  const { numbered, others } = await listParts(tree, entries);
  return numbered.length > others.length && (await holdsMostlyNumbered(tree, entries));
}

/** Returns true if most parts, at any depth, have numbers. */
export async function holdsMostlyNumbered(tree: SourceTree, entries: readonly SourceEntry[]): Promise<boolean> {
  const { numbered, others } = await countParts(tree, entries);
  return numbered > others;
}

/** Counts parts at any depth, and lesson files including introductions. */
export async function countParts(
  tree: SourceTree,
  entries: readonly SourceEntry[],
  depth = MAX_DEPTH,
): Promise<{ numbered: number; others: number; lessons: number }> {
  const counts = { numbered: 0, others: 0, lessons: 0 };
  for (const entry of entries) {
    const isLesson = isPlainLesson(entry, depth === MAX_DEPTH);
    let isPart = isLesson && isPartFile(entry);
    if (isLesson) counts.lessons++;
    if (isShownFolder(entry) && depth > 0 && (!entry.isLink || depth === MAX_DEPTH)) {
      const within = await countParts(tree, await tree.list(entry.path), depth - 1);
      for (const key of ["numbered", "others", "lessons"] as const) counts[key] += within[key];
      isPart = within.lessons > 0;
    }
    if (isPart) counts[isNumbered(entry) ? "numbered" : "others"]++;
  }
  return counts;
}

/** Returns false for introductions and SUMMARY.md, which is an outline. */
export function isPartFile(entry: SourceEntry): boolean {
  return !isFirst(entry) && entry.name !== "SUMMARY.md";
}

/** Returns true for a visible folder with lessons at any depth. */
export async function holdsLessons(tree: SourceTree, folder: SourceEntry, depth = MAX_DEPTH): Promise<boolean> {
  if (!isShownFolder(folder)) return false;
  const entries = await tree.list(folder.path);
  if (entries.some((entry) => isPlainLesson(entry, false))) return true;
  if (depth === 0) return false;
  for (const entry of entries) if (!entry.isLink && (await holdsLessons(tree, entry, depth - 1))) return true;
  return false;
}

/** Lists a folder's lessons: its introduction, then numbered files. */
export async function listNumberedLessons(
  tree: SourceTree,
  folder: string,
  report: ReportFinding,
): Promise<NamedLesson[]> {
  const { first, numbered } = sortLessons(await tree.list(folder, report));
  return toLessons(tree, [...first, ...numbered]);
}

export function sortLessons(entries: readonly SourceEntry[]): { first: SourceEntry[]; numbered: SourceEntry[] } {
  // Only one file is the introduction: a README rather than an index.
  const rank = ({ name }: SourceEntry): number => ["r", "i", "_"].indexOf(name.charAt(0).toLowerCase());
  const first = entries
    .filter((entry) => isFirst(entry))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, 1);
  return { first, numbered: sortByNumber(entries.filter((entry) => !entry.isFolder && isNumbered(entry))) };
}

export function toLessons(tree: SourceTree, files: readonly SourceEntry[]): NamedLesson[] {
  return files.map(({ path }) => toLesson(tree, path));
}

/** Returns a file's lesson, without fields from an outline. */
export function toLesson(tree: SourceTree, file: string): NamedLesson {
  return { file, fields: new Map(), place: { file: tree.toTypedPath(file) } };
}

export function sortByNumber(entries: readonly SourceEntry[]): SourceEntry[] {
  // Sorting is stable: entries with equal numbers stay sorted by name.
  return entries.toSorted((a, b) => (findNumber(a.name) ?? 0) - (findNumber(b.name) ?? 0));
}
