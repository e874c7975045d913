// Builds the chapters and lessons of a cartridge from its item tree.
import { toPartPath } from "../../../catalog/source-path.ts";
import type { NamedLesson } from "../../lesson-files/lesson-file.ts";
import { toTitle } from "../../lesson-files/lesson-names.ts";
import { cutText } from "../../quote.ts";
import type { Location, ReportFinding } from "../../source.ts";
import { countInto, type TallyEntry } from "../../tally.ts";
import { nameFields, type CourseFolder } from "../format.ts";
import { addName, createSection, listLessons, type OutlinePart, type OutlineSection } from "../outline-tree.ts";
import { composeResource, type CartridgeContext } from "./cartridge-lesson.ts";
import {
  findFirstFile,
  findKind,
  MANIFEST,
  type CartridgeItem,
  type CartridgeResource,
  type Manifest,
} from "./manifest.ts";
import { readTitle } from "./resource-heads.ts";

/** The maximum number of references to one resource, since the resource is read again for each reference. */
const MAX_NAMINGS = 20;
/** The kinds of resources that become lessons if there are no items and are counted if no item refers to them. */
const READ_ALONE = new Set(["page", "link", "topic", "quiz", "assignment"]);

const FOR_INSTRUCTORS = "item for instructors";
const FOR_INSTRUCTORS_PLURAL = "items for instructors";

/** Content that the platform hides from learners. */
interface HiddenParts {
  /** The ids of hidden items. */
  hidden: ReadonlySet<string>;
  /** The ids of unpublished resources that no visible item refers to. */
  unpublished: ReadonlySet<string>;
}

function toPlural(kind: string): string {
  return `${kind === "quiz" ? "quizze" : kind}s`;
}

/** Reads the items of one cartridge and reports how many parts are skipped. */
export class CartridgeReader {
  readonly #tally = new Map<string, TallyEntry>();
  /** The ids of the resources of lessons and of hidden items. */
  readonly #named = new Set<string>();
  /** The number of references to each file, and to each resource without files. */
  readonly #references = new Map<string, number>();
  readonly #used = new Set<string>();
  #lessons = 0;
  /** The headings above the chapter's next lesson. */
  #headings: string[] = [];
  readonly #course: CourseFolder;
  readonly #manifest: Manifest;
  readonly #context: CartridgeContext;
  readonly #unshown: HiddenParts;
  readonly #file: string;

  constructor(course: CourseFolder, manifest: Manifest, context: CartridgeContext, unshown: HiddenParts, file: string) {
    this.#course = course;
    this.#manifest = manifest;
    this.#context = context;
    this.#unshown = unshown;
    this.#file = file;
  }

  async readChapters(): Promise<OutlineSection[]> {
    const { items } = this.#manifest;
    const chapters = items.length === 0 ? await this.#readWithoutItems() : this.#readItems(items);
    this.#countUnnamed();
    const tally = [...this.#tally.values()];
    const message = "holds parts that are counted";
    if (tally.length > 0) {
      this.#course.report({ kind: "counted", file: this.#file, line: 1, message, tally });
    }
    return chapters;
  }

  // Consecutive lessons outside chapters form a chapter, which is named after the heading above them, if any.
  #readItems(items: readonly CartridgeItem[]): OutlineSection[] {
    const chapters: OutlineSection[] = [];
    let loose: OutlineSection | undefined;
    let heading: string | undefined;
    const endLoose = (): void => {
      if (heading !== undefined && loose === undefined) this.#count("empty item", "empty items");
      loose = undefined;
      heading = undefined;
    };
    for (const item of items) {
      if (this.#isHidden(item)) continue;
      if (item.items.length > 0 || item.resource === undefined) {
        endLoose();
        if (item.items.length > 0) chapters.push(this.#readChapter(item));
        else heading = item.title;
        continue;
      }
      const lesson = this.#readLesson(item, []);
      if (lesson === undefined) continue;
      if (loose === undefined) {
        const name = heading || (chapters.length === 0 ? "Introduction" : item.title || "Untitled");
        loose = createSection(name, lesson.place);
        chapters.push(loose);
      }
      loose.parts.push(lesson);
    }
    endLoose();
    return chapters;
  }

  #readChapter(item: CartridgeItem): OutlineSection {
    const chapter = createSection(item.title || "Untitled", { file: this.#file, line: item.line });
    if (item.id !== "") chapter.fields.set("id", { value: item.id, place: chapter.place });
    const own = item.resource === undefined ? undefined : this.#readLesson({ ...item, items: [] }, []);
    if (own !== undefined) chapter.parts.push(own);
    chapter.parts.push(...this.#readParts(item.items, []));
    for (const _ of this.#consumeHeadings()) this.#count("heading without content", "headings without content");
    const [first] = listLessons(chapter.parts);
    // Links such as $CANVAS_OBJECT_REFERENCE$/modules/ID lead to the chapter's first lesson.
    if (first !== undefined) this.#context.urls.add(item.id, this.#relative(first.sourcePath ?? ""));
    return chapter;
  }

  /** Reads the items below a chapter; `path` lists the titles of the items between the chapter and `items`. */
  #readParts(items: readonly CartridgeItem[], path: readonly string[]): OutlinePart[] {
    const parts: OutlinePart[] = [];
    for (const item of items) {
      if (this.#isHidden(item)) continue;
      const { title, line } = item;
      const lesson = item.resource === undefined && item.items.length > 0 ? undefined : this.#readLesson(item, path);
      const own = lesson === undefined ? [] : [lesson];
      const below = this.#readParts(item.items, title === "" ? path : addName(path, title));
      if (item.items.length === 0) parts.push(...own);
      else parts.push(createSection(title || "Untitled", { file: this.#file, line }, [...own, ...below]));
    }
    return parts;
  }

  #consumeHeadings(): string[] {
    const headings = this.#headings;
    this.#headings = [];
    return headings;
  }

  /**
   * Reads an item's lesson. Returns undefined for a heading, which becomes part of the next lesson, and for an item
   * whose problem is reported.
   */
  #readLesson(item: CartridgeItem, path: readonly string[]): NamedLesson | undefined {
    const place = { file: this.#file, line: item.line };
    if (item.resource === undefined) {
      this.#headings.push(item.title);
      return undefined;
    }
    const resource = this.#manifest.resources.get(item.resource);
    if (resource === undefined) {
      const message = `item "${cutText(item.title)}" refers to resource ${cutText(item.resource)}, which is missing from the manifest`;
      this.#course.report({ kind: "missing-part", ...place, message });
      this.#count("item without a resource", "items without a resource");
      return undefined;
    }
    if (!this.#mayRead(resource, place)) return undefined;
    const file = this.#context.urls.findFile(findFirstFile(resource) ?? "");
    const title = item.title || toTitle(file?.slice(file.lastIndexOf("/") + 1) ?? "Untitled");
    return this.#toLesson(resource, file, [...path, title].join(": "), { id: item.id, place, title });
  }

  /** Counts a reference to a resource's file. Beyond the limit, reports the reference and returns false. */
  #mayRead(resource: CartridgeResource, place: Location): boolean {
    const file = this.#context.urls.findFile(findFirstFile(resource) ?? "") ?? resource.id;
    const references = (this.#references.get(file) ?? 0) + 1;
    this.#references.set(file, references);
    if (references <= MAX_NAMINGS) return true;
    const message = `refers to resource ${cutText(resource.id)} again and is skipped: the limit is ${MAX_NAMINGS} references to a file`;
    this.#course.report({ kind: "clash", ...place, message });
    return false;
  }

  #toLesson(
    resource: CartridgeResource,
    file: string | undefined,
    name: string,
    { id, place, title }: { id: string; place: Location; title: string },
  ): NamedLesson {
    this.#named.add(resource.id);
    // A link to the file points to the file itself, so the lesson around the file has another path.
    const isFile = findKind(resource) === "file" && file !== undefined;
    const whole = isFile ? toPartPath(file, "item") : (file ?? toPartPath(MANIFEST, resource.id));
    // A platform can show a page twice: the second lesson needs a path of its own.
    const relative = this.#used.has(whole) ? toPartPath(whole, id) : whole;
    this.#used.add(relative);
    const number = ++this.#lessons;
    const headings = this.#consumeHeadings();
    for (const each of [resource.id, id]) this.#context.urls.add(each, relative);
    return {
      file: undefined,
      sourcePath: this.#context.toPath(relative),
      fields: nameFields(name, place),
      place,
      compose: async (report) => {
        const fields = await composeResource(resource, { title, headings }, this.#context, report);
        // Which files are unused is known only after the last lesson.
        if (number === this.#lessons) this.#reportUnusedFiles(report);
        return fields;
      },
    };
  }

  // Resources become lessons if there are no items, as in a cartridge that contains only quizzes.
  async #readWithoutItems(): Promise<OutlineSection[]> {
    const chapter = createSection("Introduction", { file: this.#file, line: 1 });
    for (const resource of this.#manifest.resources.values()) {
      const kind = findKind(resource);
      if (!READ_ALONE.has(kind)) continue;
      if (resource.isForInstructors || this.#unshown.unpublished.has(resource.id)) {
        this.#named.add(resource.id);
        if (resource.isForInstructors) this.#count(FOR_INSTRUCTORS, FOR_INSTRUCTORS_PLURAL);
        else this.#count(`unpublished ${kind}`, `unpublished ${toPlural(kind)}`);
        continue;
      }
      const place = { file: this.#file, line: resource.line };
      if (!this.#mayRead(resource, place)) continue;
      const file = this.#context.urls.findFile(findFirstFile(resource) ?? "");
      const named = toTitle(file?.slice(file.lastIndexOf("/") + 1) ?? resource.id) || "Untitled";
      const name = (await readTitle(resource, this.#context)) ?? named;
      chapter.parts.push(this.#toLesson(resource, file, name, { id: resource.id, place, title: name }));
    }
    return [chapter];
  }

  #isHidden(item: CartridgeItem): boolean {
    const isHidden = !item.isVisible || this.#unshown.hidden.has(item.id);
    const resource = item.resource === undefined ? undefined : this.#manifest.resources.get(item.resource);
    const isForInstructors = resource?.isForInstructors === true && item.items.length === 0;
    if (isHidden) this.#count("unpublished item", "unpublished items");
    else if (isForInstructors) this.#count(FOR_INSTRUCTORS, FOR_INSTRUCTORS_PLURAL);
    else return false;
    this.#nameHidden(item);
    return true;
  }

  // Marks the resources of a hidden item and of its children: the item and its children count as one item.
  #nameHidden({ resource, items }: CartridgeItem): void {
    if (resource !== undefined) this.#named.add(resource);
    for (const each of items) this.#nameHidden(each);
  }

  #countUnnamed(): void {
    for (const resource of this.#manifest.resources.values()) {
      if (this.#named.has(resource.id)) continue;
      const kind = findKind(resource);
      if (READ_ALONE.has(kind)) this.#count(`${kind} without an item`, `${toPlural(kind)} without an item`);
    }
  }

  #reportUnusedFiles(report: ReportFinding): void {
    const { resources } = this.#manifest;
    const owned = new Set(Array.from(resources.values(), ({ dependencies }) => dependencies).flat());
    const unused = [...resources.values()].filter((resource) => {
      const file = this.#context.urls.findFile(findFirstFile(resource) ?? "");
      if (findKind(resource) !== "file" || file === undefined || file.startsWith("course_settings/")) return false;
      return !this.#named.has(resource.id) && !owned.has(resource.id) && !this.#context.urls.used.has(file);
    });
    if (unused.length === 0) return;
    const what = "unused file";
    const tally = [{ what, plural: "unused files", count: unused.length, isKept: false }];
    report({ kind: "counted", file: this.#file, line: 1, message: what, tally });
  }

  #count(what: string, plural: string): void {
    countInto(this.#tally, { what, plural, isKept: false });
  }

  #relative(path: string): string {
    return this.#course.folder === "." ? path : path.slice(this.#course.folder.length + 1);
  }
}
