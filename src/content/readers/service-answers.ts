// Schemas of the parts of another service's answers that an import needs. They ignore other members and treat null as
// absent; in optional texts, "" is absent, too.
import { z } from "zod";
import { digestText } from "../../catalog/body.ts";
import { compareCodePoints } from "../../catalog/compare-code-points.ts";
import { MAX_TREE_DEPTH } from "../../catalog/course-tree.ts";
import { isIdentifier } from "../../catalog/identifier.ts";
import { CatalogError } from "../../../packages/client/src/catalog-client.ts";
import { formatPath, readShape, TOO_MANY_FAULTS } from "../resolve/validate-course.ts";

const identifier = z.string().refine(isIdentifier, "is not an identifier");
const optional = z
  .string()
  .nullish()
  .transform((text) => text || undefined);
const minutes = z
  .number()
  .nullish()
  .transform((value) => value ?? undefined);
const listOf = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((list) => list ?? []);

/** A course in the list of courses. Only a Lectern service adds a digest. */
export const listedCourse = z.object({ _id: identifier, digest: optional, translations: listOf(z.unknown()) });

export const lessonAnswer = z.object({
  id: optional,
  name: z.string(),
  url: optional,
  quizHtml: optional,
  additionalText: optional,
  createdAt: optional,
  updatedAt: optional,
});

/** A course's tree, reduced to names and lesson ids as in the authoring form. Validation reports its faults. */
const tree = z
  .array(z.unknown())
  .nullish()
  .transform((parts) => parts?.map((part) => toWrittenPart(part, 1)));

function toWrittenPart(part: unknown, depth: number): unknown {
  if (typeof part !== "object" || part === null) return part;
  if (!("parts" in part) || !("name" in part) || !Array.isArray(part.parts)) return "id" in part ? part.id : null;
  if (depth > MAX_TREE_DEPTH) return null;
  return { name: part.name, parts: part.parts.map((each) => toWrittenPart(each, depth + 1)) };
}

const courseOf = <T extends z.ZodType>(lesson: T) =>
  z.object({
    _id: optional,
    name: z.string(),
    thumbnail: optional,
    createdAt: optional,
    updatedAt: optional,
    chapters: listOf(z.object({ id: optional, name: z.string(), lessons: listOf(lesson) })),
  });

/** A course whose lessons are requested one by one. */
export const courseAnswer = courseOf(z.object({ id: identifier }));

/** A lesson of a complete course from a Lectern service. A lesson without a text is only a summary. */
const wholeLesson = lessonAnswer.extend({
  id: identifier,
  additionalText: z.string(),
  durationMinutes: minutes,
  translations: listOf(z.object({ courseId: z.string(), lessonId: z.string() })),
});
const wholeCourseAnswer = courseOf(wholeLesson).extend({
  slug: optional,
  description: optional,
  language: optional,
  translationOf: optional,
  tags: listOf(z.string()),
  durationMinutes: minutes,
  tree,
  published: z
    .boolean()
    .nullish()
    .transform((value) => value ?? true),
});

export type WholeCourse = z.output<typeof wholeCourseAnswer>;
type Chapter = Omit<WholeCourse["chapters"][number], "lessons">;
export type ServiceLesson = z.output<typeof lessonAnswer> & { translationKey?: string | undefined };
/** A course with its lessons, however they were requested. */
export type ServiceCourse = Partial<Omit<WholeCourse, "chapters">> & {
  chapters: (Chapter & { lessons: ServiceLesson[] })[];
};

/**
 * Gives all translations of a lesson the same key, which is made from the lesson in the original course or, if that has
 * none, in the first of their courses by id. Lessons without translations, such as those of drafts, get no key.
 */
export function keyLessons({ chapters, ...course }: WholeCourse & { _id: string }): ServiceCourse {
  const { _id: id, translationOf = id, published } = course;
  const compare = (a: string, b: string): number => Number(b === translationOf) - Number(a === translationOf);
  return {
    ...course,
    chapters: chapters.map((chapter) => ({
      ...chapter,
      lessons: chapter.lessons.map(({ translations, ...lesson }) => {
        if (translations.length === 0) return lesson;
        const own = published ? [{ courseId: id, lessonId: lesson.id }] : [];
        const [first] = [...translations, ...own].sort(
          (a, b) => compare(a.courseId, b.courseId) || compareCodePoints(a.courseId, b.courseId),
        );
        return { ...lesson, translationKey: digestText(`${first?.courseId}/${first?.lessonId}`) };
      }),
    })),
  };
}

const withTexts = courseOf(z.object({ additionalText: z.string() }).partial());

/**
 * Reads a whole course. Returns undefined if no lesson contains a text, as in the answers of a service that supports
 * only the specification. Throws CatalogError as `readAnswer` does.
 */
export function readWholeCourse(value: unknown, id: string): WholeCourse | undefined {
  const lessons = readShape(withTexts, value)?.data?.chapters.flatMap((chapter) => chapter.lessons) ?? [];
  if (lessons.length > 0 && lessons.every(({ additionalText }) => additionalText === undefined)) return undefined;
  return readAnswer(wholeCourseAnswer, value, `course "${id}"`);
}

/** Validates an answer. Throws CatalogError for an answer of another shape. `what` names the answer. */
export function readAnswer<T extends z.ZodType>(shape: T, value: unknown, what: string): z.output<T> {
  const result = readShape(shape, value);
  if (result === undefined) throw new CatalogError(0, `${what} is malformed: it ${TOO_MANY_FAULTS}`);
  if (result.success) return result.data;
  const [{ path, message } = { path: [], message: "" }] = result.error.issues;
  const part = formatPath(path);
  const fault = message.endsWith("received undefined") ? "is missing" : message.replace(/^Invalid input: /, "");
  throw new CatalogError(0, `${what} is malformed: ${[part, fault].filter((text) => text !== "").join(" ")}`);
}

/** Throws CatalogError if a service answers with an item other than the requested one. */
export function checkSame(asked: string, answered: string | undefined, what: string): void {
  if (answered === undefined || answered === asked) return;
  throw new CatalogError(0, `the answer for ${what} contains another item, "${answered.slice(0, 80)}"`);
}
