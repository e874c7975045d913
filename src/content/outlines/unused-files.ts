import type { SourceEntry } from "../files/source-tree.ts";
import { isIntroduction, isLessonFile } from "../lessons/lesson-names.ts";
import type { CourseFolder, UnlistedFiles } from "./outline.ts";

/** Reports the lesson files of a course folder that are not among `used`: something an author may have forgotten. */
export async function reportUnusedFiles(
  course: CourseFolder,
  used: ReadonlySet<string>,
  { folder, ownFiles = [], allowsIntroduction, message }: UnlistedFiles,
): Promise<void> {
  const { tree, report } = course;
  const own = new Set(ownFiles);
  const visit = async (entries: SourceEntry[]): Promise<void> => {
    for (const { name, path, isFolder, isLink } of entries) {
      // A linked folder may lead back here.
      if (isFolder && !isLink) await visit(await tree.list(path, report));
      if (isFolder || !isLessonFile(name) || used.has(path) || own.has(path)) continue;
      report({ severity: "warning", kind: "unused-file", file: tree.toTypedPath(path), message });
    }
  };
  const entries = folder === undefined || folder === course.folder ? course.entries : await tree.list(folder, report);
  await visit(entries.filter(({ name }) => !allowsIntroduction || !isIntroduction(name)));
}
