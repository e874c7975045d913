// Schemas of all answers, used by imports, tests and typed clients. The set and order of members are part of the
// interface. Servers import only types from here, so they do not load zod.
import { z } from "zod";

export const timestamp = z.iso.datetime({ precision: 3 });
const createdAt = timestamp.describe(
  "The author's creation date, or else the time of the first import that contained the item.",
);
const updatedAt = timestamp.describe(
  "The author's date of the last change, or else the time of the import that made it. A course without an author's " +
    "date has the newest of this time and its lessons' dates.",
);
const thumbnail = z.string().describe('Absolute URL of the course\'s image, or "".');
const courseId = z.string().describe("The course's identifier, unique in its project.");
const courseName = z.string().describe("Title of the course.");
const projectId = z.string().describe("Project of the course.");
const lessonId = z.string().describe("The lesson's identifier, unique in its course.");
const lessonName = z.string().describe("Title of the lesson.");

export const lessonSummaryDocument = z.strictObject({ id: lessonId, name: lessonName });

export const chapterDocument = z.strictObject({
  id: z.string().describe("The chapter's identifier, unique in its course."),
  name: z.string().describe("Title of the chapter."),
  lessons: z.array(lessonSummaryDocument).describe("The chapter's lessons, in order."),
});

const treeLesson = z.strictObject({ id: lessonId, name: lessonName });

export const treeSectionDocument = z.strictObject({
  name: z.string().describe("Title of the section."),
  get parts(): z.ZodType<(LessonSummaryDocument | TreeSectionDocument)[]> {
    return z.array(z.union([treeLesson, treeSectionDocument])).describe("The lessons and sections in this section.");
  },
});

export const courseSummaryDocument = z.strictObject({
  _id: courseId,
  projectId,
  name: courseName,
  thumbnail,
  createdAt,
  updatedAt,
});

export const courseDocument = z.strictObject({
  _id: courseId,
  projectId,
  name: courseName,
  chapters: z.array(chapterDocument).describe("The chapters, in order."),
  thumbnail,
  createdAt,
  updatedAt,
});

export const lessonDocument = z.strictObject({
  id: lessonId,
  name: lessonName,
  url: z.string().describe('URL of the lesson\'s video, or "".'),
  quizHtml: z.string().describe('HTML of a quiz, as written by its author, or "".'),
  additionalText: z.string().describe('The lesson\'s text as HTML, authored or rendered, or "".'),
  createdAt,
  updatedAt,
});

const total = z.int().nonnegative().describe("The number of matches on all pages.");

export const listOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    total,
    results: z.array(item).describe("The matches on this page, or all matches if the request does not use paging."),
  });

export const envelopeOf = <T extends z.ZodType>(data: T) =>
  z.strictObject({
    data,
    success: z.literal(true).describe("True in a success."),
    message: z.literal("").describe("Empty in a success."),
    code: z.literal(200).describe("The HTTP status."),
  });

/** A lesson or a course whose text matches a search. Members that do not apply are "". */
export const searchResultDocument = z.strictObject({
  courseId,
  courseName,
  lessonId: z.string().describe('Identifier of the lesson; "" if the text of the course itself matches.'),
  lessonName: z.string().describe('Title of the lesson, or "".'),
  headingId: z.string().describe('Identifier of the last heading at or before the first hit, or "".'),
  heading: z.string().describe('Text of that heading, or "".'),
  excerpt: z.string().describe("The text around the first hit as escaped HTML, with matches in `mark` elements."),
});

/** How a course differs between two releases. Members that do not apply are "". */
export const courseChangeDocument = z.strictObject({
  _id: courseId,
  change: z.enum(["added", "changed", "removed"]).describe("The kind of change."),
  slug: z.string().describe("The course's slug in the newer release, or in the older one if the course was removed."),
  formerSlug: z.string().describe('The course\'s slug in the release to compare with, if different, or "".'),
  fields: z.array(z.string()).describe("Names of the changed members of a changed course, except `updatedAt`."),
  lessons: z
    .array(
      z.strictObject({
        id: lessonId,
        change: z
          .enum(["added", "changed", "moved", "changed and moved", "removed"])
          .describe("The kind of change; a moved lesson is in another chapter."),
      }),
    )
    .describe("The changed lessons."),
});

export const changesDocument = z.strictObject({
  since: z.int().positive().describe("The number of the release to compare with."),
  release: z.int().positive().describe("The number of the release that the request reads."),
  results: z.array(courseChangeDocument).describe("The changed courses, removed ones last."),
});

/** A readable release. For keys that cannot read drafts, its counts omit drafts. */
export const releaseDocument = z.strictObject({
  number: z.int().positive().describe("The release's number in its project."),
  publishedAt: timestamp.describe("When it was last published on the key's channel."),
  courses: z.int().nonnegative().describe("Number of published courses."),
  drafts: z.int().nonnegative().describe("Number of drafts; 0 for a key that cannot read drafts."),
  lessons: z.int().nonnegative().describe("Number of lessons in the courses that the key can read."),
});

export const successBodies = {
  courses: envelopeOf(listOf(courseSummaryDocument)),
  course: envelopeOf(courseDocument),
  lessons: envelopeOf(listOf(lessonSummaryDocument)),
  lesson: envelopeOf(lessonDocument),
  search: envelopeOf(listOf(searchResultDocument)),
  changes: envelopeOf(changesDocument),
  releases: envelopeOf(listOf(releaseDocument)),
};

/** The body of every error; `code` is the HTTP status. */
export const errorBody = z.strictObject({
  data: z.strictObject({}).describe("Empty in an error."),
  success: z.literal(false).describe("False in an error."),
  message: z.string().min(1).describe("A description of the error for people. Its wording can change."),
  code: z.int().min(400).max(599).describe("The HTTP status."),
});

export interface TreeSectionDocument {
  name: string;
  parts: (LessonSummaryDocument | TreeSectionDocument)[];
}
export type LessonSummaryDocument = z.output<typeof lessonSummaryDocument>;
export type ChapterDocument = z.output<typeof chapterDocument>;
export type CourseSummaryDocument = z.output<typeof courseSummaryDocument>;
export type CourseDocument = z.output<typeof courseDocument>;
export type LessonDocument = z.output<typeof lessonDocument>;
export type SearchResultDocument = z.output<typeof searchResultDocument>;
export type CourseChangeDocument = z.output<typeof courseChangeDocument>;
export type ChangesDocument = z.output<typeof changesDocument>;
export type ReleaseDocument = z.output<typeof releaseDocument>;
export type ErrorBody = z.output<typeof errorBody>;
