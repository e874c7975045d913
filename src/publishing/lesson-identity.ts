import type { SourceDigests } from "../catalog/compile-course.ts";
import { generateOtherLessonId } from "../catalog/complete-course.ts";
import type { Course, Lesson } from "../catalog/course.ts";
import type { LessonRecord } from "../catalog/store.ts";

/** A lesson that kept its id although its file is another. */
export interface MovedFile {
  lessonId: string;
  from: string;
  to: string;
}

interface Place {
  sourcePath: string | undefined;
  sourceDigest: string;
}

/**
 * Lets lessons that were read from files keep the ids they had in an earlier version of the course, so that links to
 * them survive: first those that did not change, then those whose content turned up in another file, then those whose
 * file is the same with other content. Ids that the author gave are never touched. Changes `course`.
 */
export function keepLessonIds(
  course: Course,
  digests: SourceDigests,
  known: ReadonlyMap<string, LessonRecord>,
): MovedFile[] {
  const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
  const used = new Set<string>();
  const open = new Map<Lesson, Place>();
  for (const [index, lesson] of lessons.entries()) {
    if (lesson.isIdGiven || lesson.sourcePath === undefined) used.add(lesson.id);
    else open.set(lesson, { sourcePath: lesson.sourcePath, sourceDigest: digests.lessons[index] ?? "" });
  }

  const moved: MovedFile[] = [];
  const keepBy = (keyOf: (place: Place) => string): void => {
    const free = [...known].filter(([id]) => !used.has(id)).toReversed();
    const ids = Map.groupBy(free, ([, record]) => keyOf(record));
    for (const [lesson, place] of open) {
      const [id, record] = ids.get(keyOf(place))?.pop() ?? [];
      if (id === undefined) continue;
      lesson.id = id;
      used.add(id);
      open.delete(lesson);
      const from = record?.sourcePath;
      if (from !== undefined && from !== place.sourcePath) {
        moved.push({ lessonId: id, from, to: place.sourcePath ?? "" });
      }
    }
  };
  keepBy(({ sourcePath, sourceDigest }) => `${sourcePath}\0${sourceDigest}`);
  keepBy(({ sourceDigest }) => sourceDigest);
  keepBy(({ sourcePath }) => sourcePath ?? "");

  // What is left is new. Its generated id may belong to a lesson that was moved away from this path.
  for (const lesson of open.keys()) {
    for (let count = 2; used.has(lesson.id); count++) {
      lesson.id = generateOtherLessonId(course.project, lesson.sourcePath ?? "", count);
    }
    used.add(lesson.id);
  }
  return moved;
}
