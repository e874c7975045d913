import { digestWritten } from "../catalog/compile-course.ts";
import { generateOtherLessonId } from "../catalog/complete-course.ts";
import type { Course } from "../catalog/course.ts";
import { splitSourcePath, toPartPath } from "../catalog/source-path.ts";
import type { LessonRecord } from "../catalog/store.ts";

export interface MovedFile {
  lessonId: string;
  from: string;
  to: string;
}

/**
 * Keeps the ids of lessons across versions, so that links to the lessons survive. Matches unchanged lessons first, then
 * content that moved to another file, then files with changed content, then parts of a file whose other parts moved.
 * Compares source texts, because delivered texts also change with settings and link targets. Does not change ids that
 * the author wrote. Modifies `course`.
 */
export function keepLessonIds(course: Course, known: ReadonlyMap<string, LessonRecord>): MovedFile[] {
  if (!hasGeneratedIds(course)) return [];
  const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
  const open = new Set(lessons.filter((lesson) => !lesson.isIdGiven && lesson.sourcePath !== undefined));
  const used = new Set(lessons.filter((lesson) => !open.has(lesson)).map((lesson) => lesson.id));
  const free = new Map([...known].filter(([id]) => !used.has(id)));
  const moved: MovedFile[] = [];

  type Places = Pick<LessonRecord, "sourcePath" | "writtenDigest" | "contentDigest">;
  /** Assigns the ids of earlier lessons to lessons with the same key. An empty key matches nothing. */
  const keepBy = (keyOf: (places: Places) => string | undefined, knownKeyOf = keyOf): void => {
    const ids = Map.groupBy([...free].toReversed(), ([, record]) => knownKeyOf(record));
    for (const lesson of open) {
      const { sourcePath = "" } = lesson;
      const key = keyOf({ sourcePath, ...digestWritten(lesson) });
      const [id, record] = (key ? ids.get(key)?.pop() : undefined) ?? [];
      if (id === undefined) continue;
      lesson.id = id;
      used.add(id);
      free.delete(id);
      open.delete(lesson);
      if (record?.sourcePath !== undefined && record.sourcePath !== sourcePath) {
        moved.push({ lessonId: id, from: record.sourcePath, to: sourcePath });
      }
    }
  };
  keepBy(({ sourcePath, writtenDigest }) => writtenDigest && `${sourcePath}\0${writtenDigest}`);
  keepBy(({ writtenDigest }) => writtenDigest);
  keepBy(({ contentDigest }) => contentDigest);
  keepBy(({ sourcePath }) => sourcePath);
  // A part that was edited and moved follows the other parts of its file.
  const movedFiles = listMovedFiles(moved);
  keepBy(
    ({ sourcePath = "" }) => findPathBefore(sourcePath, movedFiles),
    ({ sourcePath }) => sourcePath,
  );

  // The remaining lessons are new. The id generated from a path can already belong to a lesson that moved.
  for (const lesson of open) {
    for (let count = 2; used.has(lesson.id); count++) {
      lesson.id = generateOtherLessonId(course.project, lesson.sourcePath ?? "", count);
    }
    used.add(lesson.id);
  }
  return moved;
}

/** Returns true if some lessons have generated ids. Only generated ids can still change. */
function hasGeneratedIds({ chapters }: Course): boolean {
  return chapters.some(({ lessons }) => lessons.some(({ isIdGiven }) => !isIdGiven));
}

/** Maps the new path of each moved file to the old path. Moves within a file do not count. */
export function listMovedFiles(moved: readonly MovedFile[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const { from, to } of moved) {
    const [before, now] = [splitSourcePath(from).file, splitSourcePath(to).file];
    if (before !== now && !files.has(now)) files.set(now, before);
  }
  return files;
}

/** Returns a part's former path if its file moved; otherwise "". */
function findPathBefore(path: string, movedFiles: ReadonlyMap<string, string>): string {
  const { file, part } = splitSourcePath(path);
  const before = movedFiles.get(file);
  return before === undefined || part === undefined ? "" : toPartPath(before, part);
}
