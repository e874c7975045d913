// A site's pages as its configuration lists them: https://www.mkdocs.org/user-guide/configuration/#nav
import { join, relative } from "node:path/posix";
import { parseIgnoreFile } from "../../files/ignored-files.ts";
import type { SourceTree } from "../../files/source-tree.ts";
import type { NamedLesson } from "../../lesson-files/lesson-file.ts";
import { isLessonFile } from "../../lesson-files/lesson-names.ts";
import { findText, toBoolean, type PlacedFields, type PlacedValue } from "../../resolve/placed-value.ts";
import { cutText } from "../../quote.ts";
import { isError, type Location, type ReportFinding } from "../../source.ts";
import type { MarkdownDialect } from "../../markdown/dialects.ts";
import { nameFields, type Outline } from "../format.ts";
import { createSection, type OutlinePart } from "../outline-tree.ts";
import { readConfig, type FoundConfig, type MkdocsConfig } from "./mkdocs-config.ts";
import { readExtensions } from "./mkdocs-extensions.ts";
import { createMkdocsDialect } from "./mkdocs-rules.ts";
import { createSnippetText } from "./mkdocs-snippets.ts";

export interface MkdocsSite {
  /** Name and description, if given. */
  fields: PlacedFields;
  place: Location;
  /** Folder of its pages, relative to the source root. */
  folder: string;
  /** Pages and sections in `nav` order; undefined without one. */
  parts: OutlinePart[] | undefined;
  /** True for a page that it does not show: `exclude_docs`, `draft_docs`. */
  excludes: (path: string) => boolean;
  /** Its Markdown dialect and text preparation, extending `base`. */
  describeText: (base: MarkdownDialect) => Pick<Outline, "dialect" | "prepare">;
}

/** Reads a site's configuration. Returns undefined if the folder is not part of a site. */
export async function readSite(
  tree: SourceTree,
  found: FoundConfig,
  report: ReportFinding,
): Promise<MkdocsSite | undefined> {
  const warn: ReportFinding = (finding) => report(isError(finding) ? { ...finding, kind: "ignored-value" } : finding);
  const config = await readConfig(tree, found, warn);
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
  const extensions = readExtensions(config);
  const directoryUrls = config.fields.get("use_directory_urls");
  const hasPageFolders = directoryUrls === undefined || toBoolean(directoryUrls) !== false;
  const describeText: MkdocsSite["describeText"] = (base) => ({
    dialect: createMkdocsDialect(base, extensions, hasPageFolders),
    prepare: createSnippetText(tree, { config, extensions }),
  });
  const site = { fields, place, folder: config.pages, excludes: readExcluded(config, warn), describeText };
  const nav = config.fields.get("nav");
  if (nav?.value === undefined) return { ...site, parts: undefined };
  return { ...site, parts: await new NavReader(tree, config.pages, warn).readItems(nav) };
}

function readExcluded({ fields, pages, path }: MkdocsConfig, warn: ReportFinding): MkdocsSite["excludes"] {
  const patterns = ["exclude_docs", "draft_docs"].map((name) => findText(fields, name) ?? "").join("\n");
  const hides = parseIgnoreFile(patterns, path, warn);
  return (page) => {
    const within = relative(pages, page);
    return within !== "" && !within.startsWith("..") && hides(within, false);
  };
}

class NavReader {
  readonly #tree: SourceTree;
  readonly #pages: string;
  readonly #warn: ReportFinding;
  readonly #known = new Set<string>();

  constructor(tree: SourceTree, pages: string, warn: ReportFinding) {
    this.#tree = tree;
    this.#pages = pages;
    this.#warn = warn;
  }

  async readItems({ value, place }: PlacedValue): Promise<OutlinePart[]> {
    const parts: OutlinePart[] = [];
    if (!Array.isArray(value)) this.#skip("nav must be a list of pages and sections", place);
    for (const item of Array.isArray(value) ? value : []) {
      for (const [title, { value: content, place: at }] of listParts(item)) {
        if (typeof content === "string") {
          const lesson = await this.#findLesson(content, title, at);
          if (lesson !== undefined) parts.push(lesson);
        } else if (title === undefined || !Array.isArray(content)) {
          this.#skip(`"${cutText(title ?? "")}" in nav is neither a page nor a list`, at);
        } else {
          parts.push(createSection(title, at, await this.readItems({ value: content, place: at })));
        }
      }
    }
    return parts;
  }

  /** Returns undefined for a missing or repeated page, which is reported. */
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

  #skip(what: string, place: Location, tally?: Parameters<ReportFinding>[0]["tally"]): undefined {
    this.#warn({ kind: "skipped-part", ...place, message: `${what} and is skipped`, tally });
  }
}

/** Returns a page without a title, or a titled entry. */
function listParts(item: PlacedValue): [title: string | undefined, content: PlacedValue][] {
  return item.value instanceof Map ? [...item.value] : [[undefined, item]];
}
