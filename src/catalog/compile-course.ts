// Compiling: a course becomes the JSON documents that the API serves, once, at import. Members stand in the order of
// the interface's tables; that order and the absence of any other member are part of the interface.
import type { Course, Lesson } from "./course.ts";
import type {
  ChapterDocument,
  CourseDocument,
  CourseSummaryDocument,
  LessonDocument,
  LessonSummaryDocument,
} from "./documents.ts";
import { foldName } from "./fold-name.ts";
import { digestText } from "./stored-document.ts";

// Part of every source digest. Raise it when the documents of an unchanged source come out differently: the next import
// then renders all of them again.
const DOCUMENT_FORMAT = 1;

/** When the imports of a project first had an item, and last changed it: UTC timestamps with milliseconds. */
export interface ImportDates {
  firstSeenAt: string;
  changedAt: string;
}

/** What an import remembers of an item: a digest of its source, and dates. */
export interface SourceRecord extends ImportDates {
  sourceDigest: string;
}

/** Rendered JSON text with its SHA-256, cut to 32 hex digits. */
export interface RenderedDocument {
  text: string;
  digest: string;
}

export interface CompiledLesson extends SourceRecord {
  id: string;
  sourcePath: string | undefined;
  document: RenderedDocument;
}

export interface CompiledCourse {
  id: string;
  slug: string;
  name: string;
  foldedName: string;
  published: boolean;
  createdAt: string;
  /** Over the whole source of the course, its lessons' included, without derived dates. */
  sourceDigest: string;
  /** The course's own part: everything but the content of its lessons. */
  own: SourceRecord;
  summary: string;
  course: RenderedDocument;
  lessonList: RenderedDocument;
  lessons: CompiledLesson[];
}

/** Digests of a course's source, by which an import tells what changed; 32 hex digits each. */
export interface SourceDigests {
  course: string;
  own: string;
  /** In the order of the course's chapters and lessons. */
  lessons: string[];
}

/**
 * Digests of what the author gave. Dates that only the import knows are not part of them, nor is the place in the source. A
 * lesson's id is part of the course's own digest only, so that a lesson can be recognised by its content.
 */
export function digestSource(course: Course): SourceDigests {
  const lessons = course.chapters.flatMap((chapter) =>
    chapter.lessons.map(({ id: _id, sourcePath: _path, isIdGiven: _given, ...content }) =>
      digestText(JSON.stringify(content)),
    ),
  );
  const own = digestText(
    JSON.stringify({
      ...course,
      chapters: course.chapters.map(({ id, name, lessons: parts }) => [
        id,
        name,
        parts.map((part) => [part.id, part.name]),
      ]),
    }),
  );
  // Source paths of lessons with generated ids are part of the digest: a move must be stored, although no document depends
  // on it.
  const paths = course.chapters.flatMap((chapter) =>
    chapter.lessons.map((lesson) => (lesson.isIdGiven ? "" : (lesson.sourcePath ?? ""))),
  );
  return { course: digestText(JSON.stringify([DOCUMENT_FORMAT, own, lessons, paths])), own, lessons };
}

/**
 * Renders a course. `datesOf` answers when an item of this source was first imported and last changed: asked with
 * undefined for the course's own part, with the lesson for each lesson. Dates that the author gave win over it.
 */
export function compileCourse(
  course: Course,
  digests: SourceDigests,
  datesOf: (lesson: Lesson | undefined, sourceDigest: string) => ImportDates,
): CompiledCourse {
  let position = 0;
  let newest = "";
  const lessons = course.chapters.flatMap((chapter) =>
    chapter.lessons.map((lesson): CompiledLesson => {
      const sourceDigest = digests.lessons[position++] ?? "";
      const dates = datesOf(lesson, sourceDigest);
      const updatedAt = lesson.updatedAt ?? dates.changedAt;
      if (updatedAt > newest) newest = updatedAt;
      const document: LessonDocument = {
        id: lesson.id,
        name: lesson.name,
        url: lesson.url,
        quizHtml: lesson.quizHtml,
        additionalText: lesson.additionalText,
        createdAt: lesson.createdAt ?? dates.firstSeenAt,
        updatedAt,
      };
      const { id, sourcePath } = lesson;
      return { id, sourcePath, document: render(document), sourceDigest, ...dates };
    }),
  );

  const own = datesOf(undefined, digests.own);
  const createdAt = course.createdAt ?? own.firstSeenAt;
  const ownUpdatedAt = course.updatedAt ?? own.changedAt;
  const updatedAt = ownUpdatedAt > newest ? ownUpdatedAt : newest;
  const chapters = course.chapters.map((chapter): ChapterDocument => ({
    id: chapter.id,
    name: chapter.name,
    lessons: chapter.lessons.map(({ id, name }) => ({ id, name })),
  }));
  const head = { _id: course.id, projectId: course.project, name: course.name };
  const tail = { thumbnail: course.thumbnail, createdAt, updatedAt };
  const summary: CourseSummaryDocument = { ...head, ...tail };
  const document: CourseDocument = { ...head, chapters, ...tail };
  const lessonList: LessonSummaryDocument[] = chapters.flatMap((chapter) => chapter.lessons);
  return {
    id: course.id,
    slug: course.slug,
    name: course.name,
    foldedName: foldName(course.name),
    published: course.published,
    createdAt,
    sourceDigest: digests.course,
    own: { sourceDigest: digests.own, ...own },
    summary: JSON.stringify(summary),
    course: render(document),
    lessonList: render(lessonList),
    lessons,
  };
}

function render(document: LessonDocument | CourseDocument | LessonSummaryDocument[]): RenderedDocument {
  const text = JSON.stringify(document);
  return { text, digest: digestText(text) };
}
