// A course as read from a source: the author's values with their locations.
import type { CourseInput, FoundLanguage, LessonInput, LessonOrigin } from "../../catalog/course.ts";
import type { ImageSize } from "../html/image-size.ts";
import type { HtmlLink } from "../html/links.ts";
import type { CoursePart, Finding, Location, PartPath, SourceFile, ReportFinding } from "../source.ts";
import type { SourceLinks } from "./source-links.ts";
import { toPlainFields, type PlacedFields } from "./placed-value.ts";

/** A part of an unvalidated course, with its fields and location. */
export interface PlacedPart {
  fields: PlacedFields;
  place: Location;
  /** The path relative to the source root; undefined for a part without a file or folder. */
  sourcePath: string | undefined;
}

export interface PlacedLesson extends PlacedPart {
  /** The base folder of the lesson's relative links, relative to the source root. */
  folder: string;
  /** Facts about a lesson file's text; undefined for an ordinary `additionalText` field. */
  text: LessonText | undefined;
}

/** A relative link with the line that contains it. */
export type LinedLink = HtmlLink & { line: number };

/** A file that is embedded in a lesson file. */
export interface FileInLesson extends SourceFile {
  /** An image's size, if known. */
  size?: ImageSize | undefined;
}

/** Facts about an `additionalText` that comes from a file. */
export interface LessonText {
  /** Returns the location of a line of the text, since the lines can come from several files. */
  placeOf: (line: number) => Location;
  /** The text as the author wrote it. */
  written: string;
  /** The names of other fields that are derived from the text. */
  made: ReadonlySet<string>;
  /** The links in document order. */
  links: LinedLink[];
  ids: ReadonlySet<string>;
  /** The link texts of labels; undefined if links cannot point to labels of other pages. */
  labels?: ReadonlyMap<string, string> | undefined;
  /** The files that are embedded in the lesson file, by their URLs in the HTML. */
  files?: ReadonlyMap<string, FileInLesson> | undefined;
  remarks: (Pick<Finding, "kind" | "message" | "tally" | "answers"> & { line: number })[];
}

export interface PlacedChapter extends PlacedPart {
  /** Lessons are read one by one, so that an oversized course fails early. */
  lessons: AsyncIterable<PlacedLesson>;
  /** True if the outline names a lesson, even an unreadable one. */
  namesLessons: boolean;
  /** Returns true if a lesson is held back. Call this function after you have read the lessons. */
  isHeld?: () => boolean;
}

/** A course with a location for each part. */
export interface PlacedCourse extends PlacedPart {
  folder: string;
  links: SourceLinks;
  /** The size of the files read so far, and whether a limit of the course's includes is exceeded. */
  source: { readonly readSize: number; readonly includedByCourse: { readonly isExhausted: boolean } };
  /** The template of lesson URLs, if set. */
  lessonUrl: string | undefined;
  /** The format of the course's folder, if any. */
  format?: string | undefined;
  /** The language that the course's path implies. */
  found?: FoundLanguage | undefined;
  /** Returns the translation key of the lesson at a source path. */
  toTranslationKey?: ((sourcePath: string) => string | undefined) | undefined;
  /** The tree of the course, with the lessons in the order of the chapters. */
  tree: CoursePart[];
  /** True to add the section's name to lesson names that occur more than once in a chapter. */
  qualifiesNames?: boolean | undefined;
  chapters: AsyncIterable<PlacedChapter>;
  lessonCount: number;
  /** Counts held-back pages. Call this function after you have read the chapters. */
  countHeld?: () => number;
}

/** An unvalidated course as JSON in the authoring form, and where it is in the source. */
export interface PlainCourse {
  value: unknown;
  place: Location;
  lessonCount: number;
}

export interface FoundCourse {
  /** Identifies the course in its source. */
  key: string;
  /** The source path; absent if the source has no files. */
  sourcePath?: string;
  /** Reads the course. Returns undefined, and reports a problem, if the course is unreadable. */
  read(report: ReportFinding): Promise<PlacedCourse | PlainCourse | undefined>;
}

/** A course whose lessons have all been read. */
export interface ReadCourse extends PlacedPart {
  lessonUrl: string | undefined;
  found?: FoundLanguage | undefined;
  toTranslationKey?: PlacedCourse["toTranslationKey"];
  chapters: (PlacedPart & { lessons: (PlacedPart & { origin: LessonOrigin })[] })[];
}

/** Returns the course as unvalidated plain values in the authoring form. */
export function toPlainCourse({ fields, chapters }: ReadCourse): unknown {
  return {
    ...toPlainFields(fields),
    chapters: chapters.map((chapter) => ({
      ...toPlainFields(chapter.fields),
      lessons: chapter.lessons.map((lesson) => toPlainFields(lesson.fields)),
    })),
  };
}

/** Returns the location of a part, or of its nearest existing parent. */
export function locateIn(course: ReadCourse, [chapters, c, lessons, l, ...rest]: PartPath): Location {
  const fieldOf = (part: PlacedPart, field: PropertyKey | undefined): Location =>
    part.fields.get(String(field))?.place ?? part.place;

  const chapter = chapters === "chapters" ? course.chapters[Number(c)] : undefined;
  if (chapter === undefined) return fieldOf(course, chapters);
  const lesson = lessons === "lessons" ? chapter.lessons[Number(l)] : undefined;
  return lesson === undefined ? fieldOf(chapter, lessons) : fieldOf(lesson, rest[0]);
}

/** Adds source paths, and the values that follow from them, to a validated course. */
export function addOrigins(course: CourseInput, placed: ReadCourse): CourseInput {
  return {
    ...course,
    sourcePath: placed.sourcePath,
    lessonUrl: placed.lessonUrl,
    found: placed.found,
    chapters: course.chapters.map((chapter, c) => ({
      ...chapter,
      sourcePath: placed.chapters[c]?.sourcePath,
      lessons: chapter.lessons.map((lesson, l) => ({
        ...lesson,
        ...placeLesson(lesson, placed.chapters[c]?.lessons[l]?.sourcePath, placed),
        ...placed.chapters[c]?.lessons[l]?.origin,
      })),
    })),
  };
}

function placeLesson(
  { translationKey }: Pick<LessonInput, "translationKey">,
  sourcePath: string | undefined,
  { toTranslationKey }: Pick<ReadCourse, "toTranslationKey">,
): Pick<LessonInput, "translationKey" | "sourcePath"> {
  const key = translationKey ?? (sourcePath === undefined ? undefined : toTranslationKey?.(sourcePath));
  return { sourcePath, translationKey: key };
}
