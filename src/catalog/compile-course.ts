// Compiling: a course becomes the JSON documents that the API serves, once, at import. Members stand in the order of
// the interface's tables; that order and the absence of any other member are part of the interface.
import { renderList, digestText, type Body } from "./body.ts";
import { digestCourse, toLessonMark } from "./answer-digests.ts";
import { renderCourseMeta, renderLessonMeta } from "./meta-document.ts";
import type { Course, Lesson } from "./course.ts";
import type { ChapterDocument, CourseDocument, CourseSummaryDocument } from "./documents.ts";
import { foldName } from "./fold-name.ts";

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

/** A file that readers of a course are shown or led to: content by its digest, under a name. */
export interface AssetReference {
  digest: string;
  name: string;
}

/** Digests of what the author of a lesson wrote, by which it is recognised in another place. */
export interface WrittenDigests {
  /** Undefined where the source has no files, and for lessons that were stored without. */
  named: string | undefined;
  /** Without the name, which may come from the file's; "" where there is nothing else. */
  content: string | undefined;
}

interface LessonWith<Document> extends SourceRecord {
  id: string;
  name: string;
  /** Counts the chapters of the course from 0. */
  chapter: number;
  sourcePath: string | undefined;
  written: WrittenDigests;
  document: Document;
  /** JSON text; undefined where the author gave none. */
  meta: string | undefined;
  updatedAt: string;
  hasVideo: boolean;
  hasQuiz: boolean;
}

interface CourseWith<Document> {
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
  /** JSON text; undefined where the author gave none. */
  meta: string | undefined;
  course: Document;
  lessonList: Document;
  chapters: { id: string; name: string }[];
  lessons: LessonWith<Document>[];
  assets: AssetReference[];
}

/** A course with its documents as JSON text. */
export type RenderedCourse = CourseWith<string>;
/** A course with its documents as bodies. */
export interface CompiledCourse extends CourseWith<Body> {
  /** Changes when anything does that is answered of the course. */
  contentDigest: string;
}
export type CompiledLesson = LessonWith<Body>;

/** Digests of a course as it is delivered, by which an import tells what changed; 32 hex digits each. */
export interface SourceDigests {
  course: string;
  own: string;
  /** In the order of the course's chapters and lessons. */
  lessons: string[];
  /** In the same order: of what the author wrote. */
  written: WrittenDigests[];
  /** In the same order: the JSON members that a lesson's digest and its document have in common. Long to make, so made once. */
  contents: string[];
  /** In the same order: what was digested. */
  digested: readonly Lesson[];
}

/** A lesson with what imports remember of it. */
export interface DatedLesson extends SourceRecord {
  lesson: Lesson;
  written: WrittenDigests;
  /** See SourceDigests. */
  content: string;
}

/** All that the documents of a course depend on. */
export interface DatedCourse {
  course: Course;
  sourceDigest: string;
  own: SourceRecord;
  /** In the order of the course's chapters and lessons. */
  lessons: DatedLesson[];
  /** Each once. */
  assets: AssetReference[];
}

/**
 * Digests of a course whose links are filled in. Dates that only the import knows are not part of them, nor is the place in the
 * source. A lesson's id is part of the course's own digest only, so that a lesson can be recognised by its content: after ids
 * have changed, `before` gives what stays, which is all but lessons whose links are filled in otherwise.
 */
export function digestSource(course: Course, before?: SourceDigests): SourceDigests {
  const { lessons, contents, written, digested } = digestLessons(course, before);
  // Where a site shows lessons is no part of what is answered of a course.
  const { lessonUrl: _, derivedDates: __, ...answered } = course;
  const own = digestText(
    JSON.stringify({
      ...answered,
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
  return {
    course: digestText(JSON.stringify([DOCUMENT_FORMAT, own, lessons, paths])),
    own,
    lessons,
    written,
    contents,
    digested,
  };
}

function digestLessons(
  course: Course,
  before?: SourceDigests,
): Pick<SourceDigests, "lessons" | "written" | "contents" | "digested"> {
  const digested = course.chapters.flatMap((chapter) => chapter.lessons);
  const lessons: string[] = [];
  const contents: string[] = [];
  for (const [index, lesson] of digested.entries()) {
    // To compare texts is far quicker than to make their JSON and digest it.
    const known = isFilledLike(lesson, before?.digested[index]) ? before : undefined;
    const json = known === undefined ? toContentJson(lesson) : "";
    lessons.push(known?.lessons[index] ?? digestLesson(lesson, json));
    contents.push(known?.contents[index] ?? json.slice(1, -1));
  }
  return { lessons, contents, written: before?.written ?? digested.map(digestWritten), digested };
}

function toContentJson({ name, url, quizHtml, additionalText }: Lesson): string {
  return JSON.stringify({ name, url, quizHtml, additionalText });
}

function digestLesson({ createdAt, updatedAt, durationMinutes }: Lesson, json: string): string {
  // What is undefined is left out; most lessons have none of these.
  const rest = JSON.stringify({ createdAt, updatedAt, durationMinutes });
  return digestText(rest === "{}" ? json : `${json.slice(0, -1)},${rest.slice(1)}`);
}

// Only links are filled in.
function isFilledLike({ links, quizHtml, additionalText }: Lesson, before: Lesson | undefined): boolean {
  if (links === undefined) return before !== undefined;
  return quizHtml === before?.quizHtml && additionalText === before.additionalText;
}

// Only lessons whose ids were made from their files can have moved.
function digestWritten({ name, createdAt, updatedAt, isIdGiven, sourcePath, writtenDigest }: Lesson): WrittenDigests {
  if (isIdGiven || sourcePath === undefined || writtenDigest === undefined)
    return { named: undefined, content: undefined };
  return { named: digestText(JSON.stringify([name, createdAt, updatedAt, writtenDigest])), content: writtenDigest };
}

/** Renders a course. Dates that the author gave win over those of imports. */
export function renderCourse(dated: DatedCourse): RenderedCourse {
  const { course, sourceDigest, own } = dated;
  const chapterOf = course.chapters.flatMap(({ lessons }, chapter) => lessons.map(() => chapter));
  let newest = "";
  const lessons = dated.lessons.map(({ lesson, content, ...record }, index): LessonWith<string> => {
    const { id, name, url, quizHtml, sourcePath } = lesson;
    const updatedAt = lesson.updatedAt ?? record.changedAt;
    if (updatedAt > newest) newest = updatedAt;
    const dates = JSON.stringify({ createdAt: lesson.createdAt ?? record.firstSeenAt, updatedAt }).slice(1);
    const document = `{"id":${JSON.stringify(id)},${content},${dates}`;
    const traits = { updatedAt, hasVideo: url !== "", hasQuiz: quizHtml !== "" };
    const meta = renderLessonMeta(lesson);
    return { id, name, chapter: chapterOf[index] ?? 0, sourcePath, document, meta, ...traits, ...record };
  });

  const createdAt = course.createdAt ?? own.firstSeenAt;
  const updatedAt = course.updatedAt ?? (own.changedAt > newest ? own.changedAt : newest);
  const chapters = course.chapters.map((chapter): ChapterDocument => ({
    id: chapter.id,
    name: chapter.name,
    lessons: chapter.lessons.map(({ id, name }) => ({ id, name })),
  }));
  const head = { _id: course.id, projectId: course.project, name: course.name };
  const tail = { thumbnail: course.thumbnail, createdAt, updatedAt };
  const summary: CourseSummaryDocument = { ...head, ...tail };
  const document: CourseDocument = { ...head, chapters, ...tail };
  const summaries = JSON.stringify(chapters.flatMap((chapter) => chapter.lessons));
  return {
    id: course.id,
    slug: course.slug,
    name: course.name,
    foldedName: foldName(course.name),
    published: course.published,
    createdAt,
    updatedAt,
    sourceDigest,
    own,
    summary: JSON.stringify(summary),
    meta: renderCourseMeta(course),
    course: JSON.stringify(document),
    lessonList: renderList(lessons.length, summaries.slice(1, -1)),
    chapters: chapters.map(({ id, name }) => ({ id, name })),
    lessons,
    assets: dated.assets,
  };
}

/** The `data` of all that is answered of a course, to be encoded. */
export function listData({ course, lessonList, lessons }: RenderedCourse): string[] {
  return [course, lessonList, ...lessons.map((lesson) => lesson.document)];
}

/** Takes from `bodies` what `encodeBody` made of what `listData` gives, in its order. Throws when there are too few. */
export function toCompiledCourse(rendered: RenderedCourse, bodies: Iterator<Body>): CompiledCourse {
  const take = (): Body => {
    const { value, done } = bodies.next();
    if (done === true) throw new Error(`documents of course ${rendered.id} were not encoded`);
    return value;
  };
  const [course, lessonList] = [take(), take()];
  const lessons = rendered.lessons.map((lesson) => ({ ...lesson, document: take() }));
  const { slug, published, meta } = rendered;
  const marks = lessons.map((lesson) => toLessonMark(lesson.document.digest, lesson.meta));
  const contentDigest = digestCourse({ digest: course.digest, slug, published, meta }, marks);
  return { ...rendered, course, lessonList, lessons, contentDigest };
}
