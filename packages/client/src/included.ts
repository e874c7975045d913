// Types of answers to requests with `include`, with exactly the requested parts.
import type {
  ChapterDocument,
  CourseDocument,
  CourseSummaryDocument,
  LessonDocument,
  LessonSummaryDocument,
} from "../../../src/catalog/documents.ts";
import type {
  CourseDigestMembers,
  CourseMetaMembers,
  LessonDigestMembers,
  LessonMetaMembers,
  NavMembers,
  TreeMembers,
} from "../../../src/catalog/included-documents.ts";

/** What `getCourse` can include. */
export type CourseInclude = "lessons" | "meta" | "tree";
/** What `listCourses` can include. */
export type CourseListInclude = "meta" | "digest";
/** What `listLessons` can include. */
export type LessonListInclude = "meta" | "digest";
/** What `getLesson` can include. */
export type LessonInclude = "meta" | "nav";

/** The members that the names in `include` add. */
type Members<Include extends string, Added extends object> = {
  [Name in keyof Added]: (members: Name extends Include ? Added[Name] : unknown) => void;
}[keyof Added] extends (members: infer All) => void
  ? All
  : never;

/** A lesson with the included parts. */
export type LessonWith<Include extends LessonInclude> = LessonDocument &
  Members<Include, { meta: LessonMetaMembers; nav: NavMembers }>;

/** A listed lesson with the included parts. */
export type LessonSummaryWith<Include extends LessonListInclude> = LessonSummaryDocument &
  Members<Include, { meta: LessonMetaMembers; digest: LessonDigestMembers }>;

/** A listed course with the included parts. */
export type CourseSummaryWith<Include extends CourseListInclude> = CourseSummaryDocument &
  Members<Include, { meta: CourseMetaMembers; digest: CourseDigestMembers }>;

/** A course with the included parts; `lessons` adds whole lessons, and together with `meta` also their metadata. */
export type CourseWith<Include extends CourseInclude> = ("lessons" extends Include
  ? Omit<CourseDocument, "chapters"> & { chapters: WholeChapter<Extract<Include, "meta">>[] }
  : CourseDocument) &
  Members<Include, { meta: CourseMetaMembers; tree: TreeMembers }>;

type WholeChapter<Include extends "meta"> = Omit<ChapterDocument, "lessons"> & { lessons: LessonWith<Include>[] };
