import {
  digestCourse,
  formatContents,
  toLessonMark,
  type CourseSource,
  type LessonSource,
} from "../catalog/course-contents.ts";
import { pack, type Bytes } from "../catalog/stored-document.ts";

/** Most of it is digests: other levels make it shorter by one byte in a hundred, and take half as long again. */
const FASTEST = 1;
const encoder = new TextEncoder();

/** A row of `course_contents`. */
export interface ContentsRow {
  version_id: number;
  digest: string;
  lessons: Bytes;
}

/** The row of a version, from its course and all of its lessons in their order. */
export function toContentsRow(versionId: number, course: CourseSource, lessons: LessonSource[]): ContentsRow {
  const text = formatContents(lessons);
  return {
    version_id: versionId,
    digest: digestCourse(course, lessons.map(toLessonMark)),
    lessons: pack(encoder.encode(text), FASTEST),
  };
}
