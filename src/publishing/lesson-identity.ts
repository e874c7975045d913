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
 * Lets lessons that were read from files keep the ids they had in an earlier version of the course, so that links to
 * them survive: first those that did not change, then those whose content turned up in another file, then those whose
 * file is the same with other content, then parts of a file of which other parts have moved. Content is what the author wrote:
 * what is delivered changes with settings, and with the lessons that links lead to. Ids that the author gave are never touched.
 * Changes `course`.
 */
export function keepLessonIds(course: Course, known: ReadonlyMap<string, LessonRecord>): MovedFile[] {
  if (!hasGeneratedIds(course)) return [];
  const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
  const open = new Set(lessons.filter((lesson) => !lesson.isIdGiven && lesson.sourcePath !== undefined));
  const used = new Set(lessons.filter((lesson) => !open.has(lesson)).map((lesson) => lesson.id));
  const free = new Map([...known].filter(([id]) => !used.has(id)));
  const moved: MovedFile[] = [];

  type Places = Pick<LessonRecord, "sourcePath" | "writtenDigest" | "contentDigest">;
  /** Gives lessons the ids of the earlier ones with the same key; an empty key is like none. */
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
  // Where other parts of a file have moved, one that was edited on the way has moved with them.
  const movedFiles = listMovedFiles(moved);
  keepBy(
    ({ sourcePath = "" }) => findPathBefore(sourcePath, movedFiles),
    ({ sourcePath }) => sourcePath,
  );

  // What is left is new. Its generated id may belong to a lesson that was moved away from this path.
  for (const lesson of open) {
    for (let count = 2; used.has(lesson.id); count++) {
      lesson.id = generateOtherLessonId(course.project, lesson.sourcePath ?? "", count);
    }
    used.add(lesson.id);
  }
  return moved;
}

/** True for a course with ids that its author has not given: all others are final. */
export function hasGeneratedIds({ chapters }: Course): boolean {
  return chapters.some(({ lessons }) => lessons.some(({ isIdGiven }) => !isIdGiven));
}

/** The files that have moved, by where they are now; a move within a file is none. */
export function listMovedFiles(moved: readonly MovedFile[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const { from, to } of moved) {
    const [before, now] = [splitSourcePath(from).file, splitSourcePath(to).file];
    if (before !== now && !files.has(now)) files.set(now, before);
  }
  return files;
}

/** Where a part was before its file moved; "" for what is no part, or has not moved. */
function findPathBefore(path: string, movedFiles: ReadonlyMap<string, string>): string {
  const { file, part } = splitSourcePath(path);
  const before = movedFiles.get(file);
  return before === undefined || part === undefined ? "" : toPartPath(before, part);
}
