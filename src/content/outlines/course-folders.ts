// Finding the courses of a source: the root is one, or holds one per folder.
import { findNumber, isLessonFile } from "../files/lesson-names.ts";
import { COURSE_YAML, TOCTREE } from "../files/outline-names.ts";
import { findFile } from "./outline.ts";
import type { Report } from "../source.ts";
import type { SourceEntry, SourceTree } from "../files/source-tree.ts";

const DESCRIPTION =
  "a course folder has a course.yaml, a _toctree.yml, or folders and lessons whose names begin with numbers, such as 01-start.md";

/**
 * Lists the course folders, relative to the root, in the order of their names. Folders that are none are reported, as is
 * a source without any. What is wrong inside a course folder is left to its reading.
 */
export async function listCourseFolders(tree: SourceTree, report: Report): Promise<string[]> {
  const entries = await tree.list(".");
  if (await isSingleCourse(tree, entries)) return ["."];

  // The entries are the same again; this time their problems are the source's.
  await tree.list(".", report);
  const courses: string[] = [];
  for (const { path } of entries.filter((entry) => entry.isFolder)) {
    const inside = await tree.list(path);
    if (hasOutline(inside) || inside.some(isNumbered)) {
      courses.push(path);
    } else {
      await tree.list(path, report);
      report({ severity: "warning", file: tree.toTypedPath(path), message: `is not read as a course: ${DESCRIPTION}` });
    }
  }
  if (courses.length === 0) {
    report({ severity: "error", file: tree.toTypedPath("."), message: `holds no course: ${DESCRIPTION}` });
  }
  return courses;
}

async function isSingleCourse(tree: SourceTree, entries: SourceEntry[]): Promise<boolean> {
  if (hasOutline(entries)) return true;
  for (const entry of entries.filter(isNumbered)) {
    // Courses may be numbered as well: 01-python/course.yaml makes the folder a course, not a chapter.
    if (!entry.isFolder || !isCourseByItself(await tree.list(entry.path))) return true;
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
