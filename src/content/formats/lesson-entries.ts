// Detects lessons by name.
import type { SourceEntry } from "../files/source-tree.ts";
import { isAboutRepository, isErrorPage, isIntroduction, isLessonFile } from "../lesson-files/lesson-names.ts";

/** Returns true for a folder's introduction. */
export function isFirst({ name, isFolder }: SourceEntry): boolean {
  return !isFolder && (isIntroduction(name) || /^_index\.[a-z]+$/i.test(name));
}

/**
 * Returns true for a lesson file, except files about the repository, a builder's files and error pages. `isRoot` marks
 * files in the root of a source or course.
 */
export function isPlainLesson({ name, isFolder }: SourceEntry, isRoot: boolean): boolean {
  if (isFolder || !isLessonFile(name) || isErrorPage(name) || (isRoot && isAboutRepository(name))) return false;
  return !name.startsWith("_") || /^_index\./i.test(name);
}

/** Returns false for folders of Jekyll and other site builders. */
export function isShownFolder({ name, isFolder }: SourceEntry): boolean {
  return isFolder && !name.startsWith("_");
}

/** Natural order: `step 9` before `step 10`. */
export function compareNames(a: SourceEntry, b: SourceEntry): number {
  return collator.compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
}

// Independent of the machine's locale.
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
