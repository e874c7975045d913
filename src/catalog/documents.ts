// Everything that the interface answers, once. Imports render it, tests parse it, and programs that read the API get their
// types from it. Members stand in the order of the interface, and there are no others: both are part of it. A server renders
// nothing and parses nothing, so it takes only types from here, and does not load zod.
import { z } from "zod";

/** `2026-01-31T09:30:00.000Z` */
const timestamp = z.iso.datetime({ precision: 3 });

export const lessonSummaryDocument = z.strictObject({ id: z.string(), name: z.string() });

export const chapterDocument = z.strictObject({
  id: z.string(),
  name: z.string(),
  lessons: z.array(lessonSummaryDocument),
});

export const courseSummaryDocument = z.strictObject({
  _id: z.string(),
  projectId: z.string(),
  name: z.string(),
  /** An absolute URL, or "". */
  thumbnail: z.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const courseDocument = z.strictObject({
  _id: z.string(),
  projectId: z.string(),
  name: z.string(),
  chapters: z.array(chapterDocument),
  thumbnail: z.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const lessonDocument = z.strictObject({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  quizHtml: z.string(),
  additionalText: z.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

/** `total` counts the matches before paging. */
const listOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ total: z.int().nonnegative(), results: z.array(item) });

const envelopeOf = <T extends z.ZodType>(data: T) =>
  z.strictObject({ data, success: z.literal(true), message: z.literal(""), code: z.literal(200) });

/** The body of a success, by the name of its route. */
export const successBodies = {
  courses: envelopeOf(listOf(courseSummaryDocument)),
  course: envelopeOf(courseDocument),
  lessons: envelopeOf(listOf(lessonSummaryDocument)),
  lesson: envelopeOf(lessonDocument),
};

/** The body of every answer that is no success; `code` is the HTTP status. */
export const errorBody = z.strictObject({
  data: z.strictObject({}),
  success: z.literal(false),
  message: z.string().min(1),
  code: z.int().min(400).max(599),
});

export type LessonSummaryDocument = z.output<typeof lessonSummaryDocument>;
export type ChapterDocument = z.output<typeof chapterDocument>;
export type CourseSummaryDocument = z.output<typeof courseSummaryDocument>;
export type CourseDocument = z.output<typeof courseDocument>;
export type LessonDocument = z.output<typeof lessonDocument>;
export type ErrorBody = z.output<typeof errorBody>;
