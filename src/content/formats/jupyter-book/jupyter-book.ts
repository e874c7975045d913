// Reads the outlines of Jupyter Book: `_toc.yml` of version 1 (https://jupyterbook.org/v1/structure/toc.html) and `toc`
// in `myst.yml` of version 2 (https://mystmd.org/guide/table-of-contents).
import { basename, dirname, join } from "node:path/posix";
import type { SourceTree } from "../../files/source-tree.ts";
import type { NamedLesson } from "../../lesson-files/lesson-file.ts";
import { findPageHeading } from "../../lesson-files/page-heading.ts";
import { isLessonFile, toTitle } from "../../lesson-files/lesson-names.ts";
import { MARKDOWN, type MarkdownDialect } from "../../markdown/dialects.ts";
import { cutText } from "../../quote.ts";
import { findText, type PlacedFields, type PlacedValue } from "../../resolve/placed-value.ts";
import type { Location } from "../../source.ts";
import { findFile, nameAfterFolder, type CourseFolder, type Format, type Outline } from "../format.ts";
import { findNamedFile, readYaml } from "../read-files.ts";
import { createSection, isSection, TOP_SECTIONS, type OutlinePart, type OutlineSection } from "../outline-tree.ts";
import { addAttributeRules } from "../../markdown/rules/attributes.ts";
import { addDefinitionListRule } from "../../markdown/rules/definition-lists.ts";
import { findFields, MystFiles } from "./myst-files.ts";
import { addMystRules } from "./myst-rules.ts";

const TOC = ["_toc.yml", "_toc.yaml"] as const;
const MYST = ["myst.yml", "myst.yaml"] as const;
const ENDINGS = [".ipynb", ".md", ".html"];
const MAX_DEPTH = 30;
/** The maximum number of patterns, since each is compared with all pages in a folder. */
const MAX_PATTERNS = 1000;
/** A pattern counts once more for every so many entries of its folder. */
const ENTRIES_PER_PATTERN = 2000;

const MYST_DIALECT: MarkdownDialect = {
  ...MARKDOWN,
  hasTexMath: true,
  hasSpacedMath: true,
  hasTexEnvironments: true,
  readsCells: true,
  hasLabels: true,
  rules: [addDefinitionListRule, addAttributeRules, addMystRules],
};

/** A Jupyter Book of either version. */
export const jupyterBook: Format = {
  async detect({ tree, entries }) {
    const toc = findFile(entries, ...TOC);
    const text = toc && (await tree.readText(toc.path, () => undefined));
    if (text !== undefined && /^(?:- )?(?:root|file|format)[ \t]*:/m.test(text)) return toc?.path;
    const myst = findFile(entries, ...MYST);
    const config = myst && (await tree.readText(myst.path, () => undefined));
    return config !== undefined && /^[ \t]+toc[ \t]*:/m.test(config) ? myst?.path : undefined;
  },
  outline: readBook,
};

async function readBook(course: CourseFolder, path: string): Promise<Outline | undefined> {
  const { tree, report } = course;
  const parsed = await readYaml(tree, path, report);
  if (parsed === undefined) return undefined;
  const place = { file: tree.toTypedPath(path), line: 1 };
  const project = parsed.value instanceof Map ? parsed.value.get("project") : undefined;
  const isMyst = project?.value instanceof Map;
  const about = isMyst ? (project.value as PlacedFields) : await readConfig(course);
  const fields = nameAfterFolder(course, place);
  take(about, "title", fields, "name");
  take(about, "description", fields, "description");
  const reader = new TocReader(course, dirname(path));
  const files = new MystFiles(tree, dirname(path), findFields(about, "parse", "myst_substitutions") ?? new Map());
  const parts = isMyst ? await reader.readMyst(about.get("toc")) : await reader.readToc(parsed);
  return {
    fields,
    place,
    parts,
    flattening: { ...TOP_SECTIONS, qualifiesNames: true },
    dialect: MYST_DIALECT,
    prepare: files.prepare.bind(files),
    adaptFields: files.takeFields.bind(files),
    unlisted: { allowsIntroduction: true, isCounted: true, ownFiles: files.pages, message: `not in ${basename(path)}` },
  };
}

function take(from: PlacedFields, name: string, to: PlacedFields, as: string): void {
  const field = from.get(name);
  if (field !== undefined && findText(from, name)?.trim()) to.set(as, field);
}

// Reads `_config.yml` of version 1. Without this file, the book is named after its folder.
async function readConfig({ tree, entries }: CourseFolder): Promise<PlacedFields> {
  const config = findFile(entries, "_config.yml", "_config.yaml");
  const parsed = config && (await readYaml(tree, config.path, () => undefined));
  return parsed?.value instanceof Map ? parsed.value : new Map();
}

class TocReader {
  readonly #course: CourseFolder;
  readonly #tree: SourceTree;
  readonly #folder: string;
  readonly #known = new Set<string>();
  #patterns = 0;

  constructor(course: CourseFolder, folder: string) {
    this.#course = course;
    this.#tree = course.tree;
    this.#folder = folder;
  }

  /** The first page introduces the book. Parts become chapters, and so do top-level pages with sections. */
  async readToc(toc: PlacedValue): Promise<OutlinePart[]> {
    // Before version 0.11, the file was a list that began with the first page.
    const isList = Array.isArray(toc.value);
    const book: PlacedFields = toc.value instanceof Map ? toc.value : new Map();
    const first = isList ? undefined : await this.#findPage(book, "root", "Introduction", toc.place);
    const parts = book.get("parts")?.value;
    const chapters: OutlinePart[] = [];
    if (Array.isArray(parts)) {
      for (const [index, { value, place }] of parts.entries()) {
        if (!(value instanceof Map)) continue;
        const name = findText(value, "caption")?.trim() || `Part ${index + 1}`;
        chapters.push(
          createSection(name, place, await this.#readItems(value.get("chapters") ?? value.get("sections"), name)),
        );
      }
    }
    const listed = isList ? toc : (book.get("chapters") ?? book.get("sections"));
    chapters.push(...(await this.#readItems(listed)));
    return this.#introduce(first === undefined ? chapters : [first, ...chapters], toc.place);
  }

  async readMyst(toc: PlacedValue | undefined): Promise<OutlinePart[]> {
    return this.#introduce(await this.#readItems(toc), toc?.place ?? { file: this.#tree.toTypedPath(this.#folder) });
  }

  /** Groups consecutive pages outside sections into chapters. */
  #introduce(parts: OutlinePart[], place: Location): OutlinePart[] {
    const grouped: OutlinePart[] = [];
    let loose: OutlineSection | undefined;
    for (const part of parts) {
      if (isSection(part)) {
        loose = undefined;
        grouped.push(part);
        continue;
      }
      if (loose === undefined) {
        const name = grouped.length === 0 ? "Introduction" : (findText(part.fields, "name") ?? toPageTitle(part));
        grouped.push((loose = createSection(name, part.place ?? place)));
      }
      loose.parts.push(part);
    }
    return grouped;
  }

  async #readItems(list: PlacedValue | undefined, chapter = "Introduction", depth = 0): Promise<OutlinePart[]> {
    if (list === undefined) return [];
    if (depth > MAX_DEPTH) {
      const message = `sections can be nested at most ${MAX_DEPTH} deep`;
      this.#course.report({ kind: "too-large", ...list.place, message });
      return [];
    }
    if (!Array.isArray(list.value)) {
      this.#course.report({
        kind: "wrong-value",
        ...list.place,
        message: "the pages must be a list, such as - file: intro",
      });
      return [];
    }
    const parts: OutlinePart[] = [];
    for (const { value, place } of list.value) {
      if (value instanceof Map) parts.push(...(await this.#readItem(value, place, chapter, depth)));
      else
        this.#course.report({ kind: "wrong-value", ...place, message: "an entry must be a page, such as file: intro" });
    }
    return parts;
  }

  async #readItem(item: PlacedFields, place: Location, chapter: string, depth: number): Promise<OutlinePart[]> {
    if (findText(item, "hidden") === "true") return [];
    const pattern = findText(item, "glob") ?? findText(item, "pattern");
    if (pattern !== undefined) return this.#listMatching(pattern, place);
    if (item.has("url")) return this.#skipSite(item, place);
    const page = item.has("file") ? await this.#findPage(item, "file", chapter, place) : undefined;
    const nested = item.get("sections") ?? item.get("children") ?? item.get("chapters");
    const title = findText(item, "title")?.trim() || findText(item, "part")?.trim();
    const below = await this.#readItems(nested, title ?? chapter, depth + 1);
    if (nested === undefined) return page === undefined ? [] : [page];
    const name = title ?? (await this.#titleOf(page));
    const section = createSection(name ?? "Untitled", place, page === undefined ? below : [page, ...below]);
    return section.parts.length === 0 ? [] : [section];
  }

  async #titleOf(page: NamedLesson | undefined): Promise<string | undefined> {
    if (page?.file === undefined) return undefined;
    return (await findPageHeading(this.#tree, page.file)) ?? toPageTitle(page);
  }

  async #findPage(
    item: PlacedFields,
    field: string,
    chapter: string,
    place: Location,
  ): Promise<NamedLesson | undefined> {
    const name = findText(item, field)?.trim() ?? "";
    if (name === "") return undefined;
    const title = item.get("title");
    const at = item.get(field)?.place ?? place;
    const [tree, folder] = [this.#tree, this.#folder];
    const named = { name, chapter, courseFolder: folder, folder, endings: ENDINGS, place: at, isOptional: true };
    const file = await findNamedFile(tree, named, this.#course.report);
    if (file === undefined || this.#known.has(file)) return undefined;
    this.#known.add(file);
    return { file, fields: title === undefined ? new Map() : new Map([["name", title]]), place: at };
  }

  async #listMatching(pattern: string, place: Location): Promise<NamedLesson[]> {
    if (++this.#patterns > MAX_PATTERNS) {
      const message = `"${cutText(pattern)}" exceeds the limit of 1,000 patterns`;
      this.#course.report({ kind: "too-large", ...place, message });
      return [];
    }
    const folder = join(this.#folder, dirname(pattern));
    const matcher = new Bun.Glob(pattern.slice(pattern.lastIndexOf("/") + 1));
    const entries = (await this.#tree.find(folder)) === "folder" ? await this.#tree.list(folder) : [];
    this.#patterns += Math.floor(entries.length / ENTRIES_PER_PATTERN);
    const files = entries.filter(({ name, path, isFolder }) => {
      const bare = name.replace(/\.[a-z]+$/i, "");
      const isPage = !isFolder && isLessonFile(name) && !this.#known.has(path);
      return isPage && (matcher.match(name) || matcher.match(bare));
    });
    for (const { path } of files) this.#known.add(path);
    return files.map(({ path }) => ({ file: path, fields: new Map(), place }));
  }

  #skipSite(item: PlacedFields, place: Location): [] {
    const tally = [{ what: "link to another site", plural: "links to other sites", count: 1, isKept: false }];
    const message = `"${cutText(findText(item, "url") ?? "")}" points to another site and is skipped`;
    this.#course.report({ kind: "skipped-part", ...place, message, tally });
    return [];
  }
}

const toPageTitle = ({ file = "" }: NamedLesson): string => toTitle(file.slice(file.lastIndexOf("/") + 1));
