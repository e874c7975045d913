// Reads courses without an outline: numbered folders are chapters, and numbered files are lessons. Other parts follow.
import type { SourceEntry } from "../../files/source-tree.ts";
import { findNumber, isIntroduction, toTitle, compareNames, isPlainLesson } from "../../lesson-files/lesson-names.ts";
import { listFirst } from "../../quote.ts";
import type { CourseFolder, Outline, Format, UnlistedFiles } from "../format.ts";
import { LeftOutFolders } from "../left-out-folders.ts";
import { ListedOrders, sortByList, type RankOf, nameAfterReadme } from "../listed-order.ts";
import { createSection, type OutlinePart } from "../outline-tree.ts";
import { readSiteMarkdown } from "../mkdocs-site.ts";
import { reportAboutRepository } from "../unused-files.ts";
import {
  isMostlyNumbered,
  isNumbered,
  isPartFile,
  listParts,
  sortByNumber,
  sortLessons,
  toLessons,
} from "../numbers.ts";

/** The fallback format: numbers in names are the outline. */
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
  reader.reportOthers();
  reader.leftOut.report();
  return {
    fields: await nameAfterReadme(course, place, reader.orders),
    place,
    parts,
    flattening: { chapters: "every", keepsEmpty: true, loose: { first: "Introduction", next: "More", place } },
    ...(await readSiteMarkdown(course.tree, course.folder)),
    unlisted: {
      ...(reader.takesOthers ? NO_LESSONS : WITHOUT_NUMBERS),
      ownFiles: reportAboutRepository(course.tree, course.entries, course.report),
      leftOut: reader.leftOut.paths,
      mayBeMeant: (name) => findNumber(name) !== undefined,
    },
  };
}

const NO_LESSONS: UnlistedFiles = {
  allowsIntroduction: false,
  isCounted: true,
  message: "either reserved for a site builder by a leading _ or beside another introduction",
};

const WITHOUT_NUMBERS: UnlistedFiles = {
  allowsIntroduction: false,
  message:
    "is not a lesson: without an outline, lessons are the numbered files and the README or index of a course and of its numbered folders",
};

class NumberedReader {
  /** True to include unnumbered parts; false for a described course without numbers. */
  readonly takesOthers: boolean;
  readonly orders: ListedOrders;
  readonly leftOut: LeftOutFolders;
  readonly #course: CourseFolder;
  /** The paths of unnumbered parts, relative to the source root. */
  readonly #others: string[] = [];

  constructor(course: CourseFolder) {
    this.#course = course;
    this.takesOthers = course.entries.some(isNumbered);
    this.leftOut = new LeftOutFolders(course);
    this.orders = new ListedOrders(course, (entry) => this.leftOut.isShown(entry, this.orders));
  }

  /**
   * Reads loose lessons, then numbered folders, then unnumbered parts. Adjacent parts follow the list in an
   * introduction, if any.
   */
  async readCourse(): Promise<OutlinePart[]> {
    const { tree, folder, entries } = this.#course;
    const { first, numbered, others } = this.#sort(entries);
    const shown = await this.#listShown(entries);
    const folders = sortByNumber(shown.filter(isNumbered));
    const otherFolders = await this.#listOtherFolders(shown);
    const rankOf = await this.orders.find(folder, entries);
    this.#noteOthers([...others, ...otherFolders], rankOf);
    const every = [...folders, ...otherFolders];
    const listed = sortByList(every, rankOf);
    const [now, last] = listed === every ? [folders, otherFolders] : [listed, []];
    return [
      ...toLessons(tree, [...first, ...sortByList(numbered, rankOf)]),
      ...(await this.#readFolders(now)),
      ...toLessons(tree, sortByList(others, rankOf)),
      ...(await this.#readFolders(last)),
    ];
  }

  /** Reports unnumbered parts in one line. */
  reportOthers(): void {
    const { length } = this.#others;
    if (length === 0) return;
    const { tree, folder, report } = this.#course;
    const shown = listFirst(this.#others);
    const message =
      length === 1
        ? `${shown} has no number and follows the numbered parts`
        : `${length.toLocaleString("en-US")} files and folders have no number and follow the numbered parts: ${shown}`;
    report({ kind: "no-number", file: tree.toTypedPath(folder), message });
  }

  /** Notes unnumbered parts, except those whose position comes from a list. */
  #noteOthers(others: readonly SourceEntry[], rankOf: RankOf | undefined): void {
    this.#others.push(...others.map(({ path }) => path).filter((path) => rankOf?.(path) === undefined));
  }

  /** Reads folders. In each folder, lessons precede subfolders. */
  async #readFolders(folders: readonly SourceEntry[]): Promise<OutlinePart[]> {
    const { tree, report } = this.#course;
    const sections: OutlinePart[] = [];
    for (const { name, path } of folders) {
      const entries = await tree.list(path, report);
      const { first, numbered, others } = this.#sort(entries);
      const rankOf = await this.orders.find(path, entries);
      if (numbered.length > 0) this.#noteOthers(others, rankOf);
      const inside = await this.leftOut.withoutLinks(await this.#listShown(entries));
      const byNumbers = [
        ...sortByNumber(inside.filter(isNumbered)),
        ...inside.filter((entry) => !isNumbered(entry)).sort(compareNames),
      ];
      const files = [...first, ...sortByList([...numbered, ...others], rankOf)];
      const parts = [...toLessons(tree, files), ...(await this.#readFolders(sortByList(byNumbers, rankOf)))];
      sections.push(createSection(toTitle(name), { file: tree.toTypedPath(path) }, parts, path));
    }
    return sections;
  }

  async #listShown(entries: readonly SourceEntry[]): Promise<SourceEntry[]> {
    const shown: SourceEntry[] = [];
    for (const entry of entries) if (await this.leftOut.isShown(entry, this.orders)) shown.push(entry);
    return shown;
  }

  async #listOtherFolders(folders: readonly SourceEntry[]): Promise<SourceEntry[]> {
    if (!this.takesOthers) return [];
    const unnumbered = folders.filter((folder) => !isNumbered(folder));
    const { others } = await listParts(this.#course.tree, await this.leftOut.withoutLinks(unnumbered));
    return others.sort(compareNames);
  }

  #sort(entries: readonly SourceEntry[]): { first: SourceEntry[]; numbered: SourceEntry[]; others: SourceEntry[] } {
    const { first, numbered } = sortLessons(entries);
    const isRoot = entries === this.#course.entries;
    const others = entries.filter((entry) => isPlainLesson(entry, isRoot) && isPartFile(entry) && !isNumbered(entry));
    return { first, numbered, others: this.takesOthers ? others.sort(compareNames) : [] };
  }
}
