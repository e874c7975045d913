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

/** The contents of a lesson. Its digest is that of its document where it has no meta. */
export function toLessonContents({ digest, meta, traits }: LessonSource): LessonContents {
  const { updatedAt, hasVideo, hasQuiz } = traits;
  const own = meta === undefined ? digest : digestText(toLessonMark({ digest, meta }));
  return {
    meta: renderLessonMetaMembers(meta),
    digest: JSON.stringify({ updatedAt, digest: own, hasVideo, hasQuiz }).slice(1, -1),
  };
}

/** The contents of a course's lessons as they are stored: a line each, in their order. */
export function formatContents(lessons: LessonContents[]): string {
  // JSON has no line break within.
  return lessons.map(({ meta, digest }) => `${meta},${digest}`).join("\n");
}

/** The opposite of `formatContents`. */
export function parseContents(text: string): LessonContents[] {
  if (text === "") return [];
  return text.split("\n").map((line) => {
    const comma = line.indexOf(",");
    return { meta: line.slice(0, comma), digest: line.slice(comma + 1) };
  });
}
