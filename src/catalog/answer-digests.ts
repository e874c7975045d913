// Digests for `include=digest`. Servers load this file, so it must not load zod.
import { digestText } from "./body.ts";
import type { CourseParts } from "./catalog-reader.ts";

export function toLessonMark(digest: string, meta: string): string {
  return `${digest} ${meta}`;
}

/** Returns a digest of a lesson's document and meta. */
export function digestLesson(digest: string, meta: string): string {
  return digestText(toLessonMark(digest, meta));
}

/** Returns a digest of a course: its document, slug, status, meta and tree, and its lessons in order. */
export function digestCourse(
  course: Pick<CourseParts, "digest" | "slug" | "meta" | "published" | "treeDigest">,
  lessonMarks: string[],
): string {
  const { digest, slug, published, meta = "", treeDigest = "" } = course;
  return digestText(JSON.stringify([digest, slug, published, meta, treeDigest, ...lessonMarks]));
}
