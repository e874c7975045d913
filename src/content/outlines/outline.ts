// What a course consists of, before its lesson files are read. Every kind of outline gives the same.
import type { PlacedFields } from "../placed/placed-value.ts";
import type { Location, Report } from "../source.ts";
import type { SourceEntry, SourceTree } from "../files/source-tree.ts";

/** A lesson as its outline names it. */
export interface OutlineLesson {
  /** Relative to the source's root; undefined for a lesson without a file. */
  file: string | undefined;
  fields: PlacedFields;
  place: Location;
}

export interface OutlineChapter {
  fields: PlacedFields;
  place: Location;
  /** Relative to the source's root; undefined where the chapter is no folder. */
  folder: string | undefined;
  lessons: OutlineLesson[];
  /** False where no lesson is meant; one that was not found counts. */
  namesLessons: boolean;
}

export interface Outline {
  fields: PlacedFields;
  place: Location;
  chapters: OutlineChapter[];
  /** True where the numbers of folders and files are the outline. */
  isNumbered: boolean;
  /** True where lessons are written for a builder that reads `[[anchor]]` at the end of headings. */
  hasHeadingAnchors: boolean;
}

/** A course folder on its way to an outline. */
export interface CourseFolder {
  tree: SourceTree;
  /** Relative to the source's root; `.` for the root itself. */
  folder: string;
  /** What stands in it. */
  entries: SourceEntry[];
  report: Report;
}

/** The first of the names that the folder holds as a file; undefined when it holds none. */
export function findFile(entries: SourceEntry[], ...names: string[]): SourceEntry | undefined {
  return names
    .map((name) => entries.find((entry) => !entry.isFolder && entry.name === name))
    .find((entry) => entry !== undefined);
}
