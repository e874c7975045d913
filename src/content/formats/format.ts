// The outline of a course, before its lessons are read: the result of every format.
import type { SourceEntry, SourceTree } from "../files/source-tree.ts";
import type { Answers } from "../quiz/answers.ts";
import type { MarkdownDialect } from "../markdown/dialects.ts";
import type { AdaptFields } from "../lesson-files/lesson-file.ts";
import { toTitle } from "../lesson-files/lesson-names.ts";
import type { PrepareText } from "../markdown/prepared-text.ts";
import type { PlacedFields } from "../resolve/placed-value.ts";
import { toLanguageTag } from "../../catalog/course-meta.ts";
import { cutText } from "../quote.ts";
import type { Location, ReportFinding } from "../source.ts";
import type { HeldPages } from "./held-pages.ts";
import type { Flattening, OutlineChapter, OutlinePart, OutlineSection } from "./outline-tree.ts";

export interface Outline {
  fields: PlacedFields;
  place: Location;
  /** The parts; undefined if another format in the folder provides them. */
  parts: OutlinePart[] | undefined;
  /** How the parts become chapters with lessons. */
  flattening: Flattening;
  /** The format of the lessons, if the outline belongs to another format. */
  format?: string | undefined;
  /** The dialect of the course's Markdown files. */
  dialect: MarkdownDialect;
  /** Preprocesses Markdown files. */
  prepare?: PrepareText | undefined;
  /** Adapts front matter fields. */
  adaptFields?: AdaptFields | undefined;
  /** The folders to search for the targets of broken links, in order, relative to the source root. */
  linkFolders?: readonly string[] | undefined;
  /** New paths or URLs of moved pages by old path; paths are relative to the source root. */
  redirects?: ReadonlyMap<string, string> | undefined;
  /** Decides which pages to hold back because of their front matter. */
  held?: HeldPages | undefined;
  /** Which unused files to report; undefined to report none. */
  unlisted: UnlistedFiles | undefined;
}

/** An outline with its flattened chapters. */
export interface ReadOutline extends Outline {
  chapters: OutlineChapter[];
}

/** Where to search for lesson files that no lesson uses, and how to report them: authors might have forgotten them. */
export interface UnlistedFiles {
  /** Folders to search, relative to the source root; by default the course's folder. */
  folders?: readonly string[] | undefined;
  /** Folders that another message reports. */
  leftOut?: ReadonlySet<string> | undefined;
  /** Files that belong to the outline but are not lessons; complete only after all lessons are read. */
  ownFiles?: Iterable<string> | undefined;
  /** True to report only the number of files. */
  isCounted?: boolean | undefined;
  /** True to ignore an introduction beside the outline: it can describe something else, such as the repository. */
  allowsIntroduction: boolean;
  message: string;
  /** Returns true for a text in an unsupported format, such as AsciiDoc, that might be meant as a lesson. */
  mayBeMeant?: ((name: string, path: string) => boolean) | undefined;
}

/** The settings for files that an outline does not name. */
export const NOT_IN_OUTLINE: UnlistedFiles = {
  allowsIntroduction: true,
  message: "is not in the outline, so it is not a lesson",
};

/** A folder to search for an outline. */
export interface OutlineFolder {
  tree: SourceTree;
  /** The path relative to the source root; `.` for the root. */
  folder: string;
  entries: SourceEntry[];
  /**
   * How many parts of a numbered folder need a number: `most` by default; `one` if this format was requested; `any`,
   * even none beside an introduction, for a course.yaml without chapters.
   */
  need?: "most" | "one" | "any";
}

/** A course folder whose outline is being read. */
export interface CourseFolder extends OutlineFolder {
  /** The framework whose content is kept; undefined to keep all content. */
  framework: string | undefined;
  /** The format that the operator chose; undefined to detect it. */
  format: string | undefined;
  /** The course's published format; undefined for an unpublished course and for Lectern's own format. */
  publishedFormat?: string | undefined;
  /** Reads the folder in a format without reporting; undefined if the folder does not match the format. */
  readFormat: (format: string) => Promise<Outline | undefined>;
  /** Returns true for a folder with a published lesson. */
  hasPublishedLessonIn: (folder: string) => Promise<boolean>;
  /** The questions whose answers are published. */
  answers: Answers;
  /** True to include instructors' content. */
  withInstructors: boolean;
  now: () => Date;
  report: ReportFinding;
  /** True if readers can download the source's files. */
  servesFiles: boolean;
}

/** A course folder before format detection. */
export type UnreadCourse = Omit<CourseFolder, "readFormat">;

/** Returns true for a published course folder. */
export type IsKnown = (folder: string) => boolean;

/** A format of course folders. `registry.ts` lists the names and priorities of formats. */
export interface Format {
  /** Returns the path of the outline file or folder, relative to the source root; undefined if there is none. */
  detect: (folder: OutlineFolder) => Promise<string | undefined>;
  /** Reads the detected outline. Reports every wrong entry. Reports an unreadable outline and returns undefined. */
  outline: (course: CourseFolder, path: string) => Promise<Outline | undefined>;
  /** Lists the courses of a source whose pages are in `root`; absent if the root or each folder in it is a course. */
  listCourses?: (tree: SourceTree, root: string, report: ReportFinding, isKnown: IsKnown) => Promise<string[]>;
}

/** Returns the first of the named files that exists in the folder, if any. */
export function findFile(entries: SourceEntry[], ...names: string[]): SourceEntry | undefined {
  return names
    .map((name) => entries.find((entry) => !entry.isFolder && entry.name === name))
    .find((entry) => entry !== undefined);
}

/** Returns the fields of a course named after its folder. */
export function nameAfterFolder({ tree, folder }: OutlineFolder, place: Location): PlacedFields {
  return nameFields(toTitle(tree.nameOf(folder)), place);
}

/** Returns fields with only a name. */
export function nameFields(name: string, place: Location): PlacedFields {
  return new Map([["name", { value: name, place }]]);
}

/** Reports another program's course without chapters. Only a `course.yaml` can lack chapters on purpose. */
export function reportWithoutChapters(
  chapters: readonly OutlineSection[],
  place: Location,
  report: ReportFinding,
): void {
  if (chapters.length > 0) return;
  report({ kind: "empty", ...place, message: "the course has no chapters that readers can see" });
}

/** Adds another program's language field. Reports and ignores an invalid tag. */
export function addLanguage(
  fields: PlacedFields,
  field: string,
  text: string,
  place: Location,
  report: ReportFinding,
): void {
  const tag = toLanguageTag(text.trim());
  if (tag !== undefined) fields.set("language", { value: tag, place });
  else {
    const message = `${field} is ignored: "${cutText(text)}" is not a language tag such as en or pt-BR`;
    report({ kind: "ignored-value", ...place, message });
  }
}
