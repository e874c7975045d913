import { isIntroduction, isLessonFile } from "../files/lesson-names.ts";
import type { CourseFolder } from "./outline.ts";
import type { SourceEntry } from "../files/source-tree.ts";

/** Reports the lesson files of a course folder that are not among `used`: something an author may have forgotten. */
export async function reportUnusedFiles(course: CourseFolder, used: Set<string>, hasOutline: boolean): Promise<void> {
  const message = hasOutline
    ? "is not in the outline, so it is not a lesson"
    : "is not a lesson: without an outline only numbered files, README and index in a course or its numbered folders are";
  const { tree, report } = course;
  const visit = async (entries: SourceEntry[]): Promise<void> => {
    for (const { name, path, isFolder, isLink } of entries) {
      // A linked folder may lead back here.
      if (isFolder && !isLink) await visit(await tree.list(path, report));
      if (isFolder || !isLessonFile(name) || used.has(path)) continue;
      report({ severity: "warning", file: tree.toTypedPath(path), message });
    }
  };
  // Beside an outline, a README is about the repository.
  await visit(course.entries.filter(({ name }) => !hasOutline || !isIntroduction(name)));
}
