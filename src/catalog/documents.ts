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

/** What two releases do not have in common, of one course. Texts that do not apply are "". */
export const courseChangeDocument = z.strictObject({
  _id: z.string(),
  change: z.enum(["added", "changed", "removed"]),
  /** Its slug in the newer of the two releases that has it. */
  slug: z.string(),
  /** Its slug before, where that was another one. */
  formerSlug: z.string(),
  /** The members of a course that differ, `lessons` not among them; of a changed course only. */
  fields: z.array(z.string()),
  lessons: z.array(
    z.strictObject({ id: z.string(), change: z.enum(["added", "changed", "moved", "changed and moved", "removed"]) }),
  ),
});

/** What differs between a release and another. */
export const changesDocument = z.strictObject({
  since: z.int().positive(),
  release: z.int().positive(),
  results: z.array(courseChangeDocument),
});

/** A release that can be read. Drafts are counted for keys that read them, and 0 for others. */
export const releaseDocument = z.strictObject({
  number: z.int().positive(),
  publishedAt: timestamp,
  courses: z.int().nonnegative(),
  drafts: z.int().nonnegative(),
  lessons: z.int().nonnegative(),
});

/** The body of a success, by the name of its route. */
export const successBodies = {
  courses: envelopeOf(listOf(courseSummaryDocument)),
  course: envelopeOf(courseDocument),
  lessons: envelopeOf(listOf(lessonSummaryDocument)),
  lesson: envelopeOf(lessonDocument),
  changes: envelopeOf(changesDocument),
  releases: envelopeOf(listOf(releaseDocument)),
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
export type CourseChangeDocument = z.output<typeof courseChangeDocument>;
export type ChangesDocument = z.output<typeof changesDocument>;
export type ReleaseDocument = z.output<typeof releaseDocument>;
export type ErrorBody = z.output<typeof errorBody>;
