// Orders lessons by the links in introductions. A folder follows a list of links that includes most of its lessons.
import { toSlug } from "../../catalog/complete-course.ts";
import { basename, dirname, join } from "node:path/posix";
import type { SourceEntry, SourceTree } from "../files/source-tree.ts";
import { isIntroduction, toTitle, isPlainLesson } from "../lesson-files/lesson-names.ts";
import type { PlacedFields } from "../resolve/placed-value.ts";
import type { Location } from "../source.ts";
import { nameFields, type OutlineFolder } from "./format.ts";
import { isPageLink, isRelativeUrl } from "../html/links.ts";
import { toPlainText } from "../html/plain-text.ts";
import { readHtml } from "../html/read-html.ts";
import { splitFrontMatter } from "../lesson-files/front-matter.ts";
import { findLessonFormat } from "../lesson-files/lesson-formats.ts";
import { UnreadableText } from "../limits.ts";
import { MARKDOWN } from "../markdown/dialects.ts";
import { cutText } from "../quote.ts";

/** Returns a path's rank in a list; undefined for an unlisted path. */
export type RankOf = (path: string) => number | undefined;

/** Resolves with true for a folder to search for lessons. */
type IsShown = (entry: SourceEntry) => Promise<boolean>;

/** Sorts a folder's entries by a list; unlisted entries come last. */
export function sortByList(entries: readonly SourceEntry[], rankOf: RankOf | undefined): readonly SourceEntry[] {
  const ranks = entries.flatMap(({ path }) => rankOf?.(path) ?? []);
  if (isAscending(ranks)) return entries;
  const placeOf = ({ path }: SourceEntry): number => rankOf?.(path) ?? Infinity;
  // The difference of two unlisted entries, Infinity - Infinity, is NaN.
  return entries.toSorted((a, b) => placeOf(a) - placeOf(b) || 0);
}

/** Returns true if the entries already follow the list's order; unlisted entries then keep their positions. */
export function isAscending(ranks: readonly number[]): boolean {
  return ranks.every((rank, index) => index === 0 || rank >= (ranks[index - 1] ?? 0));
}

/** Returns true for a translated introduction, such as `README.fr.md`, which has no rank. */
export function isOtherIntroduction(name: string): boolean {
  return /^(?:readme|index)[._-].+\.[a-z]+$/i.test(name);
}

/** The introductions of one course, which can name the course and order its folders. */
export class ListedOrders {
  readonly #course: OutlineFolder;
  readonly #isShown: IsShown;
  #root: Promise<Introduction[]> | undefined;
  #rootLists: Promise<NamedLessons[]> | undefined;
  #lessons: Promise<CountedLessons> | undefined;
  /** All folders above the link targets in the root's introductions. */
  #linked: Set<string> | undefined;

  constructor(course: OutlineFolder, isShown: IsShown) {
    this.#course = course;
    this.#isShown = isShown;
  }

  /** Returns the course's name from its README, if any. */
  async findName(): Promise<string | undefined> {
    const readmes = (await this.#readRoot()).filter(({ path }) => isReadme(basename(path)));
    return readmes.find(({ heading }) => heading !== undefined)?.heading;
  }

  /** Returns true if an introduction of the course, or one in the folder's own parent, links into the folder. */
  async linksInto({ path }: SourceEntry): Promise<boolean> {
    const { tree, folder } = this.#course;
    const around = dirname(path);
    const linked = (this.#linked ??= listFolders(await this.#readRoot()));
    if (linked.has(path.normalize("NFC"))) return true;
    if (around === folder) return false;
    return listFolders(await this.#read(await tree.list(around))).has(path.normalize("NFC"));
  }

  /** Returns a folder's order from the root's introductions or from the folder's own; undefined if it has no order. */
  async find(folder: string, entries: readonly SourceEntry[]): Promise<RankOf | undefined> {
    const root = this.#course.folder;
    const namesMost = (list: NamedLessons): boolean => list.namesMost(folder);
    const found = (await (this.#rootLists ??= this.#count(root, this.#readRoot()))).find(namesMost);
    // A single entry beside an introduction needs no order.
    if (found !== undefined || folder === root || entries.length < 3) return found?.rankOf;
    return (await this.#count(folder, this.#read(entries))).find(namesMost)?.rankOf;
  }

  async #readRoot(): Promise<Introduction[]> {
    return (this.#root ??= this.#read(this.#course.entries));
  }

  async #read(entries: readonly SourceEntry[]): Promise<Introduction[]> {
    const { tree, folder } = this.#course;
    const read: Introduction[] = [];
    for (const { path } of listIntroductions(entries)) read.push(await readIntroduction(tree, path, folder));
    return read;
  }

  /** Tries links in lists and tables before all links, since prose can link to the last lesson first. */
  async #count(folder: string, introductions: Promise<Introduction[]>): Promise<NamedLessons[]> {
    const linking = (await introductions).filter(({ links }) => links.length > 0);
    if (linking.length === 0) return [];
    const lessons = await (this.#lessons ??= countLessons(this.#course, this.#isShown));
    return linking.flatMap(({ listed, links }) =>
      [listed, links].map((targets) => new NamedLessons(lessons, folder, targets)),
    );
  }
}

function listFolders(introductions: readonly Introduction[]): Set<string> {
  const folders = new Set<string>();
  for (const link of introductions.flatMap(({ links }) => links)) {
    for (let at = dirname(link); !folders.has(at); at = dirname(at)) folders.add(at);
  }
  return folders;
}

/** A course's lesson files and folders by path, in NFC. */
interface CountedLessons {
  files: Set<string>;
  /** By folder, the number of lessons in and below it, and the number of its own introductions. */
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

/** The lessons that an introduction links to in and below a folder, in the order of the links. */
class NamedLessons {
  readonly #lessons: CountedLessons;
  readonly #ranks = new Map<string, number>();
  /** The number of linked lessons in and below each folder. */
  readonly #named = new Map<string, number>();
  /** The folders and files linked as a whole. */
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

  /** Returns true if most of the folder's lessons are linked, directly or through a folder. */
  namesMost(folder: string): boolean {
    const path = folder.normalize("NFC");
    return (this.#named.get(path) ?? 0) * 2 > (this.#lessons.folders.get(path)?.lessons ?? 0);
  }

  /** Returns the linked lesson file, or the folder of a linked introduction; undefined for other targets. */
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

/** Names a course after its README, or else after its folder. The slug always comes from the folder's name. */
export async function nameAfterReadme(
  { tree, folder }: OutlineFolder,
  place: Location,
  orders: ListedOrders,
): Promise<PlacedFields> {
  const folderName = toTitle(tree.nameOf(folder));
  const name = (await orders.findName()) ?? folderName;
  const fields = nameFields(name, place);
  if (name !== folderName) fields.set("slug", { value: toSlug(folderName), place });
  return fields;
}

interface Introduction {
  path: string;
  /** The first heading, if any. */
  heading: string | undefined;
  /** Link targets in lists and tables, in order, relative to the source root. */
  listed: readonly string[];
  /** All link targets, in order. */
  links: readonly string[];
}

/** The maximum number of links in an introduction; further links are ignored. */
const MAX_LINKS = 20_000;
/** The maximum length of a link target; longer targets are ignored. */
const MAX_PATH = 1000;
const MAX_NAME = 200;
const HEADING = /^h[1-6]$/;
const LISTS = new Set(["ul", "ol", "dl", "table"]);

/** Lists a folder's introductions, a README before an index. */
function listIntroductions(entries: readonly SourceEntry[]): SourceEntry[] {
  const found = entries.filter(({ name, isFolder }) => !isFolder && isIntroduction(name));
  return found.sort((a, b) => Number(isReadme(b.name)) - Number(isReadme(a.name)));
}

/** Returns true for a README, whose heading names the course; the heading of an index often does not. */
function isReadme(name: string): boolean {
  return isIntroduction(name) && /^readme\./i.test(name);
}

/** Reads an introduction, whose faults are reported with its lesson. Paths with a leading `/` start at `root`. */
async function readIntroduction(tree: SourceTree, path: string, root: string): Promise<Introduction> {
  const html = await renderIntroduction(tree, path);
  const listed: string[] = [];
  const links: string[] = [];
  let depth = 0;
  let heading = "";
  let isInHeading = false;
  readHtml(html, {
    isWanted: (_, name) => name === "href",
    onTag({ name: tag, attributes: [{ value } = { value: "" }] }) {
      isInHeading ||= HEADING.test(tag) && heading === "";
      if (LISTS.has(tag)) depth++;
      if (links.length >= MAX_LINKS || !isPageLink({ tag, attribute: "href" }) || !isRelativeUrl(value)) return;
      const target = toPath(value, dirname(path), root);
      if (target === undefined) return;
      links.push(target);
      if (depth > 0) listed.push(target);
    },
    onEndTag(tag) {
      if (LISTS.has(tag) && depth > 0) depth--;
      if (!HEADING.test(tag)) return;
      // A heading that contains only an image is empty: the next heading counts.
      heading = toPlainText(heading);
      isInHeading = false;
    },
    onText(start, end) {
      if (isInHeading) heading += html.slice(start, end);
    },
  });
  return { path, heading: heading === "" ? undefined : cutText(toPlainText(heading), MAX_NAME), listed, links };
}

async function renderIntroduction(tree: SourceTree, path: string): Promise<string> {
  const ignore = (): void => undefined;
  const text = await tree.readText(path, ignore);
  const body = text === undefined ? undefined : splitFrontMatter(text, path, tree, ignore)?.body;
  if (body === undefined) return "";
  const given = { name: basename(path), keepsVideo: true, keepsQuestions: true };
  const reading = { language: undefined, framework: undefined, answers: "none" } as const;
  try {
    const options = { limits: tree.limits, dialect: MARKDOWN, ...reading, ...given };
    const render = await findLessonFormat(path)?.load();
    return render?.(body, options).html ?? "";
  } catch (error) {
    if (error instanceof UnreadableText) return "";
    throw error;
  }
}

/** Resolves a relative URL to a path. Returns undefined for an empty, long or malformed URL. */
function toPath(url: string, folder: string, root: string): string | undefined {
  const written = url.replace(/[?#].*$/s, "");
  if (written === "" || written.length > MAX_PATH) return undefined;
  try {
    const path = decodeURIComponent(written);
    const joined = path.startsWith("/") ? join(root, path) : join(folder, path);
    return joined.replace(/(?<=.)\/$/, "").normalize("NFC");
  } catch {
    return undefined;
  }
}
