// Compiles a course into the API's JSON documents, once per import. The set and order of members are part of the
// interface.
import { digestText, NewBody, renderList } from "./body.ts";
import { digestCourse, toLessonMark } from "./answer-digests.ts";
import { renderCourseMeta, type LessonMetaDocument } from "./meta-document.ts";
import { createLessonSlugs } from "./complete-course.ts";
import type { Course, Lesson } from "./course.ts";
import { describeText } from "./describe-text.ts";
import { listSections, renderTree } from "./course-tree.ts";
import type { ChapterDocument, CourseDocument, CourseSummaryDocument, LessonDocument } from "./documents.ts";
import { foldName } from "./fold-name.ts";

// The prefix of every course's source digest. Raise it when unchanged sources render differently: the next import
// then renders all courses again, but only lessons with a changed source text get new dates.
const DOCUMENT_FORMAT = 1;

export interface SourceRecord {
  sourceDigest: string;
  /** The time of the first import of the course or lesson, as a UTC timestamp with milliseconds. */
  firstSeenAt: string;
  changedAt: string;
}

export interface AssetReference {
  digest: string;
  name: string;
}

/** Digests of source text, which identify a lesson after a move; undefined if the source has no files. */
export interface WrittenDigests {
  writtenDigest: string | undefined;
  /** A digest without the name, because that can come from the file name; "" if the other text is empty. */
  contentDigest: string | undefined;
}

/** The rows and bodies of a course. A body is compressed when it is written. */
export type CompiledCourse = ReturnType<typeof compileCourse>;
export type CompiledLesson = CompiledCourse["lessons"][number];

/** The path of a course in its source, and the course's format. */
export interface CourseOrigin {
  sourcePath: string | undefined;
  format: string | undefined;
}

/** Digests of a course as read from its source, 32 hex digits each, to detect changes. */
export interface SourceDigests {
  /** Prefixed with the document format and a dot. */
  course: string;
  own: string;
  lessons: string[];
}

export interface DatedCourse {
  course: Course;
  sourceDigest: string;
  own: SourceRecord;
  lessons: (SourceRecord & { lesson: Lesson })[];
}

/** Digests a course after its links are filled in. Omits derived dates; the lessons' digests also omit their ids. */
export function digestSource(course: Course): SourceDigests {
  const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
  const digests = lessons.map(digestLesson);
  const own = digestOwn(course);
  // Source paths of lessons with generated ids are included: a move must be stored even if no document changes.
  const paths = lessons.map((lesson) => (lesson.isIdGiven ? "" : (lesson.sourcePath ?? "")));
  const addresses = lessons.map(({ source = "", editUrl = "" }) => [source, editUrl]);
  // A change in meta that comes from the path creates a version but does not change dates.
  const found = (course.foundMeta ?? []).map((field) => [field, course[field]]);
  const keys = lessons.map(({ translationKey = "" }) => translationKey);
  const all = [own, digests, paths, addresses, course.tree, found, keys];
  return { course: `${DOCUMENT_FORMAT}.${digestText(JSON.stringify(all))}`, own, lessons: digests };
}

/** Returns true if the document format has not changed since this source digest was made. */
export function isRenderedAlike(sourceDigest: string): boolean {
  return sourceDigest.startsWith(`${DOCUMENT_FORMAT}.`);
}

function digestOwn(course: Course): string {
  // Excludes what must not change dates: the lesson URL template, derived dates, the tree, and meta from the path.
  const { lessonUrl: _, derivedDates: __, tree: ___, foundMeta = [], ...answered } = course;
  for (const field of foundMeta) answered[field] = undefined;
  const chapters = course.chapters.map((chapter) => [
    chapter.id,
    chapter.name,
    chapter.lessons.map(({ id, name }) => [id, name]),
  ]);
  return digestText(JSON.stringify({ ...answered, chapters }));
}

function digestLesson({ name, url, quizHtml, additionalText, createdAt, updatedAt, durationMinutes }: Lesson): string {
  return digestText(JSON.stringify({ name, url, quizHtml, additionalText, createdAt, updatedAt, durationMinutes }));
}

/** Digests the source text of a lesson that comes from a file. */
export function digestWritten(lesson: Lesson): WrittenDigests {
  const { name, createdAt, updatedAt, sourcePath, writtenDigest } = lesson;
  if (sourcePath === undefined || writtenDigest === undefined)
    return { writtenDigest: undefined, contentDigest: undefined };
  const named = digestText(JSON.stringify([name, createdAt, updatedAt, writtenDigest]));
  return { writtenDigest: named, contentDigest: writtenDigest };
}

/** Compiles a course with the assets that it refers to. Authored dates override import dates. */
export function compileCourse(
  { course, sourceDigest, own, lessons: dated }: DatedCourse,
  assets: AssetReference[],
  origin?: CourseOrigin,
) {
  const { project, id: courseId, slug, name, published, thumbnail } = course;
  const chapterOf = course.chapters.flatMap(({ lessons }, chapter) => lessons.map(() => chapter));
  const slugs = createLessonSlugs(dated.map(({ lesson }) => lesson));
  const sections = listSections(course.tree, course.chapters);
  let newest = "";
  const lessons = dated.map(({ lesson, ...record }, index) => {
    const { id, url, quizHtml, additionalText, durationMinutes = null, source = "", editUrl = "" } = lesson;
    const [lessonSlug = "", section = []] = [slugs[index], sections[index]];
    const createdAt = lesson.createdAt ?? record.firstSeenAt;
    const updatedAt = lesson.updatedAt ?? record.changedAt;
    if (updatedAt > newest) newest = updatedAt;
    const place = { durationMinutes, slug: lessonSlug, section, source, editUrl };
    const meta: LessonMetaDocument = { ...place, ...describeText(additionalText) };
    const document: LessonDocument = { id, name: lesson.name, url, quizHtml, additionalText, createdAt, updatedAt };
    const body = new NewBody(JSON.stringify(document));
    const row = {
      project,
      courseId,
      lessonId: id,
      name: lesson.name,
      sourcePath: lesson.sourcePath,
      ...record,
      ...digestWritten(lesson),
      updatedAt,
      digest: body.digest,
      hasVideo: url !== "",
      hasQuiz: quizHtml !== "",
      meta: JSON.stringify(meta),
    };
    return { row, chapter: chapterOf[index] ?? 0, body, translationKey: lesson.translationKey };
  });

  const createdAt = course.createdAt ?? own.firstSeenAt;
  const updatedAt = course.updatedAt ?? (own.changedAt > newest ? own.changedAt : newest);
  const chapters = course.chapters.map((chapter): ChapterDocument => ({
    id: chapter.id,
    name: chapter.name,
    lessons: chapter.lessons.map((lesson) => ({ id: lesson.id, name: lesson.name })),
  }));
  const summaries = chapters.flatMap((chapter) => chapter.lessons);
  const summary: CourseSummaryDocument = { _id: courseId, projectId: project, name, thumbnail, createdAt, updatedAt };
  const { _id, projectId } = summary;
  const document: CourseDocument = { _id, projectId, name, chapters, thumbnail, createdAt, updatedAt };
  const body = new NewBody(JSON.stringify(document));
  const lessonList = new NewBody(renderList(lessons.length, JSON.stringify(summaries).slice(1, -1)));
  const meta = renderCourseMeta(course);
  const tree = course.tree && new NewBody(renderTree(course.tree, summaries));
  const marks = lessons.map(({ row }) => toLessonMark(row.digest, row.meta));
  const row = {
    project,
    courseId,
    slug,
    foldedName: foldName(name),
    published,
    createdAt,
    updatedAt,
    sourceDigest,
    ownDigest: own.sourceDigest,
    firstSeenAt: own.firstSeenAt,
    changedAt: own.changedAt,
    lessons: lessons.length,
    sourcePath: origin?.sourcePath,
    format: origin?.format,
    language: course.language,
    translationOf: course.translationOf,
    digest: digestCourse({ digest: body.digest, slug, published, meta, treeDigest: tree?.digest }, marks),
    courseDigest: body.digest,
    lessonListDigest: lessonList.digest,
    summary: JSON.stringify(summary),
  };
  return { row, body, lessonList, meta, tree, chapters, lessons, assets };
}
