// Schemas of all answers, used by imports, tests and typed clients. The order and the set of members are part of the
// interface. Servers import only types from here, so they do not load zod.
import { z } from "zod";

export const timestamp = z.iso.datetime({ precision: 3 });
const createdAt = timestamp.describe(
  "The author's creation date, else the time of the import that first had the item.",
);
const updatedAt = timestamp.describe(
  "The time of the last change. For a course, it is the author's date, or else no earlier than any of its lessons'.",
);
const thumbnail = z.string().describe('Absolute URL of an image, or "".');
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
    return z.array(z.union([treeLesson, treeSectionDocument])).describe("Its lessons, and the sections within it.");
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
  additionalText: z.string().describe('HTML of the lesson\'s text, as written or rendered, or "".'),
  createdAt,
  updatedAt,
});

const total = z.int().nonnegative().describe("The number of matches on all pages.");

export const listOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    total,
    results: z.array(item).describe("The matches on this page; all matches without paging."),
  });

export const envelopeOf = <T extends z.ZodType>(data: T) =>
  z.strictObject({
    data,
    success: z.literal(true).describe("True in a success."),
    message: z.literal("").describe("Empty in a success."),
    code: z.literal(200).describe("The HTTP status."),
  });

/** A lesson that matches a search, or a course whose own text does. Members that do not apply are "". */
export const searchResultDocument = z.strictObject({
  courseId,
  courseName,
  lessonId: z.string().describe('Identifier of the lesson; "" where the texts of the course itself match.'),
  lessonName: z.string().describe('Title of the lesson, or "".'),
  headingId: z.string().describe('Id of the last heading at or before the first hit, or "".'),
  heading: z.string().describe('Text of that heading, or "".'),
  excerpt: z.string().describe("HTML: the escaped text around the first hit, with matches in `mark`."),
});

/** How a course differs between two releases. Members that do not apply are "". */
export const courseChangeDocument = z.strictObject({
  _id: courseId,
  change: z.enum(["added", "changed", "removed"]).describe("The kind of change."),
  slug: z.string().describe("The course's slug, from the newer release that has it."),
  formerSlug: z.string().describe('Former slug of the course, or "".'),
  fields: z.array(z.string()).describe("Changed members of a changed course, except `updatedAt`."),
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
  since: z.int().positive().describe("The release to compare with."),
  release: z.int().positive().describe("The release that the request reads."),
  results: z.array(courseChangeDocument).describe("The changed courses, removed ones last."),
});

/** A readable release. For keys that cannot read drafts, their counts are 0. */
export const releaseDocument = z.strictObject({
  number: z.int().positive().describe("The release's number in its project."),
  publishedAt: timestamp.describe("When the key's channel last published it."),
  courses: z.int().nonnegative().describe("Number of published courses."),
  drafts: z.int().nonnegative().describe("Number of drafts; 0 for a key without drafts."),
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
  message: z.string().min(1).describe("A description of the error for people. The wording may change."),
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
