// Courses without an outline: numbered folders are chapters, numbered files lessons. What has no number follows them.
import type { SourceEntry, SourceTree } from "../../files/source-tree.ts";
import { DIALECTS } from "../../markdown/dialects.ts";
import type { NamedLesson } from "../../lesson-files/lesson-file.ts";
import { findNumber, isErrorPage, isIntroduction, isLessonFile, toTitle } from "../../lesson-files/lesson-names.ts";
import { cutTexts } from "../../quote.ts";
import type { Tell } from "../../source.ts";
import {
  nameAfterFolder,
  nameDeeper,
  nameFields,
  type CourseFolder,
  type Outline,
  type OutlineChapter,
  type OutlineKind,
  type UnlistedFiles,
} from "../format.ts";
import { reportAboutRepository } from "../unused-files.ts";
import { compareNames, isFirst, isPlainLesson, isShownFolder } from "../plain/plain.ts";

/** Folders within folders: no path has more. */
const MAX_DEPTH = 2000;

/** The numbers of folders and files as an outline: what there is where there is no other. */
export const numberedFolder: OutlineKind = {
  name: "numbered",
  sign: "folders and lessons whose names begin with numbers, such as 01-start.md",
  find: async ({ tree, folder, entries, isDescribed = false }) => {
    if (isDescribed)
      return entries.some((entry) => isNumbered(entry) || isIntroductionFile(entry)) ? folder : undefined;
    return (await isMostlyNumbered(tree, entries)) ? folder : undefined;
  },
  read: readNumberedFolder,
  yieldsToFolders: false,
};

/** True for a folder and for a lesson file with a number. */
export function isNumbered({ name, isFolder }: SourceEntry): boolean {
  return findNumber(name) !== undefined && (isFolder || (isLessonFile(name) && !isErrorPage(name)));
}

function isIntroductionFile({ name, isFolder }: SourceEntry): boolean {
  return !isFolder && isIntroduction(name);
}

/** What a course consists of: lesson files but for introductions, and folders that hold lessons; with numbers and without. */
export interface CourseParts {
  numbered: SourceEntry[];
  others: SourceEntry[];
}

/** Lists the parts of a course, of which its entries may be. */
export async function listParts(tree: SourceTree, entries: readonly SourceEntry[]): Promise<CourseParts> {
  const parts: CourseParts = { numbered: [], others: [] };
  for (const entry of entries) {
    const isPart = entry.isFolder ? await holdsLessons(tree, entry) : isPlainLesson(entry, true) && isPartFile(entry);
    if (isPart) parts[isNumbered(entry) ? "numbered" : "others"].push(entry);
  }
  return parts;
}

async function isMostlyNumbered(tree: SourceTree, entries: readonly SourceEntry[]): Promise<boolean> {
  // Without a number nothing is looked into.
  if (!entries.some(isNumbered)) return false;
  const { numbered, others } = await listParts(tree, entries);
  return numbered.length > others.length && (await holdsMostlyNumbered(tree, entries));
}

/** True where most of the parts have numbers, at whatever depth. */
export async function holdsMostlyNumbered(tree: SourceTree, entries: readonly SourceEntry[]): Promise<boolean> {
  const { numbered, others } = await countParts(tree, entries);
  return numbered > others;
}

/** How many parts there are at any depth, and how many lesson files, introductions too. */
export async function countParts(
  tree: SourceTree,
  entries: readonly SourceEntry[],
  depth = MAX_DEPTH,
): Promise<{ numbered: number; others: number; lessons: number }> {
  const counts = { numbered: 0, others: 0, lessons: 0 };
  for (const entry of entries) {
    const isLesson = isPlainLesson(entry, depth === MAX_DEPTH);
    let isPart = isLesson && isPartFile(entry);
    if (isLesson) counts.lessons++;
    if (isShownFolder(entry) && depth > 0 && (!entry.isLink || depth === MAX_DEPTH)) {
      const within = await countParts(tree, await tree.list(entry.path), depth - 1);
      for (const key of ["numbered", "others", "lessons"] as const) counts[key] += within[key];
      isPart = within.lessons > 0;
    }
    if (isPart) counts[isNumbered(entry) ? "numbered" : "others"]++;
  }
  return counts;
}

/** False for an introduction, and for SUMMARY.md, which is an outline. */
export function isPartFile(entry: SourceEntry): boolean {
  return !isFirst(entry) && entry.name !== "SUMMARY.md";
}

async function holdsLessons(tree: SourceTree, folder: SourceEntry, depth = MAX_DEPTH): Promise<boolean> {
  if (!isShownFolder(folder)) return false;
  const entries = await tree.list(folder.path);
  if (entries.some((entry) => isPlainLesson(entry, false))) return true;
  if (depth === 0) return false;
  for (const entry of entries) if (!entry.isLink && (await holdsLessons(tree, entry, depth - 1))) return true;
  return false;
}

async function readNumberedFolder(course: CourseFolder): Promise<Outline> {
  const place = { file: course.tree.toTypedPath(course.folder) };
  const reader = new NumberedReader(course);
  const chapters = await reader.readCourse();
  reader.tellOthers();
  return {
    fields: nameAfterFolder(course, place),
    place,
    chapters,
    dialect: DIALECTS.markdown,
    unlisted: {
      ...(reader.takesOthers ? NO_LESSONS : WITHOUT_NUMBERS),
      ownFiles: reportAboutRepository(course.tree, course.entries, course.report),
      mayBeMeant: (name) => findNumber(name) !== undefined,
    },
  };
}

const NO_LESSONS: UnlistedFiles = {
  allowsIntroduction: false,
  isCounted: true,
  message: "kept for a builder, as names that begin with _ are, or a second introduction",
};

const WITHOUT_NUMBERS: UnlistedFiles = {
  allowsIntroduction: false,
  message:
    "is not a lesson: without an outline only numbered files, README and index in a course or its numbered folders are",
};

class NumberedReader {
  /** False for a described course in which nothing has a number. */
  readonly takesOthers: boolean;
  readonly #course: CourseFolder;
  /** Paths, relative to the source's root. */
  readonly #others: string[] = [];

  constructor(course: CourseFolder) {
    this.#course = course;
    this.takesOthers = course.entries.some(isNumbered);
  }

  /** The chapters: lessons beside the folders, then numbered folders, then what has no number. */
  async readCourse(): Promise<OutlineChapter[]> {
    const { entries } = this.#course;
    const { first, numbered, others } = this.#sort(entries);
    const folders = sortByNumber(entries.filter((entry) => entry.isFolder && isNumbered(entry)));
    const otherFolders = await this.#listOtherFolders(entries);
    this.#others.push(...[...others, ...otherFolders].map(({ path }) => path));
    const isOneChapter = folders.length === 0;
    const chapters = this.#toChapters("Introduction", undefined, [
      ...first,
      ...numbered,
      ...(isOneChapter ? others : []),
    ]);
    for (const folder of folders) {
      const read = await this.#readFolder(folder, []);
      chapters.push(...(read.length > 0 ? read : [this.#toChapter(toTitle(folder.name), folder.path, [])]));
    }
    if (!isOneChapter) chapters.push(...this.#toChapters("More", undefined, others));
    for (const folder of otherFolders) chapters.push(...(await this.#readFolder(folder, [])));
    return chapters;
  }

  /** Tells in one line what has no number. */
  tellOthers(): void {
    const { length } = this.#others;
    if (length === 0) return;
    const { tree, folder, report } = this.#course;
    const shown = cutTexts(...this.#others.slice(0, 3)).join(", ");
    const more = length > 3 ? `, and ${(length - 3).toLocaleString("en-US")} more` : "";
    const message =
      length === 1
        ? `${shown} has no number, and follows what has one`
        : `${length.toLocaleString("en-US")} files and folders have no number, and follow what has one: ${shown}${more}`;
    report({ kind: "no-number", file: tree.toTypedPath(folder), message });
  }

  /** The chapters of a folder: its own lessons, then those of its folders. `names` are those of the folders around. */
  async #readFolder(folder: SourceEntry, around: readonly string[]): Promise<OutlineChapter[]> {
    const { tree, report } = this.#course;
    const entries = await tree.list(folder.path, report);
    const names = nameDeeper(around, toTitle(folder.name));
    const { first, numbered, others } = this.#sort(entries);
    if (numbered.length > 0) this.#others.push(...others.map(({ path }) => path));
    const chapters = this.#toChapters(names.join(": "), folder.path, [...first, ...numbered, ...others]);
    const folders = entries.filter((entry) => isShownFolder(entry) && !entry.isLink);
    const inside = [
      ...sortByNumber(folders.filter(isNumbered)),
      ...folders.filter((entry) => !isNumbered(entry)).sort(compareNames),
    ];
    for (const entry of inside) chapters.push(...(await this.#readFolder(entry, names)));
    return chapters;
  }

  async #listOtherFolders(entries: readonly SourceEntry[]): Promise<SourceEntry[]> {
    if (!this.takesOthers) return [];
    const { others } = await listParts(
      this.#course.tree,
      entries.filter((entry) => entry.isFolder && !entry.isLink),
    );
    return others.sort(compareNames);
  }

  #sort(entries: readonly SourceEntry[]): { first: SourceEntry[]; numbered: SourceEntry[]; others: SourceEntry[] } {
    const { first, numbered } = sortLessons(entries);
    const isRoot = entries === this.#course.entries;
    const others = entries.filter((entry) => isPlainLesson(entry, isRoot) && isPartFile(entry) && !isNumbered(entry));
    return { first, numbered, others: this.takesOthers ? others.sort(compareNames) : [] };
  }

  #toChapters(name: string, folder: string | undefined, files: readonly SourceEntry[]): OutlineChapter[] {
    return files.length === 0 ? [] : [this.#toChapter(name, folder, files)];
  }

  #toChapter(name: string, folder: string | undefined, files: readonly SourceEntry[]): OutlineChapter {
    const { tree } = this.#course;
    const place = { file: tree.toTypedPath(folder ?? this.#course.folder) };
    const lessons = toLessons(tree, files);
    return { fields: nameFields(name, place), place, folder, lessons, namesLessons: lessons.length > 0 };
  }
}

/** Lists a folder's lessons: its introduction first, then its numbered files. */
export async function listNumberedLessons(tree: SourceTree, folder: string, report: Tell): Promise<NamedLesson[]> {
  const { first, numbered } = sortLessons(await tree.list(folder, report));
  return toLessons(tree, [...first, ...numbered]);
}

function sortLessons(entries: readonly SourceEntry[]): { first: SourceEntry[]; numbered: SourceEntry[] } {
  // README before index: one introduction is enough.
  const rank = ({ name }: SourceEntry): number => ["r", "i", "_"].indexOf(name.charAt(0).toLowerCase());
  const first = entries
    .filter((entry) => isFirst(entry))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, 1);
  return { first, numbered: sortByNumber(entries.filter((entry) => !entry.isFolder && isNumbered(entry))) };
}

function toLessons(tree: SourceTree, files: readonly SourceEntry[]): NamedLesson[] {
  return files.map(({ path }) => ({ file: path, fields: new Map(), place: { file: tree.toTypedPath(path) } }));
}

function sortByNumber(entries: readonly SourceEntry[]): SourceEntry[] {
  // The entries come in the order of their names, and sorting keeps that among equals.
  return entries.toSorted((a, b) => (findNumber(a.name) ?? 0) - (findNumber(b.name) ?? 0));
}
