// Plain folders of Markdown: folders are chapters, files lessons, in the order that builders of sites know.
import { basename, dirname, extname, join } from "node:path/posix";
import type { SourceEntry, SourceTree } from "../../files/source-tree.ts";
import { DIALECTS, type MarkdownDialect } from "../../markdown/dialects.ts";
import type { AdaptFields, NamedLesson } from "../../lesson-files/lesson-file.ts";
import {
  findNumber,
  isAboutRepository,
  isIntroduction,
  isLessonFile,
  toTitle,
} from "../../lesson-files/lesson-names.ts";
import { adaptPlainFields, findPosition, readCategory } from "./plain-fields.ts";
import { addTemplateRules } from "./plain-rules.ts";
import { createSiteText } from "./plain-text.ts";
import { findText, type PlacedFields } from "../../resolve/placed-value.ts";
import type { Tell } from "../../source.ts";
import { HeldPages } from "../held-pages.ts";
import { SiteSchedules } from "../site-schedule.ts";
import { compareNames, isFirst, isPlainLesson, isShownFolder } from "../lesson-entries.ts";
import { readMkdocsSite } from "../mkdocs/mkdocs-nav.ts";
import { toLessons } from "../numbers.ts";
import { createSection, isSection, listLessons, type Flattening, type OutlinePart } from "../outline-tree.ts";
import { reportAboutRepository } from "../unused-files.ts";
import { nameAfterFolder, type CourseFolder, type Outline, type OutlineFolder, type Format } from "../format.ts";

/** What builders of sites have beyond CommonMark. */
const PLAIN_DIALECT: MarkdownDialect = {
  ...DIALECTS.markdown,
  hasDefinitionLists: true,
  containers: { details: new Set(["details"]), hasTitles: false },
};
const TEMPLATE_DIALECT: MarkdownDialect = { ...PLAIN_DIALECT, addRules: addTemplateRules };
/** Folders within folders: no path has more. */
const MAX_DEPTH = 2000;

/** What there is where nothing else is: Markdown. */
export const plain: Format = {
  detect: async (folder) => ((await holdsMarkdown(folder, 3)) ? folder.folder : undefined),
  outline: readPlain,
  listCourses: listPlainCourses,
};

async function holdsMarkdown({ tree, entries }: OutlineFolder, depth: number, isRoot = true): Promise<boolean> {
  const lessons = entries.filter((entry) => isPlainLesson(entry, isRoot));
  if (lessons.some(({ name }) => !/\.html$/i.test(name) && !/^readme\./i.test(name))) return true;
  if (depth === 0) return false;
  for (const { path, isLink } of entries.filter(isShownFolder)) {
    if (isLink) continue;
    if (await holdsMarkdown({ tree, folder: path, entries: await tree.list(path) }, depth - 1, false)) return true;
  }
  return false;
}

/**
 * Lists the courses of a source that is read as plain folders, with its pages in `root`: that is one, unless each of its folders
 * holds folders of lessons, and no lessons itself.
 */
async function listPlainCourses(tree: SourceTree, root: string, report: Tell): Promise<string[]> {
  const entries = await tree.list(root);
  if (entries.some((entry) => isPlainLesson(entry, true) && !isIntroduction(entry.name))) return [root];
  if ((await readMkdocsSite(tree, root, () => undefined))?.parts !== undefined) return [root];
  const courses: string[] = [];
  for (const { path } of entries.filter(isShownFolder)) {
    const within = await tree.list(path);
    if (!(await holdsMarkdown({ tree, folder: path, entries: within }, MAX_DEPTH))) continue;
    const isDescribed = within.some(({ name }) => /^course\.ya?ml$/.test(name));
    if (!isDescribed && within.some((entry) => isPlainLesson(entry, true) && !isIntroduction(entry.name)))
      return [root];
    courses.push(path);
  }
  if (courses.length < 2) return [root];
  reportAboutRepository(tree, entries, report);
  return courses;
}

const NO_PAGES = { allowsIntroduction: true, message: "kept for a builder, as names that begin with _ are" };
const NOT_IN_NAV = { allowsIntroduction: false, message: "not in nav of mkdocs.yml" };

async function readPlain(course: CourseFolder): Promise<Outline> {
  const { tree, folder, report } = course;
  const place = { file: tree.toTypedPath(folder) };
  const reader = new PlainReader(course);
  const site = await readMkdocsSite(tree, folder, report);
  const builder = await new SiteSchedules(tree).findBuilder(folder);
  const nav = site?.parts;
  const parts = nav ?? (await reader.readFolder(folder, course.entries));
  const first = nav !== undefined || parts.some(isSection) ? "Introduction" : toTitle(tree.nameOf(folder));
  const left = await reader.findHeld(nav ?? []);
  const flattening: Flattening =
    nav === undefined
      ? { chapters: "every", loose: { first, place } }
      : { chapters: "every", loose: { first }, leavesOut: (lesson) => left.has(lesson) };
  reader.held.tellDrafts(place, report);
  return {
    fields: new Map([...nameAfterFolder(course, place), ...(site?.fields ?? [])]),
    place: site?.place ?? place,
    parts,
    flattening,
    dialect: builder === undefined ? TEMPLATE_DIALECT : PLAIN_DIALECT,
    prepare: builder && createSiteText(tree, builder),
    adaptFields: reader.adaptFields,
    held: reader.held,
    unlisted: {
      ...(site?.parts === undefined ? NO_PAGES : { ...NOT_IN_NAV, folders: [site.folder] }),
      ownFiles: reader.ownFiles,
      isCounted: true,
      mayBeMeant: (name, path) =>
        !/^(?:_|readme\.)/i.test(name) && !(isAboutRepository(name) && dirname(path) === folder),
    },
  };
}

/** A file or folder with what decides about its place. */
interface PlainItem {
  entry: SourceEntry;
  /** Of a file: its front matter, or that of a folder's introduction. */
  fields: PlacedFields;
  position: number | undefined;
}

class PlainReader {
  /** Files that are no lessons, and told of. */
  readonly ownFiles: string[] = [];
  readonly held: HeldPages;
  readonly #course: CourseFolder;
  readonly #ids = new Map<string, number>();

  constructor(course: CourseFolder) {
    this.#course = course;
    this.held = new HeldPages(course);
  }

  // Elsewhere an id is one within its folder, and means the address of a page.
  readonly adaptFields: AdaptFields = (fields, path, report) => {
    const id = findText(fields, "id");
    if (id !== undefined && ((this.#ids.get(id) ?? 0) > 1 || id.includes("/"))) fields.delete("id");
    adaptPlainFields(fields, path, report);
  };

  /** Its own lessons, then its folders. */
  async readFolder(folder: string, entries: SourceEntry[]): Promise<OutlinePart[]> {
    const { tree, report } = this.#course;
    const order = await this.#readOrder(folder);
    const isRoot = folder === this.#course.folder;
    if (isRoot) this.ownFiles.push(...reportAboutRepository(tree, entries, report));
    const items: PlainItem[] = [];
    for (const entry of entries) {
      if (entry.isFolder ? !isShownFolder(entry) || entry.isLink : !isPlainLesson(entry, isRoot)) continue;
      const item = entry.isFolder ? await this.#readFolderItem(entry) : await this.#readFileItem(entry);
      if (item !== undefined)
        items.push({
          ...item,
          position: order?.get(nameOf(entry)) ?? (order === undefined ? item.position : undefined),
        });
    }
    items.sort(compareItems);
    const files = items.map(({ entry }) => entry).filter(({ isFolder }) => !isFolder);
    const parts: OutlinePart[] = toLessons(tree, files);
    for (const { entry, fields } of items.filter((item) => item.entry.isFolder)) {
      const { path } = entry;
      const name = findText(fields, "title")?.trim() || toTitle(entry.name);
      const inside = await this.readFolder(path, await tree.list(path, report));
      parts.push(createSection(name, { file: tree.toTypedPath(path) }, inside, path));
    }
    return parts;
  }

  /** The pages that are held back, of those that an outline names. */
  async findHeld(parts: readonly OutlinePart[]): Promise<Set<NamedLesson>> {
    const held = new Set<NamedLesson>();
    for (const lesson of listLessons(parts)) {
      if (lesson.file !== undefined && (await this.#readPage(lesson.file)) === undefined) held.add(lesson);
    }
    return held;
  }

  /** Undefined for a page that is held back. */
  async #readFileItem(entry: SourceEntry): Promise<PlainItem | undefined> {
    const fields = await this.#readPage(entry.path);
    return fields && { entry, fields, position: findPosition(fields) };
  }

  /** The front matter of a page; undefined for one that is held back. */
  async #readPage(path: string): Promise<PlacedFields | undefined> {
    const fields = await this.held.readFields(path);
    if (await this.held.holds(path, fields, this.#course.report)) return undefined;
    const id = findText(fields, "id");
    if (id !== undefined) this.#ids.set(id, (this.#ids.get(id) ?? 0) + 1);
    return fields;
  }

  /** What a folder is called, and where it stands, is said in a file of its own or by its introduction. */
  async #readFolderItem(entry: SourceEntry): Promise<PlainItem> {
    const { tree, report } = this.#course;
    const within = await tree.list(entry.path);
    const category = within.find(({ name }) => /^_category_\.(?:json|ya?ml)$/.test(name));
    const introduction = within.find(
      (each) => !each.isFolder && /^_?index\.(?!html$)/i.test(each.name) && isLessonFile(each.name),
    );
    const fields =
      category !== undefined
        ? await readCategory(tree, category.path, report)
        : introduction === undefined
          ? new Map()
          : await this.held.readFields(introduction.path);
    return { entry, fields, position: findPosition(fields) };
  }

  /** The place of each name that an order file lists; undefined where there is none. */
  async #readOrder(folder: string): Promise<Map<string, number> | undefined> {
    const { tree, report } = this.#course;
    const path = join(folder, "order");
    const text =
      (await tree.find(path)) === "file"
        ? ((await tree.readText(path, report)) ?? "")
        : await tree.readDotFile(join(folder, ".order"), report);
    const lines = text?.split(/\r?\n/).map((line) => line.trim());
    const names = lines?.filter((line) => line !== "" && !line.startsWith("#"));
    return names && new Map(names.map((line, index) => [withoutEnding(line), index]));
  }
}

// First the introduction, then by place, by number, by name; what has no place comes last.
function compareItems(a: PlainItem, b: PlainItem): number {
  const first = Number(isFirst(b.entry)) - Number(isFirst(a.entry));
  if (first !== 0) return first;
  const placed =
    compareNumbers(a.position, b.position) || compareNumbers(findNumber(a.entry.name), findNumber(b.entry.name));
  return placed || compareNames(a.entry, b.entry);
}

function compareNumbers(a: number | undefined, b: number | undefined): number {
  if (a === b) return 0;
  return a === undefined ? 1 : b === undefined ? -1 : a - b;
}

function nameOf({ name, isFolder }: SourceEntry): string {
  return isFolder ? name : withoutEnding(name);
}

function withoutEnding(line: string): string {
  const name = basename(line.replace(/\/$/, ""));
  return isLessonFile(name) ? name.slice(0, -extname(name).length) : name;
}
