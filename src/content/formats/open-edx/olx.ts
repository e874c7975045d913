// Reads Open edX courses that Studio exported: course.xml contains the chapters, sequentials and units, or points to
// their files.
import { join } from "node:path/posix";
import { MAX_NAME } from "../../../catalog/course-tree.ts";
import { toPartPath } from "../../../catalog/source-path.ts";
import { toPlainText } from "../../html/plain-text.ts";
import { listElements } from "../../html/xml.ts";
import { MARKDOWN } from "../../markdown/dialects.ts";
import type { NamedLesson } from "../../lesson-files/lesson-file.ts";
import { findText, type PlacedFields, type PlacedValue } from "../../resolve/placed-value.ts";
import { reportUnreadable } from "../../source.ts";
import { encodePath } from "../../html/links.ts";
import { listFilesBelow } from "../read-files.ts";
import { readOpening } from "../read-xml.ts";
import { cutText } from "../../quote.ts";
import { countInto, type TallyEntry } from "../../tally.ts";
import {
  addLanguage,
  findFile,
  nameAfterFolder,
  nameFields,
  reportWithoutChapters,
  type CourseFolder,
  type Outline,
  type Format,
} from "../format.ts";
import { TOP_SECTIONS, type OutlinePart, type OutlineSection } from "../outline-tree.ts";
import { CONTAINERS, OlxBlocks, type OlxBlock, type OlxPart } from "./olx-block.ts";
import { readPolicies, type FindPolicy, createFindUnseen, toStart } from "./olx-policy.ts";
import { composeUnit, type UnitContext } from "./olx-unit.ts";
import { OlxUrls } from "./olx-urls.ts";

const COURSE_XML = "course.xml";
/** The elements that group units in a chapter; `section` is the older name. */
const SEQUENTIALS = new Set(["sequential", "section"]);

/** An Open edX export. */
export const olx: Format = {
  async detect({ tree, entries }) {
    const path = findFile(entries, COURSE_XML)?.path;
    if (path === undefined) return undefined;
    return /<course[\s>/]/.test((await readOpening(tree, path)).slice(0, 4096)) ? path : undefined;
  },
  outline: readOlx,
};

async function readOlx(course: CourseFolder, path: string): Promise<Outline | undefined> {
  try {
    return await readExport(course, path);
  } catch (error) {
    return reportUnreadable(error, { file: course.tree.toTypedPath(path) }, course.report);
  }
}

async function readExport(course: CourseFolder, path: string): Promise<Outline | undefined> {
  const { tree, folder, report } = course;
  // Readers can download only static/, since other files contain answers and keys.
  tree.restrictGiven(folder, (file) => file.startsWith("static/"));
  const blocks = new OlxBlocks(tree, folder, report);
  const pointer = await blocks.readFile(path);
  const root = pointer && (await blocks.read({ element: pointer.element, parent: pointer }));
  if (root === undefined) return undefined;
  // If an export names no run, its policies are in the folder of the run `course`.
  const run = root.id === "" ? "course" : root.id;
  const policyPaths = [`policies/${run}/policy.json`, `policies/${run}.json`].map((each) => blocks.toPath(each));
  const findPolicy = await readPolicies(tree, policyPaths, report);
  if (findPolicy === undefined) return undefined;
  const assetsPath = blocks.toPath("policies/assets.json");
  const assets = (await tree.find(assetsPath)) === "file" ? await tree.readText(assetsPath, report) : undefined;
  const urls = new OlxUrls(await listFilesBelow(tree, join(folder, "static")), assets);
  const fields = await readCourseFields(course, root, findPolicy, urls);
  const unit: UnitContext = {
    tree,
    blocks,
    urls,
    titleOf: (block) => findName(block, findPolicy),
    findUnseen: createFindUnseen(findPolicy, root, course.now()),
    answers: course.answers,
    language: findText(fields, "language"),
  };
  const reader = new CourseReader(course, unit);
  const parts = await reader.readChapters(root);
  reportWithoutChapters(parts, root.place, report);
  return {
    fields,
    place: root.place,
    parts,
    flattening: TOP_SECTIONS,
    dialect: MARKDOWN,
    unlisted: undefined,
  };
}

async function readCourseFields(
  course: CourseFolder,
  root: OlxBlock,
  findPolicy: FindPolicy,
  urls: OlxUrls,
): Promise<PlacedFields> {
  const { place, element } = root;
  const name = findPolicy(root, "display_name") ?? element.attributes.get("name");
  const fields = name === undefined || name.trim() === "" ? nameAfterFolder(course, place) : nameFields(name, place);
  const start = toStart(findPolicy(root, "start"));
  if (start !== undefined) fields.set("createdAt", { value: start, place });
  // Studio also writes tags with underscores, such as zh_HANS.
  const language = findPolicy(root, "language")?.replaceAll("_", "-");
  if (language !== undefined) addLanguage(fields, "language", language, place, course.report);
  const description = await readDescription(course);
  if (description !== undefined) fields.set("description", description);
  const image = findPolicy(root, "course_image");
  const path = image === undefined ? undefined : urls.findFile(image);
  if (path === undefined) return fields;
  if (course.servesFiles) fields.set("thumbnail", { value: encodePath(path), place });
  else {
    const message = `the course image, ${cutText(path)}, is left out: set --public-url or --asset-base`;
    course.report({ kind: "relative-link", ...place, message });
  }
  return fields;
}

async function readDescription({ tree, folder, report }: CourseFolder): Promise<PlacedValue | undefined> {
  const path = join(folder, "about", "short_description.html");
  if ((await tree.find(path)) !== "file") return undefined;
  const text = await tree.readText(path, report);
  const value = text === undefined ? "" : toPlainText(text);
  return value === "" ? undefined : { value, place: { file: tree.toTypedPath(path) } };
}

// Names a block after its id. If the id was generated, the block is "Untitled".
function nameAfterId({ id }: OlxBlock): string {
  const name = id
    .slice(id.lastIndexOf(":") + 1)
    .replaceAll("_", " ")
    .trim();
  return name === "" || /^[0-9a-f]{32}$/.test(name) ? "Untitled" : name;
}

function findName(block: OlxBlock, findPolicy: FindPolicy): string | undefined {
  const name = findPolicy(block, "display_name")?.trim();
  if (name !== undefined && name !== "") return name;
  return block.tag === "problem" ? undefined : block.element.attributes.get("name");
}

class CourseReader {
  /** The number of hidden blocks by reason. */
  readonly #unseen = new Map<string, TallyEntry>();
  /** The number of units without `url_name`, by file. */
  readonly #unnamed = new Map<string, number>();
  readonly #course: CourseFolder;
  readonly #unit: UnitContext;

  constructor(course: CourseFolder, unit: UnitContext) {
    this.#course = course;
    this.#unit = unit;
  }

  async readChapters(root: OlxBlock): Promise<OutlineSection[]> {
    const chapters: OutlineSection[] = [];
    let pages = 0;
    for (const block of await this.#readChildren(root)) {
      if (block.tag === "chapter") chapters.push(await this.#readChapter(block));
      else if (block.tag !== "wiki") pages++;
    }
    const beside = { what: "page beside the course", plural: "pages beside the course", count: pages, isKept: false };
    const tally = [...this.#unseen.values(), beside].filter(({ count }) => count > 0);
    const message = "has parts that are counted";
    if (tally.length > 0) {
      this.#course.report({ kind: "counted", ...root.place, message, tally });
    }
    return chapters;
  }

  async #readChapter(chapter: OlxBlock): Promise<OutlineSection> {
    const { place } = chapter;
    const parts: OutlinePart[] = [];
    for (const block of await this.#readChildren(chapter)) {
      const isSequential = SEQUENTIALS.has(block.tag);
      const units = isSequential ? await this.#readChildren(block) : [block];
      const lessons: NamedLesson[] = [];
      for (const [index, unit] of units.entries()) {
        const lesson = await this.#readUnit(unit, [chapter, block], units.length);
        // Links such as /courseware/CHAPTER/SEQUENTIAL/2 contain the position of a unit.
        this.#unit.urls.addBlock(`${block.id}/${index + 1}`, this.#relative(lesson.sourcePath ?? ""));
        lessons.push(lesson);
      }
      if (isSequential) parts.push({ fields: this.#nameSection(block), place: block.place, parts: lessons });
      else parts.push(...lessons);
    }
    const fields = this.#nameSection(chapter);
    if (chapter.id !== "") fields.set("id", { value: chapter.id, place });
    return { fields, place, parts };
  }

  #nameSection(block: OlxBlock): PlacedFields {
    return nameFields(this.#unit.titleOf(block) ?? nameAfterId(block), block.place);
  }

  async #readUnit(unit: OlxBlock, [chapter, sequential]: [OlxBlock, OlxBlock], units: number): Promise<NamedLesson> {
    const { place, id, file, isFile } = unit;
    const parts = CONTAINERS.has(unit.tag) ? await this.#listParts(unit) : [{ element: unit.element, parent: unit }];
    const path = isFile ? file : toPartPath(file, id === "" ? this.#nameUnitPart(file) : id);
    const relative = this.#relative(path);
    for (const block of [chapter, sequential, unit]) this.#unit.urls.addBlock(block.id, relative);
    for (const { element } of parts) this.#unit.urls.addBlock(element.attributes.get("url_name") ?? "", relative);
    const fields = nameFields(this.#nameUnit(unit, sequential, units), place);
    if (id !== "") fields.set("id", { value: id, place });
    return {
      file: undefined,
      sourcePath: path,
      fields,
      place,
      compose: (report) => composeUnit(parts, unit, this.#unit, report),
    };
  }

  // Numbers the unnamed units in a file: hand-written courses can omit names.
  #nameUnitPart(file: string): string {
    const number = (this.#unnamed.get(file) ?? 0) + 1;
    this.#unnamed.set(file, number);
    return `unit-${number}`;
  }

  #relative(path: string): string {
    return this.#course.folder === "." ? path : path.slice(this.#course.folder.length + 1);
  }

  // Lists a unit's parts in order, including the parts of nested units.
  async #listParts(unit: OlxBlock, parts: OlxPart[] = []): Promise<OlxPart[]> {
    const { blocks } = this.#unit;
    for (const element of listElements(unit.element)) {
      const part = { element, parent: unit };
      if (!blocks.note(part)) continue;
      const inner = CONTAINERS.has(element.name) ? await blocks.read(part) : undefined;
      if (inner === undefined && !CONTAINERS.has(element.name)) parts.push(part);
      else if (inner !== undefined && this.#isSeen(inner)) await this.#listParts(inner, parts);
    }
    return parts;
  }

  /** Reads the child blocks that everybody can see. */
  async #readChildren(parent: OlxBlock): Promise<OlxBlock[]> {
    const { blocks } = this.#unit;
    const children: OlxBlock[] = [];
    for (const element of listElements(parent.element)) {
      const part = { element, parent };
      const block = blocks.note(part) ? await blocks.read(part) : undefined;
      if (block !== undefined && this.#isSeen(block)) children.push(block);
    }
    return children;
  }

  /** Returns false for a hidden block, and counts it. */
  #isSeen(block: OlxBlock): boolean {
    const unseen = this.#unit.findUnseen(block);
    if (unseen === undefined) return true;
    const { what, plural, releasedAt } = unseen;
    countInto(this.#unseen, { what, plural, isKept: false });
    if (releasedAt !== undefined) this.#reportRelease(block, releasedAt);
    return false;
  }

  #reportRelease({ tag, place }: OlxBlock, releasedAt: string): void {
    const message = `this <${cutText(tag, 40)}> is left out until ${releasedAt}, when Open edX releases it; import the course again then`;
    this.#course.report({ kind: "skipped-part", ...place, message, dueAtMs: Date.parse(releasedAt) });
  }

  #nameUnit(unit: OlxBlock, sequential: OlxBlock, units: number): string {
    const name = this.#unit.titleOf(unit);
    // Cut, since all units of the sequential repeat it, and a longer name is an error.
    const above = sequential === unit ? undefined : this.#unit.titleOf(sequential)?.slice(0, MAX_NAME + 1);
    // Studio names a unit "Unit" or "New Unit" by default.
    const own = name === undefined || /^(?:new )?unit$/i.test(name) ? undefined : name;
    if (units > 1 && above !== undefined && name !== undefined && above !== name) return `${above}: ${name}`;
    return own ?? above ?? name ?? nameAfterId(unit);
  }
}
