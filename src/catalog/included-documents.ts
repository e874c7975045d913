// Schemas for answers to `include`. The order of members is part of the interface.
import { z } from "zod";
import { chapterDocument, lessonDocument, lessonSummaryDocument, timestamp, treeSectionDocument } from "./documents.ts";

const durationMinutes = z.int().nonnegative().nullable().describe("Duration; null if unknown.");

const language = z.string().describe('The language of that course as a tag (BCP 47), or "".');
const courseId = z.string().describe("Its identifier.");

const courseTranslations = z
  .array(z.strictObject({ language, courseId, slug: z.string().describe("Its slug.") }))
  .describe("The published translations of this course, including its original, by language.");

const lessonTranslations = z
  .array(
    z.strictObject({
      language,
      courseId: courseId.describe("Identifier of the translation."),
      lessonId: z.string().describe("The translated lesson's identifier."),
      slug: z.string().describe("The translated lesson's slug."),
    }),
  )
  .describe("The lesson's translations in published courses, by language.");

export const courseMetaMembers = z.strictObject({
  slug: z.string().describe("The course's slug, for readable URLs."),
  description: z.string().describe('The subject as plain text, or "".'),
  language: z.string().describe('Its language as a tag (BCP 47), or "".'),
  translationOf: z.string().describe('Identifier of the original of a translation, or "".'),
  tags: z.array(z.string()).describe("Its tags, in the author's order."),
  durationMinutes,
  published: z.boolean().describe("False for a draft, which requires a key with drafts."),
  translations: courseTranslations,
});

export const lessonMetaMembers = z.strictObject({
  durationMinutes,
  slug: z.string().describe("A readable name for URLs, unique in the course."),
  section: z
    .array(z.string())
    .describe("Titles of the sections that enclose the lesson within its chapter, outermost first."),
  source: z.string().describe('The source file, relative to its source, or "".'),
  editUrl: z.string().describe('URL to edit that file, or "".'),
  description: z.string().describe('The beginning of its text, as plain text of at most 160 characters, or "".'),
  readingMinutes: z.int().nonnegative().describe("The text's reading time; 0 without text."),
  translations: lessonTranslations,
});

export const courseDigestMembers = z.strictObject({
  digest: z.string().describe("Changes with the course, its meta or its lessons."),
});

export const lessonDigestMembers = z.strictObject({
  updatedAt: timestamp.describe("When the lesson was last changed."),
  digest: z.string().describe("Changes with the lesson or its meta."),
  hasVideo: z.boolean().describe("Whether `url` has a value."),
  hasQuiz: z.boolean().describe("Whether `quizHtml` has a value."),
});

const link = z.strictObject({ id: z.string().describe("Its identifier."), name: z.string().describe("Its title.") });

export const navMembers = z.strictObject({
  course: link.describe("The lesson's course."),
  chapter: link.describe("The lesson's chapter."),
  previous: link.nullable().describe("The previous lesson in the course, in any chapter; null for the first."),
  next: link.nullable().describe("The next lesson in the course, in any chapter; null for the last."),
});

export const treeMembers = z.strictObject({
  tree: z
    .array(z.union([lessonSummaryDocument, treeSectionDocument]))
    .describe("The course's lessons in nested sections; a section has `parts`."),
});

export const withLessons = (lesson: z.ZodObject) =>
  z.strictObject({
    chapters: z.array(chapterDocument.extend({ lessons: z.array(lesson).describe("The lessons, in order.") })),
  });

/** Members that `include` adds to an answer or to each list element: by route, in order. */
export const includedMembers = {
  courses: { meta: courseMetaMembers, digest: courseDigestMembers },
  course: { lessons: withLessons(lessonDocument), meta: courseMetaMembers, tree: treeMembers },
  lessons: { meta: lessonMetaMembers, digest: lessonDigestMembers },
  lesson: { meta: lessonMetaMembers, nav: navMembers },
};

export type CourseTranslation = z.output<typeof courseTranslations>[number];
export type LessonTranslation = z.output<typeof lessonTranslations>[number];
export type TreeMembers = z.output<typeof treeMembers>;
export type CourseMetaMembers = z.output<typeof courseMetaMembers>;
export type CourseDigestMembers = z.output<typeof courseDigestMembers>;
export type LessonDigestMembers = z.output<typeof lessonDigestMembers>;
export type NavMembers = z.output<typeof navMembers>;
export type LessonMetaMembers = z.output<typeof lessonMetaMembers>;
