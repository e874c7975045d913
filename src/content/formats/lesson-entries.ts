// Which entries of a folder are lessons, where nothing but their names tells.
import type { SourceEntry } from "../files/source-tree.ts";
import { isAboutRepository, isErrorPage, isIntroduction, isLessonFile } from "../lesson-files/lesson-names.ts";

/** True for the introduction of a folder. */
export function isFirst({ name, isFolder }: SourceEntry): boolean {
  return !isFolder && (isIntroduction(name) || /^_index\.[a-z]+$/i.test(name));
}

/**
 * True for a lesson file that is neither about the repository, nor of a builder, nor an error page. `isRoot` is true for what
 * stands in the root of a source or a course.
 */
export function isPlainLesson({ name, isFolder }: SourceEntry, isRoot: boolean): boolean {
  if (isFolder || !isLessonFile(name) || isErrorPage(name) || (isRoot && isAboutRepository(name))) return false;
  return !name.startsWith("_") || /^_index\./i.test(name);
}

/** True unless the folder is one of those in which Jekyll and others keep what makes a site. */
export function isShownFolder({ name, isFolder }: SourceEntry): boolean {
  return isFolder && !name.startsWith("_");
}

/** The order of names as people count: `step 9` before `step 10`. */
export function compareNames(a: SourceEntry, b: SourceEntry): number {
  return collator.compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
}

// The same order on every machine, whatever its language.
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
