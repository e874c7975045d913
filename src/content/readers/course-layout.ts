// Which courses a tree of files holds: their folders, and the languages of each.
import { findNearestName } from "../../catalog/nearest-name.ts";
import { listCourseFolders } from "../formats/course-folders.ts";
import { findLanguages, type CourseLayout, type CoursePlace } from "../formats/course-languages.ts";
import type { IsKnown, ReadOutline, UnreadCourse } from "../formats/format.ts";
import { readOutline } from "../formats/read-outline.ts";
import { translateOutline } from "../formats/translated-outline.ts";
import type { SourceTree } from "../files/source-tree.ts";
import { cutText } from "../quote.ts";
import type { SourceOptions, Tell } from "../source.ts";

/** How courses are read, whichever they are. */
export type ReadingOptions = Pick<
  UnreadCourse,
  "format" | "showsLessonIn" | "framework" | "withInstructors" | "answers" | "now" | "servesFiles"
> &
  Pick<SourceOptions, "languages" | "shownCourses"> & { shownFormat: (folder: string) => string | undefined };

/** The outline of the original in a folder, read once for all its translations: they follow each other. */
export class OriginalOutline {
  #last: { folder: string; outline: Promise<ReadOutline | undefined> } | undefined;

  async read(tree: SourceTree, folder: string, options: ReadingOptions): Promise<ReadOutline | undefined> {
    if (this.#last?.folder !== folder) {
      // Reading the outline for the original reports its faults.
      this.#last = { folder, outline: readFolderOutline(tree, folder, options, () => undefined) };
    }
    return this.#last.outline;
  }
}

/** Lists the courses of a tree, and leaves out of it what is a translation. */
export async function readLayout(tree: SourceTree, options: ReadingOptions, report: Tell): Promise<CourseLayout> {
  const isKnown: IsKnown = (folder) => options.shownFormat(folder) !== undefined;
  const folders = await listCourseFolders(tree, options.format, report, isKnown);
  const { languages, shownCourses: shown } = options;
  const readSilently = async (folder: string): Promise<ReadOutline | undefined> =>
    readFolderOutline(tree, folder, options, () => undefined);
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

/** The course at a path, in all languages that its folder has; all courses where none is asked for. Reports where there is none. */
export function selectCourses(courses: CoursePlace[], only: string | undefined, report: Tell): CoursePlace[] {
  if (only === undefined) return courses;
  const path = only.normalize("NFC").replace(/^(?:\.\/)+|\/+$/g, "");
  const found = courses.filter(({ key, folder }) => [key, folder].some((each) => each.normalize("NFC") === path));
  if (found.length === 0) {
    const folders = [...new Set(courses.map(({ folder }) => folder))];
    const nearest = findNearestName(path, folders);
    const hint = nearest === undefined ? "" : `. Did you mean ${cutText(nearest)}?`;
    report({ kind: "no-course", file: cutText(path), message: `is no course of this source (--only)${hint}` });
  }
  return found;
}

/** Reads the outline of a course, in its language. */
export async function readCourseOutline(
  tree: SourceTree,
  place: CoursePlace,
  options: ReadingOptions,
  original: OriginalOutline,
  report: Tell,
): Promise<ReadOutline | undefined> {
  if (place.files === undefined) return readFolderOutline(tree, place.folder, options, report);
  const outline = await original.read(tree, place.folder, options);
  return outline && translateOutline(outline, place, tree, report);
}

async function readFolderOutline(
  tree: SourceTree,
  folder: string,
  options: ReadingOptions,
  report: Tell,
): Promise<ReadOutline | undefined> {
  const entries = await tree.list(folder, report);
  return readOutline({ tree, folder, ...options, shownFormat: options.shownFormat(folder), entries, report });
}
