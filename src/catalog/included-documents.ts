// What the interface answers only where `include` asks for it. As in documents.ts, members stand in the order of the interface.
import { z } from "zod";
import {
  chapterDocument,
  courseDocument,
  courseSummaryDocument,
  envelopeOf,
  lessonDocument,
  lessonSummaryDocument,
  listOf,
  timestamp,
  treeSectionDocument,
} from "./documents.ts";

const durationMinutes = z.int().nonnegative().nullable().describe("How long it takes; null where that is not known.");

const language = z.string().describe('The language of that course as a tag (BCP 47), or "".');
const courseId = z.string().describe("Its identifier.");

const courseTranslations = z
  .array(z.strictObject({ language, courseId, slug: z.string().describe("Its slug.") }))
  .describe("The published courses that are this one in other languages, by language: its original, too.");

const lessonTranslations = z
  .array(
    z.strictObject({
      language,
      courseId: courseId.describe("Identifier of that course."),
      lessonId: z.string().describe("Identifier of the lesson there."),
      slug: z.string().describe("The slug of the lesson there."),
    }),
  )
  .describe("The lesson in the published courses that are its course in other languages, by language.");

export const courseMetaMembers = z.strictObject({
  slug: z.string().describe("The slug of the course, for addresses that people read."),
  description: z.string().describe('What it is about, as plain text, or "".'),
  language: z.string().describe('Its language as a tag (BCP 47), or "".'),
  translationOf: z.string().describe('Identifier of the course of which it is a translation, or "".'),
  tags: z.array(z.string()).describe("Its tags, in the order of its author."),
  durationMinutes,
  published: z.boolean().describe("False for a draft, which only keys with drafts read."),
  translations: courseTranslations,
});

export const lessonMetaMembers = z.strictObject({
  durationMinutes,
  slug: z.string().describe("A readable name of the lesson for addresses, unique in its course."),
  section: z.array(z.string()).describe("The titles of the sections around it below its chapter, the outermost first."),
  source: z.string().describe('The file that it was read from, relative to its source, or "".'),
  editUrl: z.string().describe('Where that file is edited, or "".'),
  description: z.string().describe('The beginning of its text, as plain text of at most 160 characters, or "".'),
  readingMinutes: z.int().nonnegative().describe("How long its text takes to read; 0 for none."),
  translations: lessonTranslations,
});

export const courseDigestMembers = z.strictObject({
  digest: z.string().describe("Changes when anything does that is answered of the course, its meta or its lessons."),
});

export const lessonDigestMembers = z.strictObject({
  updatedAt: timestamp.describe("When the lesson was last changed."),
  digest: z.string().describe("Changes when anything does that is answered of the lesson or its meta."),
  hasVideo: z.boolean().describe("Whether its `url` is not empty."),
  hasQuiz: z.boolean().describe("Whether its `quizHtml` is not empty."),
});

const link = z.strictObject({ id: z.string().describe("Its identifier."), name: z.string().describe("Its title.") });

export const navMembers = z.strictObject({
  course: link.describe("The course of the lesson."),
  chapter: link.describe("The chapter that the lesson stands in."),
  previous: link.nullable().describe("The lesson before it in the course, of whatever chapter; null for the first."),
  next: link.nullable().describe("The lesson after it in the course, of whatever chapter; null for the last."),
});

export const treeMembers = z.strictObject({
  tree: z
    .array(z.union([lessonSummaryDocument, treeSectionDocument]))
    .describe("The lessons of the course in its sections, of any depth; a section has `parts`."),
});

const withLessons = (lesson: z.ZodObject) =>
  z.strictObject({
    chapters: z.array(chapterDocument.extend({ lessons: z.array(lesson).describe("The lessons, in order.") })),
  });

/** What `include` adds to an answer, or to each element of a list: by the name of its route, in the order of the members. */
export const includedMembers = {
  courses: { meta: courseMetaMembers, digest: courseDigestMembers },
  course: { lessons: withLessons(lessonDocument), meta: courseMetaMembers, tree: treeMembers },
  lessons: { meta: lessonMetaMembers, digest: lessonDigestMembers },
  lesson: { meta: lessonMetaMembers, nav: navMembers },
};

/** The body of a success with what `include` asks for: some of the keys of `includedMembers` for the route. */
export function includingBody(route: keyof typeof includedMembers, include: readonly string[]): z.ZodType {
  const members = Object.entries(includedMembers[route]).filter(([name]) => include.includes(name));
  const extend = (document: z.ZodObject): z.ZodObject =>
    members.reduce((object, [, more]) => object.extend(more.shape), document);
  switch (route) {
    case "courses":
      return envelopeOf(listOf(extend(courseSummaryDocument)));
    case "course":
      // Its lessons are what the request for a lesson answers.
      return envelopeOf(
        include.includes("lessons") && include.includes("meta")
          ? extend(courseDocument).extend(withLessons(lessonDocument.extend(lessonMetaMembers.shape)).shape)
          : extend(courseDocument),
      );
    case "lessons":
      return envelopeOf(listOf(extend(lessonSummaryDocument)));
    case "lesson":
      return envelopeOf(extend(lessonDocument));
  }
}

export type CourseTranslation = z.output<typeof courseTranslations>[number];
export type LessonTranslation = z.output<typeof lessonTranslations>[number];
export type TreeMembers = z.output<typeof treeMembers>;
export type CourseMetaMembers = z.output<typeof courseMetaMembers>;
export type CourseDigestMembers = z.output<typeof courseDigestMembers>;
export type LessonDigestMembers = z.output<typeof lessonDigestMembers>;
export type NavMembers = z.output<typeof navMembers>;
export type LessonMetaMembers = z.output<typeof lessonMetaMembers>;
