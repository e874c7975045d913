import type { CourseInput } from "../../catalog/course.ts";
import { toPlainFields, type PlacedFields } from "./placed-value.ts";
import type { Location, PartPath } from "../source.ts";

/** A part of a course as it was read, before validation: its fields, and where they stand. */
export interface PlacedPart {
  fields: PlacedFields;
  place: Location;
  /** Relative to the source's root; undefined where the part is neither a file nor a folder. */
  sourcePath: string | undefined;
}

export interface PlacedChapter extends PlacedPart {
  lessons: PlacedPart[];
}

export interface PlacedCourse extends PlacedPart {
  chapters: PlacedChapter[];
}

/** The course as plain values in the authoring form, still to be validated. */
export function toPlainCourse({ fields, chapters }: PlacedCourse): unknown {
  return {
    ...toPlainFields(fields),
    chapters: chapters.map((chapter) => ({
      ...toPlainFields(chapter.fields),
      lessons: chapter.lessons.map((lesson) => toPlainFields(lesson.fields)),
    })),
  };
}

/** Where a part of the course stands; for one that the author left out, the nearest part around it. */
export function locateIn(course: PlacedCourse, [chapters, c, lessons, l, ...rest]: PartPath): Location {
  const fieldOf = (part: PlacedPart, field: PropertyKey | undefined): Location =>
    part.fields.get(String(field))?.place ?? part.place;

  const chapter = chapters === "chapters" ? course.chapters[Number(c)] : undefined;
  if (chapter === undefined) return fieldOf(course, chapters);
  const lesson = lessons === "lessons" ? chapter.lessons[Number(l)] : undefined;
  return lesson === undefined ? fieldOf(chapter, lessons) : fieldOf(lesson, rest[0]);
}

/** The validated course with the source paths of the parts it was read from. */
export function addSourcePaths(course: CourseInput, placed: PlacedCourse): CourseInput {
  return {
    ...course,
    sourcePath: placed.sourcePath,
    chapters: course.chapters.map((chapter, c) => ({
      ...chapter,
      sourcePath: placed.chapters[c]?.sourcePath,
      lessons: chapter.lessons.map((lesson, l) => ({
        ...lesson,
        sourcePath: placed.chapters[c]?.lessons[l]?.sourcePath,
      })),
    })),
  };
}
