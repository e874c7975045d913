// What a course consists of, before its lesson files are read. Every kind of outline gives the same.
import type { FormerReading } from "../../catalog/course.ts";
import type { SourceEntry, SourceTree } from "../files/source-tree.ts";
import type { Answers } from "../quiz/answers.ts";
import type { MarkdownDialect } from "../markdown/dialects.ts";
import type { AdaptFields } from "../lesson-files/lesson-file.ts";
import { toTitle } from "../lesson-files/lesson-names.ts";
import type { PrepareText } from "../markdown/prepared-text.ts";
import type { PlacedFields } from "../resolve/placed-value.ts";
import { toLanguageTag } from "../../catalog/course-meta.ts";
import { cutText } from "../quote.ts";
import type { Location, Tell } from "../source.ts";
import type { HeldPages } from "./held-pages.ts";
import type { Flattening, OutlineChapter, OutlinePart, OutlineSection } from "./outline-tree.ts";

export interface Outline {
  fields: PlacedFields;
  place: Location;
  /** Undefined where the next kind of outline in the folder is to give them. */
  parts: OutlinePart[] | undefined;
  /** How they become chapters with lessons. */
  flattening: Flattening;
  /** The format that its lessons are read as, where the outline is not that of a format itself; undefined for none. */
  format?: string | undefined;
  /** What the Markdown files of the course are written in. */
  dialect: MarkdownDialect;
  /** What is done to the text of its Markdown files before; undefined for nothing. */
  prepare?: PrepareText | undefined;
  /** What is done to the fields that their front matter has; undefined for nothing. */
  adaptFields?: AdaptFields | undefined;
  /** Where a link leads that leads nowhere from its own file: folders relative to the source's root, tried in order. */
  linkFolders?: readonly string[] | undefined;
  /** Where pages are now, by the paths at which they were; both relative to the source's root, or the new one a URL of another site. */
  redirects?: ReadonlyMap<string, string> | undefined;
  /** Judges the pages that are to be lessons; undefined where their front matter holds none back. */
  held?: HeldPages | undefined;
  /** How the course was read before introductions said how; undefined where that is no other. */
  former?: FormerReading | undefined;
  /** Undefined where files beside the outline are nothing to tell of. */
  unlisted: UnlistedFiles | undefined;
}

/** An outline with the chapters that its tree becomes. */
export interface ReadOutline extends Outline {
  chapters: OutlineChapter[];
}

/** Lesson files that are no lesson of the course: something an author may have forgotten. */
export interface UnlistedFiles {
  /** Where they are looked for, relative to the source's root; undefined for the course's folder. */
  folders?: readonly string[] | undefined;
  /** Folders that another message names. */
  leftOut?: ReadonlySet<string> | undefined;
  /** Files that are not lessons but belong to the outline; looked at when all lessons are read. */
  ownFiles?: Iterable<string> | undefined;
  /** True where they are reported once, with their number. */
  isCounted?: boolean | undefined;
  /** True where an introduction beside the outline is about something else, such as the repository. */
  allowsIntroduction: boolean;
  message: string;
  /** True for the names of texts that would be lessons if they were read, such as notebooks; those are reported too. */
  mayBeMeant?: ((name: string, path: string) => boolean) | undefined;
}

/** How files are reported that an outline does not name. */
export const NOT_IN_OUTLINE: UnlistedFiles = {
  allowsIntroduction: true,
  message: "is not in the outline, so it is not a lesson",
};

/** A folder in which an outline is looked for. */
export interface OutlineFolder {
  tree: SourceTree;
  /** Relative to the source's root; `.` for the root itself. */
  folder: string;
  /** What stands in it. */
  entries: SourceEntry[];
  /**
   * How many parts must have a number where these are the outline: `one` where that is asked for, `any` where a course.yaml
   * without chapters says that it is a course.
   */
  need?: "most" | "one" | "any";
}

/** A course folder on its way to an outline. */
export interface CourseFolder extends OutlineFolder {
  /** The framework for whose readers the course is; undefined for those of all. */
  framework: string | undefined;
  /** The format that the operator asks for; undefined where it is found out. */
  format: string | undefined;
  /** The format as which readers know the course; undefined where they do not, or that is Lectern's own. */
  shownFormat?: string | undefined;
  /** Reads the folder as it would be in a format, and reports nothing; undefined where it is none of it. */
  readFormat: (format: string) => Promise<Outline | undefined>;
  /** True for a folder of which the channel shows a lesson. */
  showsLessonIn: (folder: string) => Promise<boolean>;
  /** Which questions tell their answers. */
  answers: Answers;
  /** With what is meant for those who teach. */
  withInstructors: boolean;
  now: () => Date;
  report: Tell;
  /** True where files of the source have an address for readers. */
  servesFiles: boolean;
}

/** A course folder, before the kinds of outline are asked. */
export type UnreadCourse = Omit<CourseFolder, "readFormat">;

/** True for a folder that readers know as a course. */
export type IsKnown = (folder: string) => boolean;

/** One way to keep a course in a folder. `registry.ts` has its name and its place in the order. */
export interface Format {
  /** The outline, relative to the source's root: its file, or the folder itself. Undefined for a folder that has none of this format. */
  detect: (folder: OutlineFolder) => Promise<string | undefined>;
  /** Reads what `detect` has found. Undefined when it cannot be read as an outline; that is reported, as is every wrong entry. */
  outline: (course: CourseFolder, path: string) => Promise<Outline | undefined>;
  /** The courses of a source whose pages are in `root`; absent where the root or each of its folders is one. */
  listCourses?: (tree: SourceTree, root: string, report: Tell, isKnown: IsKnown) => Promise<string[]>;
}

/** The first of the names that the folder holds as a file; undefined when it holds none. */
export function findFile(entries: SourceEntry[], ...names: string[]): SourceEntry | undefined {
  return names
    .map((name) => entries.find((entry) => !entry.isFolder && entry.name === name))
    .find((entry) => entry !== undefined);
}

/** The fields of a course whose outline gives it no name: it is named after its folder. */
export function nameAfterFolder({ tree, folder }: OutlineFolder, place: Location): PlacedFields {
  return nameFields(toTitle(tree.nameOf(folder)), place);
}

/** Fields of which only the name is known. */
export function nameFields(name: string, place: Location): PlacedFields {
  return new Map([["name", { value: name, place }]]);
}

/** Reports an export in which there are no chapters; who writes a `course.yaml` may mean that. */
export function tellWithoutChapters(chapters: readonly OutlineSection[], place: Location, report: Tell): void {
  if (chapters.length > 0) return;
  report({ kind: "empty", ...place, message: "the course has no chapters that readers may see" });
}

/** Adds the language that an outline of another program gives. What is no language tag is ignored; that is reported. */
export function addLanguage(fields: PlacedFields, field: string, text: string, place: Location, report: Tell): void {
  const tag = toLanguageTag(text.trim());
  if (tag !== undefined) fields.set("language", { value: tag, place });
  else {
    const message = `${field} is ignored: "${cutText(text)}" is no language tag such as en or pt-BR`;
    report({ kind: "ignored-value", ...place, message });
  }
}
