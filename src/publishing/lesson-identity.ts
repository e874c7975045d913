import { digestWritten, type SourceDigests } from "../catalog/compile-course.ts";
import { generateOtherLessonId } from "../catalog/complete-course.ts";
import type { Course, Lesson } from "../catalog/course.ts";
import { splitSourcePath, toPartPath } from "../catalog/source-path.ts";
import type { LessonRecord } from "../catalog/store.ts";

/** A lesson that kept its id although its file is another. */
export interface MovedFile {
  lessonId: string;
  from: string;
  to: string;
}

/** A lesson's content without its name, which may come from the name of the file. "" when there is none. */
export function toContentKey({
  url,
  quizHtml,
  additionalText,
}: Pick<Lesson, "url" | "quizHtml" | "additionalText">): string {
  return url === "" && quizHtml === "" && additionalText === "" ? "" : JSON.stringify([url, quizHtml, additionalText]);
}

/**
 * Lets lessons that were read from files keep the ids they had in an earlier version of the course, so that links to
 * them survive: first those that did not change, then those whose content turned up in another file, then those whose
 * file is the same with other content, then parts of a file of which other parts have moved. What the author wrote counts more
 * than what was delivered, which changes with settings and with the lessons that links lead to. Ids that the author gave are
 * never touched. `delivered` is the course with its links filled in, `digests` are its, and `readContents` reads the content
 * keys of known lessons. Changes `course`.
 */
export async function keepLessonIds(
  course: Course,
  delivered: Course,
  digests: SourceDigests,
  known: ReadonlyMap<string, LessonRecord>,
  readContents: (lessonIds: string[]) => Promise<Map<string, string>>,
): Promise<MovedFile[]> {
  if (!hasGeneratedIds(course)) return [];
  const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
  const deliveredLessons = delivered.chapters.flatMap((chapter) => chapter.lessons);
  const indexOf = new Map(lessons.map((lesson, index) => [lesson, index]));
  const open = new Set(lessons.filter((lesson) => !lesson.isIdGiven && lesson.sourcePath !== undefined));
  const used = new Set(lessons.filter((lesson) => !open.has(lesson)).map((lesson) => lesson.id));
  const free = new Map([...known].filter(([id]) => !used.has(id)));
  const moved: MovedFile[] = [];

  /** Gives lessons the ids of the earlier ones with the same key; an empty key is like none. */
  const keepBy = (
    keyOf: (lesson: Lesson) => string,
    knownKeyOf: (id: string, record: LessonRecord) => string,
  ): void => {
    const ids = Map.groupBy([...free].toReversed(), ([id, record]) => knownKeyOf(id, record));
    for (const lesson of open) {
      const key = keyOf(lesson);
      const [id, record] = (key === "" ? undefined : ids.get(key)?.pop()) ?? [];
      if (id === undefined) continue;
      lesson.id = id;
      used.add(id);
      free.delete(id);
      open.delete(lesson);
      const to = lesson.sourcePath ?? "";
      if (record?.sourcePath !== undefined && record.sourcePath !== to) {
        moved.push({ lessonId: id, from: record.sourcePath, to });
      }
    }
  };
  const digestOf = (lesson: Lesson): string => digests.lessons[indexOf.get(lesson) ?? -1] ?? "";
  const withPath = (path: string | undefined, key = ""): string => (key === "" ? "" : `${path}\0${key}`);
  keepBy(
    (lesson) => withPath(lesson.sourcePath, digestWritten(lesson).named),
    (_, { sourcePath, written }) => withPath(sourcePath, written.named),
  );
  keepBy(
    (lesson) => withPath(lesson.sourcePath, digestOf(lesson)),
    (_, { sourcePath, sourceDigest }) => withPath(sourcePath, sourceDigest),
  );
  keepBy(
    (lesson) => digestWritten(lesson).named ?? "",
    (_, { written }) => written.named ?? "",
  );
  keepBy(digestOf, (_, record) => record.sourceDigest);
  keepBy(
    (lesson) => digestWritten(lesson).content ?? "",
    (_, { written }) => written.content ?? "",
  );
  if (open.size > 0 && free.size > 0) {
    const contents = await readContents([...free.keys()]);
    const readContent = (id: string): string => contents.get(id) ?? "";
    keepBy((lesson) => toContentKey(deliveredLessons[indexOf.get(lesson) ?? -1] ?? lesson), readContent);
    // As it was delivered before links between lessons were filled in.
    keepBy((lesson) => (lesson.links === undefined ? "" : toContentKey(lesson)), readContent);
  }
  keepBy(
    (lesson) => lesson.sourcePath ?? "",
    (_, record) => record.sourcePath ?? "",
  );
  // Where other parts of a file have moved, one that was edited on the way has moved with them.
  const movedFiles = listMovedFiles(moved);
  keepBy(
    (lesson) => findPathBefore(lesson.sourcePath ?? "", movedFiles),
    (_, record) => record.sourcePath ?? "",
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
