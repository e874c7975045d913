// What a reader gives for a course: what its author wrote, with the places where that stands.
import type { CourseInput, FormerReading, FoundLanguage, LessonInput, LessonOrigin } from "../../catalog/course.ts";
import type { ImageSize } from "../html/image-size.ts";
import type { HtmlLink } from "../html/links.ts";
import type { CoursePart, Finding, Location, PartPath, SourceFile, Tell } from "../source.ts";
import type { SourceLinks } from "./source-links.ts";
import { toPlainFields, type PlacedFields } from "./placed-value.ts";

/** A part of a course as it was read, before validation: its fields, and where they stand. */
export interface PlacedPart {
  fields: PlacedFields;
  place: Location;
  /** Relative to the source's root; undefined where the part is neither a file, a part of one, nor a folder. */
  sourcePath: string | undefined;
}

export interface PlacedLesson extends PlacedPart {
  /** What relative links in its fields count from, relative to the source's root. */
  folder: string;
  /** What is known of the text of a lesson file; undefined where `additionalText` is a field like others. */
  text: LessonText | undefined;
}

/** A relative link with its line. */
export type LinedLink = HtmlLink & { line: number };

/** A file that is a part of a lesson's file. */
export interface FileInLesson extends SourceFile {
  /** That of an image; undefined where it does not tell. */
  size?: ImageSize | undefined;
}

/** What is known of `additionalText` from the file that it was made of. */
export interface LessonText {
  /** Where a line of it stands: it may be put together from several files. */
  placeOf: (line: number) => Location;
  /** The text as its author wrote it, before anything was made of it. */
  written: string;
  /** Fields of the lesson that were made of the text, too. */
  made: ReadonlySet<string>;
  /** In the order of the HTML. */
  links: LinedLink[];
  ids: ReadonlySet<string>;
  /** Files that are parts of the lesson's file, by the addresses that the HTML has for them; undefined for none. */
  files?: ReadonlyMap<string, FileInLesson> | undefined;
  remarks: (Pick<Finding, "kind" | "message" | "tally" | "answers"> & { line: number })[];
}

export interface PlacedChapter extends PlacedPart {
  /** Read one by one, so that one that is too large is given up before the next comes. */
  lessons: AsyncIterable<PlacedLesson>;
  /** False where no lesson is meant; one that cannot be read counts. */
  namesLessons: boolean;
  /** True where a lesson is held back; to be asked when its lessons are read. */
  isHeld?: () => boolean;
}

/** A course whose parts have places of their own. */
export interface PlacedCourse extends PlacedPart {
  folder: string;
  links: SourceLinks;
  /** What the addresses of links to its lessons are made of; undefined where the course does not say. */
  lessonUrl: string | undefined;
  /** The format that its lessons were read as; undefined for none. */
  format?: string | undefined;
  /** How it was read before; undefined where that is no other. */
  former?: FormerReading | undefined;
  /** What its place tells of its language. */
  found?: FoundLanguage | undefined;
  /** The key that its lesson at a path has in common with translations. */
  toTranslationKey?: ((sourcePath: string) => string | undefined) | undefined;
  /** The tree that its chapters are made of; its lessons are in the same order. */
  tree: CoursePart[];
  /** True where lessons of a chapter with the same name are called as their section, too. */
  qualifiesNames?: boolean | undefined;
  chapters: AsyncIterable<PlacedChapter>;
  lessonCount: number;
  /** How many of them are held back; to be asked when they are read. */
  countHeld?: () => number;
}

/** A course in the authoring form that stands in one place as a whole: values of JSON, still to be validated. */
export interface PlainCourse {
  value: unknown;
  place: Location;
  lessonCount: number;
}

/** A course that a reader has found. */
export interface FoundCourse {
  /** Names the course within its source. */
  key: string;
  /** Absent where the source has no paths. */
  sourcePath?: string;
  /** Undefined when it cannot be read as a course; that is reported. */
  read(report: Tell): Promise<PlacedCourse | PlainCourse | undefined>;
}

/** A course whose lessons are all read. */
export interface ReadCourse extends PlacedPart {
  lessonUrl: string | undefined;
  former?: FormerReading | undefined;
  found?: FoundLanguage | undefined;
  toTranslationKey?: PlacedCourse["toTranslationKey"];
  chapters: (PlacedPart & { lessons: (PlacedPart & { origin: LessonOrigin })[] })[];
}

/** The course as plain values in the authoring form, still to be validated. */
export function toPlainCourse({ fields, chapters }: ReadCourse): unknown {
  return {
    ...toPlainFields(fields),
    chapters: chapters.map((chapter) => ({
      ...toPlainFields(chapter.fields),
      lessons: chapter.lessons.map((lesson) => toPlainFields(lesson.fields)),
    })),
  };
}

/** Where a part of the course stands; for one that the author left out, the nearest part around it. */
export function locateIn(course: ReadCourse, [chapters, c, lessons, l, ...rest]: PartPath): Location {
  const fieldOf = (part: PlacedPart, field: PropertyKey | undefined): Location =>
    part.fields.get(String(field))?.place ?? part.place;

  const chapter = chapters === "chapters" ? course.chapters[Number(c)] : undefined;
  if (chapter === undefined) return fieldOf(course, chapters);
  const lesson = lessons === "lessons" ? chapter.lessons[Number(l)] : undefined;
  return lesson === undefined ? fieldOf(chapter, lessons) : fieldOf(lesson, rest[0]);
}

/** The validated course with what it does not say itself: where its parts were read, and what that tells of them. */
export function addOrigins(course: CourseInput, placed: ReadCourse): CourseInput {
  return {
    ...course,
    sourcePath: placed.sourcePath,
    lessonUrl: placed.lessonUrl,
    ...(placed.former === undefined ? {} : { former: placed.former }),
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
