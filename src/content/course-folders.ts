// Finding the courses of a source: the root is one, or holds one per folder.
import { findNumber, isLessonFile } from "./lesson-names.ts";
import { findFile, type CourseFolder } from "./outline.ts";
import type { Report } from "./source.ts";
import type { SourceEntry, SourceRoot } from "./source-root.ts";

/** The names of outline files; the first that exists is taken. */
export const COURSE_YAML = ["course.yaml", "course.yml"];
export const TOCTREE = ["_toctree.yml", "_toctree.yaml"];

const DESCRIPTION =
  "a course folder has a course.yaml, a _toctree.yml, or folders and lessons whose names begin with numbers, such as 01-start.md";

/** Lists the course folders in the order of their names; folders that are none are reported, as is a source without any. */
export async function listCourseFolders(root: SourceRoot, report: Report): Promise<CourseFolder[]> {
  const entries = await root.list(".", report);
  if (await isSingleCourse(root, entries, report)) return [{ root, folder: ".", entries, report }];

  const courses: CourseFolder[] = [];
  for (const { path } of entries.filter((entry) => entry.isFolder)) {
    const inside = await root.list(path, report);
    if (hasOutline(inside) || inside.some(isNumbered)) {
      courses.push({ root, folder: path, entries: inside, report });
    } else {
      report({ severity: "warning", file: root.toTypedPath(path), message: `is not read as a course: ${DESCRIPTION}` });
    }
  }
  if (courses.length === 0) {
    report({ severity: "error", file: root.toTypedPath("."), message: `holds no course: ${DESCRIPTION}` });
  }
  return courses;
}

async function isSingleCourse(root: SourceRoot, entries: SourceEntry[], report: Report): Promise<boolean> {
  if (hasOutline(entries)) return true;
  for (const entry of entries.filter(isNumbered)) {
    // Courses may be numbered as well: 01-python/course.yaml makes the folder a course, not a chapter.
    if (!entry.isFolder || !isCourseByItself(await root.list(entry.path, report))) return true;
  }
  return false;
}

function isCourseByItself(entries: SourceEntry[]): boolean {
  return hasOutline(entries) || entries.some((entry) => entry.isFolder && isNumbered(entry));
}

function hasOutline(entries: SourceEntry[]): boolean {
  return findFile(entries, ...COURSE_YAML, ...TOCTREE) !== undefined;
}

function isNumbered({ name, isFolder }: SourceEntry): boolean {
  return findNumber(name) !== undefined && (isFolder || isLessonFile(name));
}
