// The order that introductions list: theirs is that of a folder of which they name most lessons.
import { basename, dirname } from "node:path/posix";
import type { SourceEntry } from "../files/source-tree.ts";
import { isIntroduction } from "../lesson-files/lesson-names.ts";
import { findIntroduction, isReadme, readIntroduction, type Introduction } from "./introduction.ts";
import type { OutlineFolder } from "./format.ts";
import { isPlainLesson } from "./lesson-entries.ts";

/** The place of a file or folder in a list; undefined for one that it does not name. */
export type RankOf = (path: string) => number | undefined;

/** True for a folder in which there may be lessons. */
type IsShown = (entry: SourceEntry) => Promise<boolean>;

/** True for an introduction in another language beside the first, such as `README.fr.md`: it has no place in an order. */
export function isOtherIntroduction(name: string): boolean {
  return /^(?:readme|index)[._-].+\.[a-z]+$/i.test(name);
}

/** The introductions of one course: what they call it, what they link to, and the orders of its folders. */
export class ListedOrders {
  readonly #course: OutlineFolder;
  readonly #isShown: IsShown;
  #root: Promise<Introduction> | undefined;
  #rootLists: Promise<NamedLessons[]> | undefined;
  #lessons: Promise<CountedLessons> | undefined;

  constructor(course: OutlineFolder, isShown: IsShown) {
    this.#course = course;
    this.#isShown = isShown;
  }

  /** What the README of the course calls it; undefined where it does not. */
  async findName(): Promise<string | undefined> {
    const introduction = findIntroduction(this.#course.entries);
    return introduction !== undefined && isReadme(introduction.name) ? (await this.#readRoot()).heading : undefined;
  }

  /** True where the introduction of the course, or of the folder around it, links to something in a folder. */
  async linksInto({ path }: SourceEntry): Promise<boolean> {
    const { tree, folder } = this.#course;
    const around = dirname(path);
    const own = around === folder ? undefined : findIntroduction(await tree.list(around));
    const inside = `${path.normalize("NFC")}/`;
    const leadsInside = ({ links }: Introduction): boolean => links.some((link) => link.startsWith(inside));
    return leadsInside(await this.#readRoot()) || (own !== undefined && leadsInside(await this.#read(own)));
  }

  /** The order of the entries of a folder, by the root's introduction or the folder's own. Undefined where neither has one. */
  async find(folder: string, entries: readonly SourceEntry[]): Promise<RankOf | undefined> {
    const root = this.#course.folder;
    const namesMost = (list: NamedLessons): boolean => list.namesMost(folder);
    const found = (await (this.#rootLists ??= this.#count(root, this.#readRoot()))).find(namesMost);
    const own = folder === root ? undefined : findIntroduction(entries);
    if (found !== undefined || own === undefined) return found?.rankOf;
    return (await this.#count(folder, this.#read(own))).find(namesMost)?.rankOf;
  }

  async #readRoot(): Promise<Introduction> {
    const introduction = findIntroduction(this.#course.entries);
    const none: Introduction = { heading: undefined, listed: [], links: [] };
    return (this.#root ??= introduction === undefined ? Promise.resolve(none) : this.#read(introduction));
  }

  async #read({ path }: SourceEntry): Promise<Introduction> {
    return readIntroduction(this.#course.tree, path, this.#course.folder);
  }

  /** First the links in lists and tables, then all: a sentence may lead to the last lesson before the first is named. */
  async #count(folder: string, introduction: Promise<Introduction>): Promise<NamedLessons[]> {
    const { listed, links } = await introduction;
    if (links.length === 0) return [];
    const lessons = await (this.#lessons ??= countLessons(this.#course, this.#isShown));
    return [listed, links].map((targets) => new NamedLessons(lessons, folder, targets));
  }
}

/** Lesson files and folders of a course by their paths, in NFC. */
interface CountedLessons {
  files: Set<string>;
  /** How many lessons are in each folder and below it, its own introductions apart. */
  folders: Map<string, { lessons: number; introductions: number }>;
}

async function countLessons({ tree, folder: root }: OutlineFolder, isShown: IsShown): Promise<CountedLessons> {
  const counted: CountedLessons = { files: new Set(), folders: new Map() };
  const visit = async (folder: string): Promise<number> => {
    const own = { lessons: 0, introductions: 0 };
    for (const entry of await tree.list(folder)) {
      const isVisited = entry.isFolder && !entry.isLink && entry.name !== "translations";
      if (isVisited && (await isShown(entry))) own.lessons += await visit(entry.path);
      if (!isPlainLesson(entry, folder === root) || isOtherIntroduction(entry.name)) continue;
      counted.files.add(entry.path.normalize("NFC"));
      if (isIntroduction(entry.name)) own.introductions++;
      else own.lessons++;
    }
    counted.folders.set(folder.normalize("NFC"), own);
    return own.lessons + own.introductions;
  };
  await visit(root);
  return counted;
}

/** What a list in the introduction of a folder names of the lessons below it. */
class NamedLessons {
  readonly #lessons: CountedLessons;
  readonly #ranks = new Map<string, number>();
  /** How many lessons in each folder and below it are named by a link to a place within the folder. */
  readonly #named = new Map<string, number>();
  /** Folders and files that are named as a whole. */
  readonly #whole = new Set<string>();

  constructor(lessons: CountedLessons, folder: string, targets: readonly string[]) {
    this.#lessons = lessons;
    const top = folder.normalize("NFC");
    for (const [index, target] of targets.entries()) {
      const path = this.#findNamed(target);
      if (path !== undefined && path !== top && isWithin(path, top)) this.#add(path, index, top);
    }
  }

  readonly rankOf: RankOf = (path) => this.#ranks.get(path.normalize("NFC"));

  /** True where most lessons of the folder are named, each by itself or with a folder in this one. */
  namesMost(folder: string): boolean {
    const path = folder.normalize("NFC");
    return (this.#named.get(path) ?? 0) * 2 > (this.#lessons.folders.get(path)?.lessons ?? 0);
  }

  /** A lesson file, or the folder that an introduction stands for; undefined where a link leads to neither. */
  #findNamed(target: string): string | undefined {
    const { files, folders } = this.#lessons;
    if (files.has(target)) return isIntroduction(basename(target)) ? dirname(target) : target;
    return (folders.get(target)?.introductions ?? 0) > 0 ? target : undefined;
  }

  #add(path: string, index: number, top: string): void {
    for (let at = path; at !== top && !this.#ranks.has(at); at = dirname(at)) this.#ranks.set(at, index);
    if (this.#whole.has(path)) return;
    this.#whole.add(path);
    const folder = this.#lessons.folders.get(path);
    const all = folder === undefined ? 1 : folder.lessons + folder.introductions;
    const added = all - (this.#named.get(path) ?? 0);
    for (let at = path; at !== top;) {
      at = dirname(at);
      this.#named.set(at, (this.#named.get(at) ?? 0) + added);
      if (this.#whole.has(at)) return;
    }
  }
}

function isWithin(path: string, folder: string): boolean {
  return folder === "." ? !path.startsWith("../") : path.startsWith(`${folder}/`);
}
