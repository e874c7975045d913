// The meta of a course or a lesson as it is stored, in JSON. A server reads it, so nothing here loads zod.

/** The meta of a course as it is stored. Unknown text is "", an unknown duration null. */
export interface CourseMetaDocument {
  description: string;
  language: string;
  /** The id of the course of which this one is a translation. */
  translationOf: string;
  tags: string[];
  durationMinutes: number | null;
}

/** The meta that an author gave of a course. */
export type CourseMeta = { [Field in keyof CourseMetaDocument]: NonNullable<CourseMetaDocument[Field]> | undefined };

const NO_META: CourseMetaDocument = {
  description: "",
  language: "",
  translationOf: "",
  tags: [],
  durationMinutes: null,
};

/** The JSON text of a course's meta; undefined where the author gave none of it. */
export function renderCourseMeta(course: CourseMeta): string | undefined {
  const fields = Object.keys(NO_META) as (keyof CourseMetaDocument)[];
  const document = Object.fromEntries(fields.map((field) => [field, course[field] ?? NO_META[field]]));
  const text = JSON.stringify(document);
  return text === JSON.stringify(NO_META) ? undefined : text;
}

/** The meta of a lesson as it is stored. Where it was read is "" unless the import tells. */
export interface LessonMetaDocument {
  durationMinutes: number | null;
  /** Unique in the course. */
  slug: string;
  /** The names of the sections around it below its chapter, from the outermost. */
  section: string[];
  /** Relative to the root of its source. */
  source: string;
  editUrl: string;
  /** The beginning of its text, as plain text. */
  description: string;
  readingMinutes: number;
}

export function renderLessonMeta(meta: LessonMetaDocument): string {
  const { durationMinutes, slug, section, source, editUrl, description, readingMinutes } = meta;
  return JSON.stringify({ durationMinutes, slug, section, source, editUrl, description, readingMinutes });
}

/** What `include=meta` adds to a course, as JSON members; `meta` is what is stored of it, `translations` JSON of a list. */
export function renderCourseMetaMembers(
  slug: string,
  meta: string | undefined,
  published: boolean,
  translations: string,
): string {
  const stored = meta ?? JSON.stringify(NO_META);
  return `"slug":${JSON.stringify(slug)},${stored.slice(1, -1)},"published":${published},"translations":${translations}`;
}

/** What `include=meta` adds to a lesson, as JSON members; `meta` is what is stored of it, `translations` JSON of a list. */
export function renderLessonMetaMembers(meta: string, translations: string): string {
  return `${meta.slice(1, -1)},"translations":${translations}`;
}

/** The members in which two stored metas of a course differ; undefined stands for none at all. */
export function listMetaChanges(
  before: string | undefined,
  after: string | undefined,
  fields = Object.keys(NO_META) as (keyof CourseMetaDocument)[],
): string[] {
  const parse = (text = "{}"): CourseMetaDocument => ({ ...NO_META, ...(JSON.parse(text) as object) });
  const [old, now] = [parse(before), parse(after)];
  return fields.filter((field) => JSON.stringify(old[field]) !== JSON.stringify(now[field]));
}

/** As `listMetaChanges`, of what the author of a lesson gives; all else follows from the text and the place of the lesson. */
export function listLessonMetaChanges(before: string | undefined, after: string | undefined): string[] {
  return listMetaChanges(before, after, ["durationMinutes"]);
}
