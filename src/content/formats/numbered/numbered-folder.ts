// Courses without an outline: numbered folders are chapters, numbered files lessons. What has no number follows them.
import type { SourceEntry } from "../../files/source-tree.ts";
import { DIALECTS } from "../../markdown/dialects.ts";
import { findNumber, isIntroduction, toTitle } from "../../lesson-files/lesson-names.ts";
import { cutTexts } from "../../quote.ts";
import { nameAfterFolder, type CourseFolder, type Outline, type Format, type UnlistedFiles } from "../format.ts";
import { createSection, type OutlinePart } from "../outline-tree.ts";
import { reportAboutRepository } from "../unused-files.ts";
import { compareNames, isPlainLesson, isShownFolder } from "../lesson-entries.ts";
import {
  isMostlyNumbered,
  isNumbered,
  isPartFile,
  listParts,
  sortByNumber,
  sortLessons,
  toLessons,
} from "../numbers.ts";

/** The numbers of folders and files as an outline: what there is where there is no other. */
export const numberedFolder: Format = {
  detect: async ({ tree, folder, entries, need = "most" }) => {
    if (need === "one") return entries.some(isNumbered) ? folder : undefined;
    if (need === "any")
      return entries.some((entry) => isNumbered(entry) || isIntroductionFile(entry)) ? folder : undefined;
    return (await isMostlyNumbered(tree, entries)) ? folder : undefined;
  },
  outline: readNumberedFolder,
};

function isIntroductionFile({ name, isFolder }: SourceEntry): boolean {
  return !isFolder && isIntroduction(name);
}

async function readNumberedFolder(course: CourseFolder): Promise<Outline> {
  const place = { file: course.tree.toTypedPath(course.folder) };
  const reader = new NumberedReader(course);
  const parts = await reader.readCourse();
  reader.tellOthers();
  return {
    fields: nameAfterFolder(course, place),
    place,
    parts,
    flattening: { chapters: "every", keepsEmpty: true, loose: { first: "Introduction", next: "More", place } },
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

  /** Lessons beside the folders, then numbered folders, then what has no number. */
  async readCourse(): Promise<OutlinePart[]> {
    const { tree, entries } = this.#course;
    const { first, numbered, others } = this.#sort(entries);
    const folders = sortByNumber(entries.filter((entry) => entry.isFolder && isNumbered(entry)));
    const otherFolders = await this.#listOtherFolders(entries);
    this.#others.push(...[...others, ...otherFolders].map(({ path }) => path));
    return [
      ...toLessons(tree, [...first, ...numbered]),
      ...(await this.#readFolders(folders)),
      ...toLessons(tree, others),
      ...(await this.#readFolders(otherFolders)),
    ];
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

  /** Folders with their own lessons, then their folders. */
  async #readFolders(folders: readonly SourceEntry[]): Promise<OutlinePart[]> {
    const { tree, report } = this.#course;
    const sections: OutlinePart[] = [];
    for (const { name, path } of folders) {
      const entries = await tree.list(path, report);
      const { first, numbered, others } = this.#sort(entries);
      if (numbered.length > 0) this.#others.push(...others.map((other) => other.path));
      const inside = entries.filter((entry) => isShownFolder(entry) && !entry.isLink);
      const sorted = [
        ...sortByNumber(inside.filter(isNumbered)),
        ...inside.filter((entry) => !isNumbered(entry)).sort(compareNames),
      ];
      const parts = [...toLessons(tree, [...first, ...numbered, ...others]), ...(await this.#readFolders(sorted))];
      sections.push(createSection(toTitle(name), { file: tree.toTypedPath(path) }, parts, path));
    }
    return sections;
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
}
