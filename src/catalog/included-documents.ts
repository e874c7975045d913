// What the interface answers only where `include` asks for it. As in documents.ts, members stand in the order of the interface.
import { z } from "zod";
import {
  courseDocument,
  courseSummaryDocument,
  envelopeOf,
  lessonDocument,
  lessonSummaryDocument,
  listOf,
} from "./documents.ts";

const durationMinutes = z.int().nonnegative().nullable().describe("How long it takes; null where that is not known.");

/** What `include=meta` adds to a course. */
export const courseMetaMembers = z.strictObject({
  slug: z.string().describe("The slug of the course, for addresses that people read."),
  description: z.string().describe('What it is about, as plain text, or "".'),
  language: z.string().describe('Its language as a tag (BCP 47), or "".'),
  translationOf: z.string().describe('Identifier of the course of which it is a translation, or "".'),
  tags: z.array(z.string()).describe("Its tags, in the order of its author."),
  durationMinutes,
  published: z.boolean().describe("False for a draft, which only keys with drafts read."),
});

/** What `include=meta` adds to a lesson. */
export const lessonMetaMembers = z.strictObject({ durationMinutes });

/** What `include` adds to an answer, or to each element of a list: by the name of its route, in the order of the members. */
export const includedMembers = {
  courses: { meta: courseMetaMembers },
  course: { meta: courseMetaMembers },
  lessons: {},
  lesson: { meta: lessonMetaMembers },
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
      return envelopeOf(extend(courseDocument));
    case "lessons":
      return envelopeOf(listOf(extend(lessonSummaryDocument)));
    case "lesson":
      return envelopeOf(extend(lessonDocument));
  }
}

export type CourseMetaMembers = z.output<typeof courseMetaMembers>;
export type LessonMetaMembers = z.output<typeof lessonMetaMembers>;
