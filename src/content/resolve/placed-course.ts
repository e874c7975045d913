// A reader's course: the author's values with their locations.
import type { CourseInput, FoundLanguage, LessonInput, LessonOrigin } from "../../catalog/course.ts";
import type { ImageSize } from "../html/image-size.ts";
import type { HtmlLink } from "../html/links.ts";
import type { CoursePart, Finding, Location, PartPath, SourceFile, ReportFinding } from "../source.ts";
import type { SourceLinks } from "./source-links.ts";
import { toPlainFields, type PlacedFields } from "./placed-value.ts";

/** A part of an unvalidated course: fields and locations. */
export interface PlacedPart {
  fields: PlacedFields;
  place: Location;
  /** The path relative to the source root; undefined for a part without a file or folder. */
  sourcePath: string | undefined;
}

export interface PlacedLesson extends PlacedPart {
  /** The base folder of its relative links, relative to the source root. */
  folder: string;
  /** Facts about a lesson file's text; undefined for an ordinary `additionalText` field. */
  text: LessonText | undefined;
}

/** A relative link with its line. */
export type LinedLink = HtmlLink & { line: number };

/** A file inside a lesson file. */
export interface FileInLesson extends SourceFile {
  /** An image's size, if known. */
  size?: ImageSize | undefined;
}

/** Facts about `additionalText` from its file. */
export interface LessonText {
  /** Returns the location of a line, since text may come from several files. */
  placeOf: (line: number) => Location;
  /** The source text. */
  written: string;
  /** The names of other fields derived from the text. */
  made: ReadonlySet<string>;
  /** The links in document order. */
  links: LinedLink[];
  ids: ReadonlySet<string>;
  /** Texts by label; undefined if links never lead to labels of other pages. */
  labels?: ReadonlyMap<string, string> | undefined;
  /** Files inside the lesson file, by URL in the HTML. */
  files?: ReadonlyMap<string, FileInLesson> | undefined;
  remarks: (Pick<Finding, "kind" | "message" | "tally" | "answers"> & { line: number })[];
}

export interface PlacedChapter extends PlacedPart {
  /** Lessons are read one by one, so that an oversized course fails early. */
  lessons: AsyncIterable<PlacedLesson>;
  /** False if the outline names no lesson; unreadable lessons count. */
  namesLessons: boolean;
  /** Returns true if a lesson is held back. Call it after reading the lessons. */
  isHeld?: () => boolean;
}

/** A course with a location for each part. */
export interface PlacedCourse extends PlacedPart {
  folder: string;
  links: SourceLinks;
  /** The template of its lesson URLs, if set. */
  lessonUrl: string | undefined;
  /** The lessons' format, if any. */
  format?: string | undefined;
  /** The language implied by its path. */
  found?: FoundLanguage | undefined;
  /** Returns a lesson's translation key by source path. */
  toTranslationKey?: ((sourcePath: string) => string | undefined) | undefined;
  /** The tree of its chapters, with the lessons in the same order. */
  tree: CoursePart[];
  /** True to add the section's name to equal lesson names in a chapter. */
  qualifiesNames?: boolean | undefined;
  chapters: AsyncIterable<PlacedChapter>;
  lessonCount: number;
  /** Counts held-back pages; call it after reading. */
  countHeld?: () => number;
}

/** A course in the authoring form with one location: unvalidated JSON. */
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
  /** Reads the course. Reports an unreadable one and returns undefined. */
  read(report: ReportFinding): Promise<PlacedCourse | PlainCourse | undefined>;
}

/** A course with all lessons read. */
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

/** Adds source paths, and what they imply, to a validated course. */
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
