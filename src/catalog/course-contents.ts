// What `include=digest` tells of a course and its lessons, and `include=meta` of a list of lessons. An import stores it beside the
// documents, so that a list needs none of them. A server reads it, so nothing here loads zod.
import type { LessonDocument } from "./documents.ts";
import { renderLessonMetaMembers } from "./meta-document.ts";
import { digestText } from "./stored-document.ts";

/** What a list of lessons can tell of one, beside id and name, as JSON members. */
export interface LessonContents {
  meta: string;
  digest: string;
}

/** What the contents of a lesson are made of. */
export interface LessonSource {
  /** Of its document. */
  digest: string;
  /** JSON text; undefined where the author gave none. */
  meta: string | undefined;
  traits: LessonTraits;
}

/** What is told of a lesson's document without the document. */
export interface LessonTraits {
  updatedAt: string;
  hasVideo: boolean;
  hasQuiz: boolean;
}

/** What the digest of a course is made of. */
export interface CourseSource {
  /** Of its document. */
  digest: string;
  slug: string;
  published: boolean;
  /** JSON text; undefined where the author gave none. */
  meta: string | undefined;
}

/** The traits of a lesson, from its document. */
export function toLessonTraits({
  updatedAt,
  url,
  quizHtml,
}: Pick<LessonDocument, "updatedAt" | "url" | "quizHtml">): LessonTraits {
  return { updatedAt, hasVideo: url !== "", hasQuiz: quizHtml !== "" };
}

/** A text that changes when a lesson does, or its meta. */
export function toLessonMark({ digest, meta = "" }: Pick<LessonSource, "digest" | "meta">): string {
  return `${digest} ${meta}`;
}

/**
 * The digest of all that is answered of a course: its document, its meta, and its lessons, given by their marks in the order of the
 * course.
 */
export function digestCourse({ digest, slug, published, meta = "" }: CourseSource, lessonMarks: string[]): string {
  return digestText(JSON.stringify([digest, slug, published, meta, ...lessonMarks]));
}

/** The contents of lessons as they are stored: a line each, in their order. Its beginning has one length in all of them. */
export function formatContents(lessons: LessonSource[]): string {
  return lessons.map(formatLine).join("\n");
}

function formatLine(lesson: LessonSource): string {
  const { digest, meta, traits } = lesson;
  const own = meta === undefined ? digest : digestText(toLessonMark(lesson));
  // JSON has no line break within.
  return `${own}${toFlag(traits.hasVideo)}${toFlag(traits.hasQuiz)}${traits.updatedAt}${meta ?? ""}`;
}

/** What a line of `formatContents` tells of a lesson, as members of answers. */
export function parseContentsLine(line: string): LessonContents {
  const [digest, updatedAt] = [line.slice(0, 32), line.slice(34, 58)];
  const [hasVideo, hasQuiz] = [line[32] === "1", line[33] === "1"];
  return {
    meta: renderLessonMetaMembers(line.slice(58) || undefined),
    digest: `"updatedAt":"${updatedAt}","digest":"${digest}","hasVideo":${hasVideo},"hasQuiz":${hasQuiz}`,
  };
}

function toFlag(is: boolean): string {
  return is ? "1" : "0";
}
