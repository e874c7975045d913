// Renders the stored meta of courses and lessons as JSON. Servers load this file, so it must not load zod.

/** A course's stored meta. Unknown text is "", and an unknown duration is null. */
export interface CourseMetaDocument {
  description: string;
  language: string;
  translationOf: string;
  tags: string[];
  durationMinutes: number | null;
}

/** A course's meta before it is stored; undefined means unknown. */
export type CourseMeta = { [Field in keyof CourseMetaDocument]: NonNullable<CourseMetaDocument[Field]> | undefined };

const NO_META: CourseMetaDocument = {
  description: "",
  language: "",
  translationOf: "",
  tags: [],
  durationMinutes: null,
};

/** Returns a course's meta as JSON text; undefined if all of it is unknown. */
export function renderCourseMeta(course: CourseMeta): string | undefined {
  const fields = Object.keys(NO_META) as (keyof CourseMetaDocument)[];
  const document = Object.fromEntries(fields.map((field) => [field, course[field] ?? NO_META[field]]));
  const text = JSON.stringify(document);
  return text === JSON.stringify(NO_META) ? undefined : text;
}

/** A lesson's stored meta, in the order of its members. `source` is "" unless the import publishes it. */
export interface LessonMetaDocument {
  durationMinutes: number | null;
  slug: string;
  section: string[];
  source: string;
  editUrl: string;
  description: string;
  readingMinutes: number;
}

/**
 * Renders the members that `include=meta` adds to a course, given its stored `meta` and the JSON list `translations`.
 */
export function renderCourseMetaMembers(
  slug: string,
  meta: string | undefined,
  published: boolean,
  translations: string,
): string {
  const stored = meta ?? JSON.stringify(NO_META);
  return `"slug":${JSON.stringify(slug)},${stored.slice(1, -1)},"published":${published},"translations":${translations}`;
}

/**
 * Renders the members that `include=meta` adds to a lesson, given its stored `meta` and the JSON list `translations`.
 */
export function renderLessonMetaMembers(meta: string, translations: string): string {
  return `${meta.slice(1, -1)},"translations":${translations}`;
}

/** Returns the members that differ between two versions of a course's stored meta; undefined means no meta. */
export function listMetaChanges(
  before: string | undefined,
  after: string | undefined,
  fields = Object.keys(NO_META) as (keyof CourseMetaDocument)[],
): string[] {
  const parse = (text = "{}"): CourseMetaDocument => ({ ...NO_META, ...(JSON.parse(text) as object) });
  const [old, now] = [parse(before), parse(after)];
  return fields.filter((field) => JSON.stringify(old[field]) !== JSON.stringify(now[field]));
}

/**
 * Returns the authored members that differ between two versions of a lesson's stored meta. The other members derive
 * from the lesson and its place in the course.
 */
export function listLessonMetaChanges(before: string | undefined, after: string | undefined): string[] {
  return listMetaChanges(before, after, ["durationMinutes"]);
}
