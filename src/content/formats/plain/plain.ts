// Reads plain folders of Markdown: folders are chapters, and files are lessons, in the order that site builders use.
import { dirname } from "node:path/posix";
import type { SourceEntry, SourceTree } from "../../files/source-tree.ts";
import { MARKDOWN, type MarkdownDialect } from "../../markdown/dialects.ts";
import type { AdaptFields, NamedLesson } from "../../lesson-files/lesson-file.ts";
import {
  isAboutRepository,
  isIntroduction,
  isLessonFile,
  toTitle,
  isPlainLesson,
  isShownFolder,
} from "../../lesson-files/lesson-names.ts";
import { isAlphabetical, sortItems, type PlainItem, readOrderFile, readPagesFile } from "./order-files.ts";
import { addContainerRules } from "../../markdown/rules/containers.ts";
import { addDefinitionListRule } from "../../markdown/rules/definition-lists.ts";
import { addQuotationAttributeRule } from "../../markdown/rules/quotation-attributes.ts";
import { adaptPlainFields, findPosition, readCategory } from "./plain-fields.ts";
import { addTemplateRules } from "./plain-rules.ts";
import { createSiteText } from "./template-tags.ts";
import { findText, type PlacedFields } from "../../resolve/placed-value.ts";
import { listFirst } from "../../quote.ts";
import type { ReportFinding } from "../../source.ts";
import { HeldPages } from "../held-pages.ts";
import { isUsuallyLeftOut, LeftOutFolders } from "../left-out-folders.ts";
import { ListedOrders, nameAfterReadme } from "../listed-order.ts";
import { type Schedule, SiteSchedules } from "../site-builders.ts";
import { readMkdocsSite } from "../mkdocs-site.ts";
import type { MkdocsSite } from "../mkdocs/mkdocs-nav.ts";
import { toLessons } from "../numbers.ts";
import { createSection, isSection, listLessons, type Flattening, type OutlinePart } from "../outline-tree.ts";
import { reportAboutRepository } from "../unused-files.ts";
import {
  nameAfterFolder,
  nameFields,
  type CourseFolder,
  type Outline,
  type OutlineFolder,
  type Format,
  type IsKnown,
} from "../format.ts";

const SITE_RULES = [addContainerRules, addQuotationAttributeRule, addDefinitionListRule];
/** CommonMark with the extensions of site builders. */
const PLAIN_DIALECT: MarkdownDialect = {
  ...MARKDOWN,
  containers: { details: new Set(["details"]), hasTitles: false },
  rules: SITE_RULES,
};
const TEMPLATE_DIALECT: MarkdownDialect = { ...PLAIN_DIALECT, rules: [...SITE_RULES, addTemplateRules] };
const MAX_DEPTH = 2000;

/** The last fallback: any Markdown files. */
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

/** Lists the courses in `root`: the root itself, unless it contains only folders whose own folders contain lessons. */
async function listPlainCourses(
  tree: SourceTree,
  root: string,
  report: ReportFinding,
  isKnown: IsKnown,
): Promise<string[]> {
  const entries = await tree.list(root);
  if (entries.some((entry) => isPlainLesson(entry, true) && !isIntroduction(entry.name))) return [root];
  if ((await readMkdocsSite(tree, root, () => undefined))?.readNav !== undefined) return [root];
  const courses: string[] = [];
  const mayBeCourse = (entry: SourceEntry): boolean =>
    isShownFolder(entry) && (!isUsuallyLeftOut(entry) || isKnown(entry.path));
  for (const { path } of entries.filter(mayBeCourse)) {
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

const NO_PAGES = { allowsIntroduction: true, message: "reserved for a site builder by a leading _" };
const NOT_IN_NAV = { allowsIntroduction: false, message: "not in nav of mkdocs.yml" };

async function readPlain(course: CourseFolder): Promise<Outline> {
  const { tree, folder, report } = course;
  const place = { file: tree.toTypedPath(folder) };
  const reader = new PlainReader(course);
  const site = await readMkdocsSite(tree, folder, report);
  const sites = SiteSchedules.of(tree);
  const builder = await sites.findBuilder(folder);
  reader.pages = site?.folder ?? folder;
  reader.held.excludes = site?.excludes ?? (await sites.findExcluded(folder, report));
  const nav = await site?.readNav?.(async (path) => reader.readFolder(path, await tree.list(path, report)));
  const parts = nav ?? (await reader.readFolder(folder, course.entries));
  const first = nav !== undefined || parts.some(isSection) ? "Introduction" : toTitle(tree.nameOf(folder));
  const left = await reader.findHeld(nav ?? []);
  const flattening: Flattening =
    nav === undefined
      ? { chapters: "every", loose: { first, place } }
      : { chapters: "every", loose: { first }, leavesOut: (lesson) => left.has(lesson) };
  reader.held.reportDrafts(place, report);
  reader.leftOut.report();
  reader.reportAlphabetical();
  const named = await nameAfterReadme(course, place, reader.orders);
  const hasName = site?.fields.has("name") === true;
  return {
    fields: new Map([...(hasName ? nameAfterFolder(course, place) : named), ...(site?.fields ?? [])]),
    place: site?.place ?? place,
    parts,
    flattening,
    ...describeText(tree, site, builder),
    adaptFields: reader.adaptFields,
    held: reader.held,
    unlisted: {
      ...(site?.readNav === undefined ? NO_PAGES : { ...NOT_IN_NAV, folders: [site.folder] }),
      ownFiles: reader.ownFiles,
      leftOut: reader.leftOut.paths,
      isCounted: true,
      mayBeMeant: (name, path) =>
        !/^(?:_|readme\.)/i.test(name) && !(isAboutRepository(name) && dirname(path) === folder),
    },
  };
}

/** Returns the dialect of the pages, and the function that prepares their text. */
function describeText(
  tree: SourceTree,
  site: MkdocsSite | undefined,
  builder: Schedule["builder"] | undefined,
): Pick<Outline, "dialect" | "prepare"> {
  if (builder !== undefined)
    return {
      dialect: { ...PLAIN_DIALECT, hasPageFolders: builder === "Hugo" },
      prepare: createSiteText(tree, builder),
    };
  return site?.describeText(TEMPLATE_DIALECT) ?? { dialect: TEMPLATE_DIALECT };
}

class PlainReader {
  /** Files that are not lessons and have been reported. */
  readonly ownFiles: string[] = [];
  /** The folder of the pages: the course's, or a site's. */
  pages = ".";
  readonly held: HeldPages;
  readonly orders: ListedOrders;
  readonly leftOut: LeftOutFolders;
  readonly #alphabetical: string[] = [];
  /** The folders without lessons. */
  readonly #empty = new Set<string | undefined>();
  /** Titles of folders and pages, from order files. */
  readonly #titles = new Map<string, string>();
  readonly #course: CourseFolder;
  readonly #ids = new Map<string, number>();

  constructor(course: CourseFolder) {
    this.#course = course;
    this.held = new HeldPages(course);
    this.leftOut = new LeftOutFolders(course);
    this.orders = new ListedOrders(course, (entry) => this.#isShown(entry));
  }

  // Drops ids that cannot identify a lesson: site builders use ids in URLs, so ids can be equal in two folders.
  readonly adaptFields: AdaptFields = (fields, path, report) => {
    const id = findText(fields, "id");
    if (id !== undefined && ((this.#ids.get(id) ?? 0) > 1 || id.includes("/"))) fields.delete("id");
    adaptPlainFields(fields, path, report);
  };

  /** Reads a folder's own lessons, then its subfolders. */
  async readFolder(folder: string, entries: SourceEntry[]): Promise<OutlinePart[]> {
    const { tree, report } = this.#course;
    const isRoot = folder === this.#course.folder;
    if (isRoot) this.ownFiles.push(...reportAboutRepository(tree, entries, report));
    const found: PlainItem[] = [];
    for (const entry of await this.leftOut.withoutLinks(entries)) {
      if (entry.isFolder ? !(await this.#isShown(entry)) : !isPlainLesson(entry, isRoot)) continue;
      const item = entry.isFolder ? await this.#readFolderItem(entry) : await this.#readFileItem(entry);
      if (item !== undefined) found.push(item);
    }
    const { items, isOpen } = await this.#sort(folder, entries, found);
    const files = items.map(({ entry }) => entry).filter(({ isFolder }) => !isFolder);
    const parts: OutlinePart[] = toLessons(tree, files).map((lesson) => {
      const title = this.#titles.get(lesson.file ?? "");
      return title === undefined ? lesson : { ...lesson, fields: nameFields(title, lesson.place) };
    });
    for (const { entry, fields } of items.filter((item) => item.entry.isFolder)) {
      const { path } = entry;
      const inside = await this.readFolder(path, await tree.list(path, report));
      // The site's own folder is not a section: its entries are at the top level.
      const isBase = `${this.pages}/`.startsWith(`${path}/`);
      const ownName = isBase ? "Introduction" : toTitle(entry.name);
      const name = this.#titles.get(path) || findText(fields, "title")?.trim() || ownName;
      parts.push({ ...createSection(name, { file: tree.toTypedPath(path) }, inside, path), isBase });
      if (inside.every((part) => isSection(part) && this.#empty.has(part.folder))) this.#empty.add(path);
    }
    if (isOpen && isAlphabetical(items.filter(({ entry }) => !this.#empty.has(entry.path))))
      this.#alphabetical.push(folder);
    return parts;
  }

  /** Sorts by an order file, or else by positions, the list in an introduction, numbers and names. */
  async #sort(
    folder: string,
    entries: SourceEntry[],
    found: readonly PlainItem[],
  ): Promise<{ items: PlainItem[]; isOpen: boolean }> {
    const { tree, report } = this.#course;
    const order = await readOrderFile(tree, folder, report);
    const { title, placeOf, titleOf } = order === undefined ? await readPagesFile(tree, folder, report) : {};
    if (title !== undefined && !this.#titles.has(folder)) this.#titles.set(folder, title);
    for (const { entry } of found) {
      const given = titleOf?.(entry);
      if (given !== undefined) this.#titles.set(entry.path, given);
    }
    const place = order ?? placeOf;
    if (place !== undefined)
      return { items: sortItems(found.map((item) => ({ ...item, position: place(item.entry) }))), isOpen: false };
    const rankOf = found.length > 1 ? await this.orders.find(folder, entries) : undefined;
    return { items: sortItems(found, rankOf), isOpen: rankOf === undefined };
  }

  /** Reports folders in alphabetical order in one line. */
  reportAlphabetical(): void {
    const { tree, folder, report } = this.#course;
    if (this.#alphabetical.length === 0) return;
    const message = `the order is alphabetical in ${listFirst(this.#alphabetical)}: number the names, or link to most lessons from a README`;
    report({ kind: "no-order", file: tree.toTypedPath(folder), message });
  }

  async #isShown(entry: SourceEntry): Promise<boolean> {
    return this.leftOut.isShown(entry, this.orders);
  }

  /** Finds held-back pages in an outline. */
  async findHeld(parts: readonly OutlinePart[]): Promise<Set<NamedLesson>> {
    const held = new Set<NamedLesson>();
    for (const lesson of listLessons(parts)) {
      if (lesson.file !== undefined && (await this.#readPage(lesson.file)) === undefined) held.add(lesson);
    }
    return held;
  }

  /** Returns a file with its sort keys; undefined for a held-back page. */
  async #readFileItem(entry: SourceEntry): Promise<PlainItem | undefined> {
    const fields = await this.#readPage(entry.path);
    return fields && { entry, fields, position: findPosition(fields) };
  }

  /** Returns a page's front matter; undefined for a held-back page. */
  async #readPage(path: string): Promise<PlacedFields | undefined> {
    const fields = await this.held.readFields(path);
    if (await this.held.holds(path, fields, this.#course.report)) return undefined;
    const id = findText(fields, "id");
    if (id !== undefined) this.#ids.set(id, (this.#ids.get(id) ?? 0) + 1);
    return fields;
  }

  /** Returns a folder with its sort keys, from a category file or from its introduction. */
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
}
