import { compileCourse, type DatedCourse } from "../catalog/compile-course.ts";
import { listLessonMetaChanges, listMetaChanges } from "../catalog/meta-document.ts";
import type { Course } from "../catalog/course.ts";
import type { CourseDocument, LessonDocument } from "../catalog/documents.ts";
import type { CatalogChanges, CourseVersion, PublishingReader, ReleaseCounts, SourceCounts } from "../catalog/store.ts";
import type { KnownVersion } from "./course-history.ts";
import type { MovedFile } from "./lesson-identity.ts";
import type { FileCount } from "./linked-files.ts";
import type { SettledCourse } from "./settle-courses.ts";

export interface NamedPart {
  id: string;
  name: string;
}

export interface CoursePlan extends NamedPart {
  change: "added" | "changed" | "removed";
  slug: string;
  /**
   * The changed members of the course. `chapters` stands for the names and order of chapters, `lessonOrder` for the
   * order of lessons within chapters.
   */
  fields: string[];
  /** The slug that becomes a former slug. */
  formerSlug: string | undefined;
  /** The source that loses the course: null for the unnamed source, undefined if the source stays the same. */
  formerSource?: string | null | undefined;
  becomesDraft: boolean;
  lessonsAdded: NamedPart[];
  lessonsRemoved: NamedPart[];
  lessonsChanged: (NamedPart & { fields: string[] })[];
  /** Lessons that moved to another chapter or file and kept their ids. */
  lessonsMoved: (NamedPart & { from: string; to: string })[];
}

export interface CatalogPlan {
  changes: CatalogChanges;
  counts: ReleaseCounts;
  sources: SourceCounts[];
  courses: CoursePlan[];
  /** The files to store; undefined if the import stores no files. */
  files?: FileCount;
}

type PlacedLesson = NamedPart & { chapter: NamedPart };

/** Plans a course that is new, changed, or taken from another source. */
export async function planCourse(
  store: PublishingReader,
  { course, dated, before, moved, formerSource }: SettledCourse,
): Promise<CoursePlan> {
  if (dated === undefined) return { ...createPlan("changed", course), formerSource };
  if (before !== undefined) return { ...(await planChangedCourse(store, before, dated, moved)), formerSource };
  const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
  return { ...createPlan("added", course), lessonsAdded: lessons.map(({ id, name }) => ({ id, name })) };
}

export async function planRemovedCourse(store: PublishingReader, version: CourseVersion): Promise<CoursePlan> {
  const rendered = JSON.parse((await store.readVersion(version.versionId, [])).course) as CourseDocument;
  const plan = createPlan("removed", { id: version.courseId, name: rendered.name, slug: version.slug });
  const lessonsRemoved = rendered.chapters.flatMap((chapter) => chapter.lessons);
  return { ...plan, formerSlug: version.slug, lessonsRemoved };
}

async function planChangedCourse(
  store: PublishingReader,
  { version: before, lessons: records }: KnownVersion,
  dated: DatedCourse,
  movedFiles: MovedFile[],
): Promise<CoursePlan> {
  const { course } = dated;
  const changedIds = dated.lessons
    .filter(({ lesson, sourceDigest }) => (records.get(lesson.id)?.sourceDigest ?? sourceDigest) !== sourceDigest)
    .map(({ lesson }) => lesson.id);
  const compiled = compileCourse(dated, []);
  const old = await store.readVersion(before.versionId, changedIds);
  const oldCourse = JSON.parse(old.course) as CourseDocument;
  const newCourse = JSON.parse(compiled.body.data) as CourseDocument;
  const [oldLessons, newLessons] = [placeLessons(oldCourse), placeLessons(newCourse)];

  const plan = createPlan("changed", course);
  plan.fields = [
    ...listCourseFields(before, oldCourse, course, newCourse),
    ...listMetaChanges(old.meta, compiled.meta),
  ];
  if (before.slug !== course.slug) plan.formerSlug = before.slug;
  plan.becomesDraft = before.published && !course.published;
  for (const [id, { name, chapter }] of newLessons) {
    const was = oldLessons.get(id);
    if (was === undefined) plan.lessonsAdded.push({ id, name });
    else if (was.chapter.id !== chapter.id && was.chapter.name !== chapter.name) {
      plan.lessonsMoved.push({ id, name, from: was.chapter.name, to: chapter.name });
    }
  }
  for (const { lessonId, from, to } of movedFiles) {
    if (plan.lessonsMoved.some((lesson) => lesson.id === lessonId)) continue;
    plan.lessonsMoved.push({ id: lessonId, name: newLessons.get(lessonId)?.name ?? "", from, to });
  }
  plan.lessonsRemoved = [...oldLessons.values()]
    .filter(({ id }) => !newLessons.has(id))
    .map(({ id, name }) => ({ id, name }));
  const newLesson = new Map(compiled.lessons.map((lesson) => [lesson.row.lessonId, lesson]));
  const given = new Map(course.chapters.flatMap((chapter) => chapter.lessons).map((lesson) => [lesson.id, lesson]));
  for (const id of changedIds) {
    const { body, row } = newLesson.get(id) ?? {};
    const fields = [
      ...listLessonFields(old.lessons.get(id)?.document, body?.data, given.get(id)?.updatedAt !== undefined),
      ...listLessonMetaChanges(old.lessons.get(id)?.meta, row?.meta),
    ];
    plan.lessonsChanged.push({ id, name: newLessons.get(id)?.name ?? "", fields });
  }
  const { lessonsAdded, lessonsRemoved, lessonsChanged, lessonsMoved } = plan;
  const hasSameLessons = [lessonsAdded, lessonsRemoved, lessonsChanged, lessonsMoved].every(
    (list) => list.length === 0,
  );
  if (hasSameLessons && old.tree !== compiled.tree?.data) plan.fields.push("tree");
  return plan;
}

function createPlan(change: CoursePlan["change"], { id, name, slug }: NamedPart & { slug: string }): CoursePlan {
  return {
    change,
    id,
    name,
    slug,
    fields: [],
    formerSlug: undefined,
    becomesDraft: false,
    lessonsAdded: [],
    lessonsRemoved: [],
    lessonsChanged: [],
    lessonsMoved: [],
  };
}

function placeLessons(course: CourseDocument): Map<string, PlacedLesson> {
  return new Map(
    course.chapters.flatMap(({ id, name, lessons }) =>
      lessons.map((lesson) => [lesson.id, { ...lesson, chapter: { id, name } }]),
    ),
  );
}

function listCourseFields(
  before: CourseVersion,
  oldCourse: CourseDocument,
  course: Course,
  newCourse: CourseDocument,
): string[] {
  const outline = ({ chapters }: CourseDocument): string => JSON.stringify(chapters.map(({ id, name }) => [id, name]));
  const changed = {
    name: oldCourse.name !== newCourse.name,
    slug: before.slug !== course.slug,
    published: before.published !== course.published,
    thumbnail: oldCourse.thumbnail !== newCourse.thumbnail,
    createdAt: oldCourse.createdAt !== newCourse.createdAt,
    // A derived date is not listed, because it follows from the other changes.
    updatedAt: course.updatedAt === newCourse.updatedAt && oldCourse.updatedAt !== newCourse.updatedAt,
    chapters: outline(oldCourse) !== outline(newCourse),
    lessonOrder: listSharedOrder(oldCourse, newCourse) !== listSharedOrder(newCourse, oldCourse),
  };
  return Object.entries(changed).flatMap(([field, isChanged]) => (isChanged ? [field] : []));
}

function listSharedOrder(course: CourseDocument, other: CourseDocument): string {
  const others = placeLessons(other);
  return JSON.stringify(
    [...course.chapters]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ id, lessons }) =>
        lessons.filter((lesson) => others.get(lesson.id)?.chapter.id === id).map((lesson) => lesson.id),
      )
      .filter((ids) => ids.length > 0),
  );
}

function listLessonFields(before = "{}", after = "{}", isUpdatedAtGiven: boolean): string[] {
  const [old, now] = [JSON.parse(before) as Partial<LessonDocument>, JSON.parse(after) as Partial<LessonDocument>];
  const fields = Object.keys(now) as (keyof LessonDocument)[];
  return fields.filter((field) => old[field] !== now[field] && (field !== "updatedAt" || isUpdatedAtGiven));
}
