// Schemas of the members that `include` adds to answers. Their order is part of the interface.
import { z } from "zod";
import { chapterDocument, lessonDocument, lessonSummaryDocument, timestamp, treeSectionDocument } from "./documents.ts";

const durationMinutes = z.int().nonnegative().nullable().describe("Duration in minutes; null if unknown.");

const language = z.string().describe('A BCP 47 language tag, or "" if unknown.');
const courseId = z.string().describe("Identifier of the course in this language.");

const courseTranslations = z
  .array(z.strictObject({ language, courseId, slug: z.string().describe("Slug of the course in this language.") }))
  .describe("The published translations of this course, including its original, sorted by language.");

const lessonTranslations = z
  .array(
    z.strictObject({
      language,
      courseId,
      lessonId: z.string().describe("Identifier of the lesson in this language."),
      slug: z.string().describe("Slug of the lesson in this language."),
    }),
  )
  .describe("The lesson's translations in published courses, sorted by language.");

export const courseMetaMembers = z.strictObject({
  slug: z.string().describe("The course's slug, for readable URLs."),
  description: z.string().describe('A description of the course as plain text, or "".'),
  language: z.string().describe('The BCP 47 tag of the course\'s language, or "".'),
  translationOf: z.string().describe('Identifier of the course that this one translates, or "".'),
  tags: z.array(z.string()).describe("The course's tags, in the author's order."),
  durationMinutes,
  published: z.boolean().describe("False for a draft, which only a key with drafts can read."),
  translations: courseTranslations,
});

export const lessonMetaMembers = z.strictObject({
  durationMinutes,
  slug: z.string().describe("A readable name for URLs, unique in the course."),
  section: z
    .array(z.string())
    .describe("Titles of the sections that enclose the lesson within its chapter, outermost first."),
  source: z.string().describe('Path of the lesson\'s file in its source, or "".'),
  editUrl: z.string().describe('URL to edit the lesson\'s file, or "".'),
  description: z.string().describe('The beginning of the lesson\'s text as plain text, up to 160 characters, or "".'),
  readingMinutes: z.int().nonnegative().describe("The text's reading time in minutes; 0 without text."),
  translations: lessonTranslations,
});

export const courseDigestMembers = z.strictObject({
  digest: z.string().describe("A digest that changes with the course, its meta or its lessons."),
});

export const lessonDigestMembers = z.strictObject({
  updatedAt: timestamp.describe("When the lesson was last changed."),
  digest: z.string().describe("A digest that changes with the lesson or its meta."),
  hasVideo: z.boolean().describe("True if `url` is not empty."),
  hasQuiz: z.boolean().describe("True if `quizHtml` is not empty."),
});

const link = z.strictObject({ id: z.string().describe("Identifier."), name: z.string().describe("Title.") });

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

/** Members that `include` adds to an answer or to each list element, by route and in order. */
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
