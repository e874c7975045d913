// Reads the configuration of MkDocs and Zensical sites: https://www.mkdocs.org/user-guide/configuration/
import { dirname, join } from "node:path/posix";
import type { SourceTree } from "../../files/source-tree.ts";
import { parseToml } from "../../lesson-files/front-matter.ts";
import { findText, type PlacedFields, type PlacedValue } from "../../resolve/placed-value.ts";
import { parseYaml } from "../../resolve/yaml-text.ts";
import { cutText } from "../../quote.ts";
import { isError, type Location, type ReportFinding } from "../../source.ts";

/** The maximum number of configurations that inherit from one another. */
const MAX_INHERITED = 10;
/** Fields that can use an environment variable. */
const TEXT_FIELDS = ["site_name", "site_description", "docs_dir"];

export interface MkdocsConfig {
  path: string;
  /** The base folder of the configuration's paths, relative to the source root. */
  folder: string;
  fields: PlacedFields;
  /** The folder of the site's pages, relative to the source root. */
  pages: string;
}

/** A configuration, and a folder that might contain its pages. */
export interface FoundConfig {
  path: string;
  pagesIn: string;
}

/** Returns the path of a configured folder, which can end with a slash. */
export function joinFolder(base: string, path: string): string {
  return join(base, path).replace(/(?<=.)\/$/, "");
}

/** Reads a configuration. Returns undefined if it is unreadable, which is reported, or if its pages are elsewhere. */
export async function readConfig(
  tree: SourceTree,
  { path, pagesIn }: FoundConfig,
  report: ReportFinding,
): Promise<MkdocsConfig | undefined> {
  const fields = await new ConfigReader(tree, report).read(path);
  if (fields === undefined) return undefined;
  const folder = dirname(path);
  const pages = joinFolder(folder, findText(fields, "docs_dir") ?? "docs");
  const holdsPages = folder === pagesIn || pages === pagesIn || pages.startsWith(`${pagesIn}/`);
  return holdsPages ? { path, folder, fields, pages } : undefined;
}

class ConfigReader {
  readonly #tree: SourceTree;
  readonly #report: ReportFinding;
  readonly #within: string[] = [];

  constructor(tree: SourceTree, report: ReportFinding) {
    this.#tree = tree;
    this.#report = report;
  }

  /** Reads a file. Reports an unreadable file and returns undefined. */
  async read(path: string): Promise<PlacedFields | undefined> {
    this.#within.push(path);
    const text = await this.#tree.readText(path, this.#report);
    if (text === undefined) return undefined;
    const fields = path.endsWith(".toml") ? this.#parseToml(text, path) : this.#parseYaml(text, path);
    return fields && this.#inherit(fields, path);
  }

  #parseToml(text: string, path: string): PlacedFields | undefined {
    const file = this.#tree.toTypedPath(path);
    const fail = (message: string): undefined => this.#report({ kind: "syntax", file, message }) as undefined;
    const project = parseToml(text, { file, firstLine: 1 }, fail)?.get("project")?.value;
    return project instanceof Map ? project : undefined;
  }

  #parseYaml(text: string, path: string): PlacedFields | undefined {
    // Reports only errors: Python tags, with which most configurations name functions, cause warnings.
    const tell: ReportFinding = (finding) => isError(finding) && this.#report(finding);
    const place = { file: this.#tree.toTypedPath(path), firstLine: 1, source: this.#tree };
    const fields = parseYaml(text, place, tell)?.value;
    if (!(fields instanceof Map)) return undefined;
    const lines = text.split("\n");
    for (const name of TEXT_FIELDS) {
      const field = fields.get(name);
      if (field !== undefined) this.#readVariable(name, field, lines);
    }
    return fields;
  }

  // Takes the default of !ENV [VARIABLE, "default"]: imports never read the environment.
  #readVariable(name: string, field: PlacedValue, lines: string[]): void {
    if (!/:\s*!ENV\b/.test(lines[(field.place.line ?? 1) - 1] ?? "")) return;
    const given = Array.isArray(field.value) && field.value.length > 1 ? field.value.at(-1)?.value : undefined;
    field.value = typeof given === "string" ? given : undefined;
    if (field.value !== undefined) return;
    const message = `${name} is ignored: !ENV has no default, and imports do not read environment variables`;
    this.#report({ kind: "ignored-value", ...field.place, message });
  }

  async #inherit(fields: PlacedFields, path: string): Promise<PlacedFields> {
    const name = findText(fields, "INHERIT");
    const { place } = fields.get("INHERIT") ?? {};
    if (name === undefined || place === undefined) return fields;
    const parent = join(dirname(path), name);
    if (this.#within.length > MAX_INHERITED) {
      // Without the rest, pages that it excludes would be published.
      const message = `INHERIT: ${cutText(name)} exceeds the limit of ${MAX_INHERITED} inherited configurations`;
      this.#report({ kind: "too-large", ...place, message });
      return fields;
    }
    const fault = await this.#findFault(name, parent);
    if (fault !== undefined) {
      this.#report({ kind: "ignored-value", ...place, message: `INHERIT is ignored: ${cutText(name)} ${fault}` });
      return fields;
    }
    const inherited = await this.read(parent);
    return inherited === undefined ? fields : mergeFields(inherited, fields);
  }

  async #findFault(name: string, parent: string): Promise<string | undefined> {
    if (/^(?:[a-z][a-z\d+.-]*:|\/)/i.test(name)) return "is not a path relative to this file";
    if (this.#within.includes(parent)) return "inherits from itself";
    const found = await this.#tree.find(parent);
    if (found === "file") return undefined;
    if (found === "outside" || parent.startsWith("../")) return "points outside the source folder";
    return found === "hidden" ? "points to a hidden or ignored path" : "does not exist";
  }
}

/** Like MkDocs, merges mappings and replaces other values. */
function mergeFields(inherited: PlacedFields, own: PlacedFields): PlacedFields {
  const merged = new Map(inherited);
  for (const [name, field] of own) {
    const { value } = merged.get(name) ?? {};
    const isBoth = value instanceof Map && field.value instanceof Map;
    merged.set(name, isBoth ? { ...field, value: mergeFields(value, field.value as PlacedFields) } : field);
  }
  return merged;
}

/** Returns the texts of a list or a single value. */
export function listTexts(field: PlacedValue | undefined): { text: string; place: Location }[] {
  const items = Array.isArray(field?.value) ? field.value : field === undefined ? [] : [field];
  return items.flatMap(({ value, place }) => (typeof value === "string" ? [{ text: value, place }] : []));
}
