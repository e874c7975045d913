// Compiling: a course becomes the JSON documents that the API serves, once, at import. Members stand in the order of
// the interface's tables; that order and the absence of any other member are part of the interface.
import { digestText, NewBody, renderList } from "./body.ts";
import { digestCourse, toLessonMark } from "./answer-digests.ts";
import { renderCourseMeta, renderLessonMeta } from "./meta-document.ts";
import type { Course, Lesson } from "./course.ts";
import type { ChapterDocument, CourseDocument, CourseSummaryDocument, LessonDocument } from "./documents.ts";
import { foldName } from "./fold-name.ts";

// Part of every source digest. Raise it when the documents of an unchanged source come out differently: the next import
// then renders all of them again.
const DOCUMENT_FORMAT = 1;

/** What a project has stored of an item's source. */
export interface SourceRecord {
  sourceDigest: string;
  /** The time of the import that first had the item, as a UTC timestamp with milliseconds. */
  firstSeenAt: string;
  /** That of the import that last changed it. */
  changedAt: string;
}

/** A file that readers of a course are shown or led to: content by its digest, under a name. */
export interface AssetReference {
  digest: string;
  name: string;
}

/** Digests of what the author of a lesson wrote, by which it is recognised in another file. Undefined where there are no files. */
export interface WrittenDigests {
  named: string | undefined;
  /** Without the name, which may come from the file's; "" where there is nothing else. */
  content: string | undefined;
}

/** A lesson as it is stored. */
export interface CompiledLesson extends SourceRecord {
  id: string;
  name: string;
  /** Counts the chapters of the course from 0. */
  chapter: number;
  sourcePath: string | undefined;
  written: WrittenDigests;
  document: NewBody;
  /** JSON text, here and below; undefined where the author gave none. */
  meta: string | undefined;
  updatedAt: string;
  hasVideo: boolean;
  hasQuiz: boolean;
}

/** A course as it is stored. */
export interface CompiledCourse {
  id: string;
  slug: string;
  name: string;
  foldedName: string;
  published: boolean;
  createdAt: string;
  updatedAt: string;
  /** Over the whole source of the course, its lessons' included, without derived dates. */
  sourceDigest: string;
  /** The course's own part: everything but the content of its lessons. */
  own: SourceRecord;
  summary: string;
  meta: string | undefined;
  course: NewBody;
  lessonList: NewBody;
  chapters: { id: string; name: string }[];
  lessons: CompiledLesson[];
  assets: AssetReference[];
  /** Where its source has the course, and as which format it was read; absent where there is none. */
  sourcePath?: string | undefined;
  format?: string | undefined;
  /** Changes when anything does that is answered of the course. */
  contentDigest: string;
}

/** Digests of a course as it is delivered, by which an import tells what changed; 32 hex digits each. */
export interface SourceDigests {
  course: string;
  own: string;
  /** In the order of the course's chapters and lessons. */
  lessons: string[];
}

/** All that the documents of a course depend on. */
export interface DatedCourse {
  course: Course;
  sourceDigest: string;
  own: SourceRecord;
  /** What imports remember of the lessons, in the order of the course's chapters and lessons. */
  lessons: (SourceRecord & { lesson: Lesson })[];
}

/**
 * Digests of a course whose links are filled in. Dates that only the import knows are not part of them, nor is the place in the
 * source. A lesson's id is part of the course's own digest only, so that a lesson can be recognised by its content.
 */
export function digestSource(course: Course): SourceDigests {
  const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
  const digests = lessons.map(digestLesson);
  // Where a site shows lessons is no part of what is answered of a course.
  const { lessonUrl: _, derivedDates: __, ...answered } = course;
  const chapters = course.chapters.map((chapter) => [
    chapter.id,
    chapter.name,
    chapter.lessons.map(({ id, name }) => [id, name]),
  ]);
  const own = digestText(JSON.stringify({ ...answered, chapters }));
  // Source paths of lessons with generated ids are part of the digest: a move must be stored, although no document depends
  // on it.
  const paths = lessons.map((lesson) => (lesson.isIdGiven ? "" : (lesson.sourcePath ?? "")));
  return { course: digestText(JSON.stringify([DOCUMENT_FORMAT, own, digests, paths])), own, lessons: digests };
}

// What is undefined is left out; most lessons have neither dates nor a duration.
function digestLesson({ name, url, quizHtml, additionalText, createdAt, updatedAt, durationMinutes }: Lesson): string {
  return digestText(JSON.stringify({ name, url, quizHtml, additionalText, createdAt, updatedAt, durationMinutes }));
}

/** Digests of what the author wrote. Only lessons whose ids were made from their files have them: no others can have moved. */
export function digestWritten(lesson: Lesson): WrittenDigests {
  const { name, createdAt, updatedAt, isIdGiven, sourcePath, writtenDigest } = lesson;
  if (isIdGiven || sourcePath === undefined || writtenDigest === undefined)
    return { named: undefined, content: undefined };
  return { named: digestText(JSON.stringify([name, createdAt, updatedAt, writtenDigest])), content: writtenDigest };
}

/** Compiles a course with the files that it shows, each once. Dates that the author gave win over those of imports. */
export function compileCourse(
  { course, sourceDigest, own, lessons: dated }: DatedCourse,
  assets: AssetReference[],
): CompiledCourse {
  const chapterOf = course.chapters.flatMap(({ lessons }, chapter) => lessons.map(() => chapter));
  let newest = "";
  const lessons = dated.map(({ lesson, ...record }, index): CompiledLesson => {
    const { id, name, sourcePath, url, quizHtml, additionalText } = lesson;
    const createdAt = lesson.createdAt ?? record.firstSeenAt;
    const updatedAt = lesson.updatedAt ?? record.changedAt;
    if (updatedAt > newest) newest = updatedAt;
    const document: LessonDocument = { id, name, url, quizHtml, additionalText, createdAt, updatedAt };
    return {
      id,
      name,
      chapter: chapterOf[index] ?? 0,
      sourcePath,
      written: digestWritten(lesson),
      document: new NewBody(JSON.stringify(document)),
      meta: renderLessonMeta(lesson),
      updatedAt,
      hasVideo: url !== "",
      hasQuiz: quizHtml !== "",
      ...record,
    };
  });

  const { id, slug, name, published, project: projectId, thumbnail } = course;
  const createdAt = course.createdAt ?? own.firstSeenAt;
  const updatedAt = course.updatedAt ?? (own.changedAt > newest ? own.changedAt : newest);
  const chapters = course.chapters.map((chapter): ChapterDocument => ({
    id: chapter.id,
    name: chapter.name,
    lessons: chapter.lessons.map((lesson) => ({ id: lesson.id, name: lesson.name })),
  }));
  const summary: CourseSummaryDocument = { _id: id, projectId, name, thumbnail, createdAt, updatedAt };
  const document: CourseDocument = { _id: id, projectId, name, chapters, thumbnail, createdAt, updatedAt };
  const list = JSON.stringify(chapters.flatMap((chapter) => chapter.lessons));
  const body = new NewBody(JSON.stringify(document));
  const meta = renderCourseMeta(course);
  const marks = lessons.map((lesson) => toLessonMark(lesson.document.digest, lesson.meta));
  return {
    id,
    slug,
    name,
    foldedName: foldName(name),
    published,
    createdAt,
    updatedAt,
    sourceDigest,
    own,
    summary: JSON.stringify(summary),
    meta,
    course: body,
    lessonList: new NewBody(renderList(lessons.length, list.slice(1, -1))),
    chapters: chapters.map((chapter) => ({ id: chapter.id, name: chapter.name })),
    lessons,
    assets,
    contentDigest: digestCourse({ digest: body.digest, slug, published, meta }, marks),
  };
}
