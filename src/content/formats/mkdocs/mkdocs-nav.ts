// Reads a site's pages in the order of its configuration: https://www.mkdocs.org/user-guide/configuration/#nav
import { basename, dirname, join, relative } from "node:path/posix";
import { MAX_BYTES, parseIgnoreFile } from "../../files/ignored-files.ts";
import type { SourceTree } from "../../files/source-tree.ts";
import type { NamedLesson } from "../../lesson-files/lesson-file.ts";
import { isLessonFile, toTitle } from "../../lesson-files/lesson-names.ts";
import { findText, toBoolean, type PlacedFields, type PlacedValue } from "../../resolve/placed-value.ts";
import { parseYaml } from "../../resolve/yaml-text.ts";
import { cutText } from "../../quote.ts";
import { toWarnings, type Location, type ReportFinding } from "../../source.ts";
import type { MarkdownDialect } from "../../markdown/dialects.ts";
import { addLanguage, nameFields, type Outline } from "../format.ts";
import { createSection, isSection, type OutlinePart } from "../outline-tree.ts";
import { listTexts, readConfig, type FoundConfig, type MkdocsConfig } from "./mkdocs-config.ts";
import { listNamed, readExtensions } from "./mkdocs-extensions.ts";
import { createMkdocsDialect } from "./mkdocs-rules.ts";
import { createSnippetText } from "./mkdocs-snippets.ts";

/** Reads a folder's pages in their own order. */
export type ReadFolder = (path: string) => Promise<OutlinePart[]>;

export interface MkdocsSite {
  /** The site's name and description, if given. */
  fields: PlacedFields;
  place: Location;
  /** The folder of the site's pages, relative to the source root. */
  folder: string;
  /** Reads pages and sections in the order of `nav`; undefined if the site has no `nav`. */
  readNav: ((readFolder: ReadFolder) => Promise<OutlinePart[]>) | undefined;
  /** Returns true for a page that the site excludes, for example with `exclude_docs` or `draft_docs`. */
  excludes: (path: string) => boolean;
  /** Returns the Markdown dialect of the pages, which extends `base`, and the function that prepares their text. */
  describeText: (base: MarkdownDialect) => Pick<Outline, "dialect" | "prepare">;
}

/** Reads a site's configuration. Returns undefined if the configuration is unreadable or its pages are elsewhere. */
export async function readSite(
  tree: SourceTree,
  found: FoundConfig,
  report: ReportFinding,
): Promise<MkdocsSite | undefined> {
  const warn = toWarnings(report);
  const config = await readConfig(tree, found, report);
  if (config === undefined) return undefined;
  const place = { file: tree.toTypedPath(config.path), line: 1 };
  const fields: PlacedFields = new Map();
  for (const [from, to] of [
    ["site_name", "name"],
    ["site_description", "description"],
  ] as const) {
    const field = config.fields.get(from);
    if (field !== undefined && findText(config.fields, from)?.trim()) fields.set(to, field);
  }
  const theme = config.fields.get("theme")?.value;
  const language = theme instanceof Map ? theme.get("language") : undefined;
  if (typeof language?.value === "string") addLanguage(fields, "theme.language", language.value, language.place, warn);
  const extensions = readExtensions(config);
  const directoryUrls = config.fields.get("use_directory_urls");
  const hasPageFolders = directoryUrls === undefined || toBoolean(directoryUrls) !== false;
  const describeText: MkdocsSite["describeText"] = (base) => ({
    dialect: createMkdocsDialect(base, extensions, hasPageFolders),
    prepare: createSnippetText(tree, { config, extensions }),
  });
  const nav = (await readNavFile(tree, config, warn)) ?? config.fields.get("nav");
  return {
    fields,
    place,
    folder: config.pages,
    excludes: readExcluded(config, report),
    describeText,
    readNav:
      nav?.value === undefined
        ? undefined
        : async (readFolder) => new NavReader(tree, { pages: findNavFolder(config), warn, readFolder }).read(nav),
  };
}

/**
 * Returns the base folder of the paths in `nav`; if each language has a folder, that of the default language.
 * https://ultrabug.github.io/mkdocs-static-i18n/getting-started/quick-start/
 */
function findNavFolder({ fields, pages }: MkdocsConfig): string {
  const [, i18n] = listNamed(fields.get("plugins")?.value).find(([name]) => name === "i18n") ?? [];
  const options = i18n?.value instanceof Map ? i18n.value : new Map();
  if (findText(options, "docs_structure") !== "folder") return pages;
  const languages = options.get("languages")?.value;
  const listed = Array.isArray(languages)
    ? languages.flatMap(({ value }) => (value instanceof Map ? [value] : []))
    : [];
  const main = listed.find((language) => {
    const isDefault = language.get("default");
    return isDefault !== undefined && toBoolean(isDefault) === true;
  });
  const locale = main === undefined ? findText(options, "default_language") : findText(main, "locale");
  return locale === undefined ? pages : join(pages, locale);
}

/** Reads the order in `.nav.yml`, the file of the plugin awesome-nav. This order replaces `nav`. */
async function readNavFile(
  tree: SourceTree,
  { fields, pages }: MkdocsConfig,
  warn: ReportFinding,
): Promise<PlacedValue | undefined> {
  if (!listNamed(fields.get("plugins")?.value).some(([name]) => name === "awesome-nav")) return undefined;
  const path = join(pages, ".nav.yml");
  const text = await tree.readDotFile(path, warn);
  const place = { file: tree.toTypedPath(path), firstLine: 1, source: tree };
  const file = text === undefined ? undefined : parseYaml(text, place, warn)?.value;
  const nav = file instanceof Map ? file.get("nav") : undefined;
  if (!(file instanceof Map) || !Array.isArray(nav?.value)) return undefined;
  const rest = file.get("append_unmatched");
  const addsRest = rest !== undefined && toBoolean(rest) === true;
  return addsRest ? { ...nav, value: [...nav.value, { value: "...", place: rest.place }] } : nav;
}

// A pattern that cannot be used is an error: the pages that it hides would be published.
function readExcluded({ fields, pages, path }: MkdocsConfig, report: ReportFinding): MkdocsSite["excludes"] {
  const [, plugin] = listNamed(fields.get("plugins")?.value).find(([name]) => name === "exclude") ?? [];
  const globs = plugin?.value instanceof Map ? listTexts(plugin.value.get("glob")).map(({ text }) => text) : [];
  const patterns = ["exclude_docs", "draft_docs"].map((name) => findText(fields, name) ?? "");
  // Aliases can repeat a long glob so often that the joined text would not fit into memory.
  let length = 0;
  const end = globs.findIndex((glob) => (length += glob.length) > MAX_BYTES);
  const lines = [...patterns, ...(end === -1 ? globs : globs.slice(0, end + 1))].join("\n");
  const hides = parseIgnoreFile(lines, path, (fault) => report({ ...fault, line: undefined }));
  return (page) => {
    const within = relative(pages, page);
    return within !== "" && !within.startsWith("..") && hides(within, false);
  };
}

/** The maximum number of wildcards and folders in `nav`, since each is compared with all pages in a folder. */
const MAX_PATTERNS = 1000;
/** A pattern counts once more for every so many pages. */
const PAGES_PER_PATTERN = 2000;
/** A folder counts once more for every so many pages and folders within it, which are read for it. */
const PAGES_PER_FOLDER = 50;

interface NavOptions {
  pages: string;
  warn: ReportFinding;
  readFolder: ReadFolder;
}

class NavReader {
  readonly #tree: SourceTree;
  readonly #pages: string;
  readonly #warn: ReportFinding;
  readonly #readFolder: ReadFolder;
  /** The paths that `nav` names, which wildcards do not match. */
  readonly #named = new Set<string>();
  readonly #known = new Set<string>();
  readonly #folders = new Map<string, OutlinePart[]>();
  #patterns = 0;

  constructor(tree: SourceTree, { pages, warn, readFolder }: NavOptions) {
    this.#tree = tree;
    this.#pages = pages;
    this.#warn = warn;
    this.#readFolder = readFolder;
  }

  async read(nav: PlacedValue): Promise<OutlinePart[]> {
    this.#addNames(nav);
    return this.#readItems(nav);
  }

  #addNames({ value }: PlacedValue): void {
    if (typeof value === "string") this.#named.add(join(this.#pages, value));
    else if (value instanceof Map || Array.isArray(value)) for (const item of value.values()) this.#addNames(item);
  }

  async #readItems({ value, place }: PlacedValue): Promise<OutlinePart[]> {
    const parts: OutlinePart[] = [];
    if (!Array.isArray(value)) this.#skip("nav is not a list of pages and sections", place);
    for (const item of Array.isArray(value) ? value : []) {
      for (const [title, { value: content, place: at }] of listParts(item)) {
        if (typeof content === "string" && (await this.#namesOthers(content))) {
          parts.push(...(await this.#expand(content, title, at)));
        } else if (typeof content === "string") {
          const lesson = await this.#findLesson(content, title, at);
          if (lesson !== undefined) parts.push(lesson);
        } else if (title === undefined || !Array.isArray(content)) {
          this.#skip(`"${cutText(title ?? "")}" in nav is neither a page nor a list`, at);
        } else {
          parts.push(createSection(title, at, await this.#readItems({ value: content, place: at })));
        }
      }
    }
    return parts;
  }

  /** Finds a page. Reports a missing or repeated page and returns undefined. */
  async #findLesson(name: string, title: string | undefined, place: Location): Promise<NamedLesson | undefined> {
    const shown = cutText(name);
    if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(name)) {
      const tally = [{ what: "link to another site", plural: "links to other sites", count: 1, isKept: false }];
      return this.#skip(`"${shown}" in nav points to another site`, place, tally);
    }
    const file = join(this.#pages, name);
    const isWithin = this.#pages === "." ? !file.startsWith("../") : file.startsWith(`${this.#pages}/`);
    if (!isWithin || !isLessonFile(file) || (await this.#tree.find(file)) !== "file") {
      const message = `nav names "${shown}", but there is no page ${cutText(this.#tree.toTypedPath(file))}`;
      this.#warn({ kind: "missing-part", ...place, message });
      return undefined;
    }
    if (this.#known.has(file)) return this.#skip(`"${shown}" appears in nav a second time`, place);
    this.#known.add(file);
    return { file, fields: title === undefined ? new Map() : nameFields(title, place), place };
  }

  // `leaves/`, `*`, `leaves/*.md` or `...`: https://github.com/oprypin/mkdocs-literate-nav
  async #namesOthers(name: string): Promise<boolean> {
    if (/^\.\.\.|\*/.test(name)) return true;
    return !isLessonFile(name) && (await this.#tree.find(join(this.#pages, name))) === "folder";
  }

  async #expand(written: string, title: string | undefined, place: Location): Promise<OutlinePart[]> {
    if (++this.#patterns > MAX_PATTERNS) {
      const message = `"${cutText(written)}" in nav exceeds the limit of 1,000 wildcards and folders`;
      this.#warn({ kind: "too-large", ...place, message });
      return [];
    }
    const name = written.startsWith("...") ? "*" : written;
    const path = join(this.#pages, name).replace(/\/$/, "");
    const isPattern = name.includes("*");
    const folder = isPattern ? dirname(path) : path;
    const isWithin = this.#pages === "." ? !folder.startsWith("..") : `${folder}/`.startsWith(`${this.#pages}/`);
    const all = isWithin ? await this.#list(folder) : [];
    this.#patterns += Math.floor(all.length / PAGES_PER_PATTERN);
    const matches = parseIgnoreFile(basename(path) + (name.endsWith("/") ? "/" : ""), written, this.#warn);
    const isMatch = (part: OutlinePart): boolean =>
      isSection(part) ? matches(basename(part.folder ?? ""), true) : matches(basename(part.file ?? ""), false);
    const parts = this.#takeNew(isPattern ? all.filter(isMatch) : all);
    if (parts.length === 0 && !written.startsWith("..."))
      return this.#skip(`"${cutText(written)}" in nav matches no other page`, place) ?? [];
    const sectionName = title === "glob" ? undefined : (title ?? (isPattern ? undefined : toTitle(basename(folder))));
    return sectionName === undefined || parts.length === 0
      ? parts
      : [createSection(sectionName, place, parts, isPattern ? undefined : folder)];
  }

  async #list(folder: string): Promise<OutlinePart[]> {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const parts = (await this.#tree.find(folder)) === "folder" ? await this.#readFolder(folder) : [];
    this.#patterns += Math.floor(countParts(parts) / PAGES_PER_FOLDER);
    this.#folders.set(folder, parts);
    return parts;
  }

  /** Returns the pages that are not in the outline yet. */
  #takeNew(parts: readonly OutlinePart[]): OutlinePart[] {
    return parts.flatMap((part): OutlinePart[] => {
      if (isSection(part)) {
        const inside = this.#takeNew(part.parts);
        return inside.length === 0 ? [] : [{ ...part, parts: inside }];
      }
      const { file = "" } = part;
      if (this.#named.has(file) || this.#known.has(file)) return [];
      this.#known.add(file);
      return [part];
    });
  }

  #skip(what: string, place: Location, tally?: Parameters<ReportFinding>[0]["tally"]): undefined {
    this.#warn({ kind: "skipped-part", ...place, message: `${what} and is skipped`, tally });
  }
}

/** Counts pages and sections, also in sections. */
function countParts(parts: readonly OutlinePart[]): number {
  return parts.reduce((sum, part) => sum + 1 + (isSection(part) ? countParts(part.parts) : 0), 0);
}

/** Lists an item's entries: a page without a title, or titled entries. */
function listParts(item: PlacedValue): [title: string | undefined, content: PlacedValue][] {
  return item.value instanceof Map ? [...item.value] : [[undefined, item]];
}
