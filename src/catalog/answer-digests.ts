// What `include=digest` tells of a course and its lessons. A server reads it, so nothing here loads zod.
import { digestText } from "./body.ts";
import type { CourseParts } from "./catalog-reader.ts";

export function toLessonMark(digest: string, meta: string): string {
  return `${digest} ${meta}`;
}

/** The digest of all that is answered of a lesson: its document and its meta. */
export function digestLesson(digest: string, meta: string): string {
  return digestText(toLessonMark(digest, meta));
}

/** The digest of all that is answered of a course: its document, its meta, its tree, and the marks of its lessons, in their order. */
export function digestCourse(
  {
    digest,
    slug,
    published,
    meta = "",
    treeDigest = "",
  }: Pick<CourseParts, "digest" | "slug" | "meta" | "published" | "treeDigest">,
  lessonMarks: string[],
): string {
  return digestText(JSON.stringify([digest, slug, published, meta, treeDigest, ...lessonMarks]));
}
