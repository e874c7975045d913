// Everything that the interface answers, once. Imports render it, tests parse it, and programs that read the API get their
// types from it. Members stand in the order of the interface, and there are no others: both are part of it. A server renders
// nothing and parses nothing, so it takes only types from here, and does not load zod.
import { z } from "zod";

export const timestamp = z.iso.datetime({ precision: 3 });
const createdAt = timestamp.describe(
  "When it was made: the author's date, else the time of the import that first had it.",
);
const updatedAt = timestamp.describe(
  "When it was last changed. Of a course as its author gives it; without that, never older than that of its lessons.",
);
const thumbnail = z.string().describe('Absolute URL of an image, or "".');
const courseId = z.string().describe("Identifier of the course, unique in its project.");
const courseName = z.string().describe("Title of the course.");
const projectId = z.string().describe("Project that the course belongs to.");
const lessonId = z.string().describe("Identifier of the lesson, unique in its course.");
const lessonName = z.string().describe("Title of the lesson.");

export const lessonSummaryDocument = z.strictObject({ id: lessonId, name: lessonName });

export const chapterDocument = z.strictObject({
  id: z.string().describe("Identifier of the chapter, unique in its course."),
  name: z.string().describe("Title of the chapter."),
  lessons: z.array(lessonSummaryDocument).describe("The lessons of the chapter, in order."),
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
  url: z.string().describe('Address of the video of the lesson, or "".'),
  quizHtml: z.string().describe('HTML of a quiz, as its author wrote it, or "".'),
  additionalText: z.string().describe('HTML of the text of the lesson, as written or rendered, or "".'),
  createdAt,
  updatedAt,
});

const total = z.int().nonnegative().describe("How many there are on all pages together.");

export const listOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    total,
    results: z.array(item).describe("Those of this page; all of them where no page is asked for."),
  });

export const envelopeOf = <T extends z.ZodType>(data: T) =>
  z.strictObject({
    data,
    success: z.literal(true).describe("True for a success."),
    message: z.literal("").describe("Empty for a success."),
    code: z.literal(200).describe("The HTTP status."),
  });

/** A lesson that matches a search, or a course whose own texts do. Texts that do not apply are "". */
export const searchResultDocument = z.strictObject({
  courseId,
  courseName,
  lessonId: z.string().describe('Identifier of the lesson; "" where the texts of the course itself match.'),
  lessonName: z.string().describe('Title of the lesson, or "".'),
  headingId: z.string().describe('Id of the last heading at or before the first hit, or "".'),
  heading: z.string().describe('Text of that heading, or "".'),
  excerpt: z.string().describe("HTML: escaped text around the first hit, with what matches in `mark`."),
});

/** What two releases do not have in common, of one course. Texts that do not apply are "". */
export const courseChangeDocument = z.strictObject({
  _id: courseId,
  change: z.enum(["added", "changed", "removed"]).describe("What became of the course."),
  slug: z.string().describe("Slug of the course in the newer of the two releases that has it."),
  formerSlug: z.string().describe('Slug of the course before, where that was another one, or "".'),
  fields: z.array(z.string()).describe("The members of a changed course that differ, except `updatedAt`."),
  lessons: z
    .array(
      z.strictObject({
        id: lessonId,
        change: z
          .enum(["added", "changed", "moved", "changed and moved", "removed"])
          .describe("What became of the lesson; moved is one that stands in another chapter."),
      }),
    )
    .describe("The lessons that differ."),
});

export const changesDocument = z.strictObject({
  since: z.int().positive().describe("The release that is compared with."),
  release: z.int().positive().describe("The release that is read."),
  results: z.array(courseChangeDocument).describe("The courses that differ, those that are gone last."),
});

/** A release that can be read. Drafts are counted for keys that read them, and 0 for others. */
export const releaseDocument = z.strictObject({
  number: z.int().positive().describe("The number of the release in its project."),
  publishedAt: timestamp.describe("When the channel of the key last published it."),
  courses: z.int().nonnegative().describe("How many published courses it has."),
  drafts: z.int().nonnegative().describe("How many drafts it has; 0 for a key that reads none."),
  lessons: z.int().nonnegative().describe("How many lessons it has, of the courses that the key reads."),
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

/** The body of every answer that is no success; `code` is the HTTP status. */
export const errorBody = z.strictObject({
  data: z.strictObject({}).describe("Empty for an error."),
  success: z.literal(false).describe("False for an error."),
  message: z.string().min(1).describe("What is wrong, for people. Its wording may change."),
  code: z.int().min(400).max(599).describe("The HTTP status: what programs look at."),
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
