// Finds the courses of a file tree by their folders and languages.
import { findNearestName } from "../../catalog/nearest-name.ts";
import { listCourseFolders } from "../formats/course-folders.ts";
import { findLanguages, type CourseLayout, type CoursePlace } from "../formats/course-languages.ts";
import type { IsKnown, ReadOutline, UnreadCourse } from "../formats/format.ts";
import { readOutline } from "../formats/read-outline.ts";
import { translateOutline } from "../formats/translated-outline.ts";
import type { SourceTree } from "../files/source-tree.ts";
import { cutText } from "../quote.ts";
import { SILENT, type ReportFinding, type SourceOptions } from "../source.ts";

/** The options that all courses of a tree share. */
export type ReadingOptions = Pick<
  UnreadCourse,
  "format" | "hasPublishedLessonIn" | "framework" | "withInstructors" | "answers" | "now" | "servesFiles"
> &
  Pick<SourceOptions, "languages" | "publishedCourses"> & { publishedFormat: (folder: string) => string | undefined };

/** Caches the outline of the last original course, since its translations are read next. */
export class OriginalOutline {
  #last: { folder: string; outline: Promise<ReadOutline | undefined> } | undefined;

  async read(tree: SourceTree, folder: string, options: ReadingOptions): Promise<ReadOutline | undefined> {
    if (this.#last?.folder !== folder) {
      // Reports nothing, since reading the original course reports its faults.
      this.#last = { folder, outline: readFolderOutline(tree, folder, options, SILENT) };
    }
    return this.#last.outline;
  }
}

/** Finds the courses of a tree, and excludes the files of translations from the tree's lists. */
export async function readLayout(
  tree: SourceTree,
  options: ReadingOptions,
  report: ReportFinding,
): Promise<CourseLayout> {
  if (tree.hidesAll || (await tree.hasMisnamedIgnoreFile(report))) return { courses: [], hidden: new Set() };
  const isKnown: IsKnown = (folder) => options.publishedFormat(folder) !== undefined;
  const folders = await listCourseFolders(tree, options.format, report, isKnown);
  const { languages, publishedCourses: shown } = options;
  const readSilently = async (folder: string): Promise<ReadOutline | undefined> =>
    readFolderOutline(tree, folder, options, SILENT);
  const layout = await findLanguages(folders, {
    tree,
    readOutline: readSilently,
    languages,
    shown,
    report,
  });
  tree.leaveOut(layout.hidden);
  return layout;
}

/**
 * Returns the courses at the path `only`, one for each language, or all courses if there is no path. Reports a path
 * without a course.
 */
export function selectCourses(courses: CoursePlace[], only: string | undefined, report: ReportFinding): CoursePlace[] {
  if (only === undefined) return courses;
  const path = only.normalize("NFC").replace(/^(?:\.\/)+|\/+$/g, "");
  const found = courses.filter(({ key, folder }) => [key, folder].some((each) => each.normalize("NFC") === path));
  if (found.length === 0) {
    const folders = [...new Set(courses.map(({ folder }) => folder))];
    const nearest = findNearestName(path, folders);
    const hint = nearest === undefined ? "" : `. Did you mean ${cutText(nearest)}?`;
    report({ kind: "no-course", file: cutText(path), message: `is not a course of this source (--only)${hint}` });
  }
  return found;
}

/** Reads a course's outline in the course's language. */
export async function readCourseOutline(
  tree: SourceTree,
  place: CoursePlace,
  options: ReadingOptions,
  original: OriginalOutline,
  report: ReportFinding,
): Promise<ReadOutline | undefined> {
  if (place.files === undefined) return readFolderOutline(tree, place.folder, options, report);
  const outline = await original.read(tree, place.folder, options);
  return outline && translateOutline(outline, place, tree, report);
}

async function readFolderOutline(
  tree: SourceTree,
  folder: string,
  options: ReadingOptions,
  report: ReportFinding,
): Promise<ReadOutline | undefined> {
  const entries = await tree.list(folder, report);
  return readOutline({ tree, folder, ...options, publishedFormat: options.publishedFormat(folder), entries, report });
}
