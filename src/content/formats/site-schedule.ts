// Hugo and Jekyll sites, which schedule pages, and their date formats.
import { dirname, join } from "node:path/posix";
import { toTimestamp } from "../../catalog/timestamps.ts";
import type { SourceTree } from "../files/source-tree.ts";
import { parseToml } from "../lesson-files/front-matter.ts";
import { toBoolean } from "../resolve/placed-value.ts";
import { readYaml } from "./read-files.ts";
import { findBuilder, HUGO, type Schedule } from "./site-builders.ts";

const HUGO_FOLDER = "config/_default";
const HUGO_FILE = /^(?:hugo|config)\.(?:toml|ya?ml|json)$/;

/** A source's sites by folder. */
export class SiteSchedules {
  readonly #tree: SourceTree;
  readonly #known = new Map<string, Promise<Schedule | undefined>>();

  constructor(tree: SourceTree) {
    this.#tree = tree;
  }

  /** Returns the schedule of a folder's pages; undefined if all are published. */
  find(folder: string): Promise<Schedule | undefined> {
    const known = this.#known.get(folder) ?? this.#look(folder);
    this.#known.set(folder, known);
    return known;
  }

  /** Returns the builder of the folder's site, if known. */
  async findBuilder(folder: string): Promise<Schedule["builder"] | undefined> {
    const found = await this.#findConfig(folder);
    if (found !== undefined || folder === ".") return found?.schedule.builder;
    return this.findBuilder(dirname(folder));
  }

  async #look(folder: string): Promise<Schedule | undefined> {
    const found = await this.#findConfig(folder);
    if (found === undefined) return folder === "." ? undefined : this.find(dirname(folder));
    return (await this.#showsFuture(found)) ? undefined : found.schedule;
  }

  async #findConfig(folder: string): Promise<{ schedule: Schedule; path: string } | undefined> {
    const entries = await this.#tree.list(folder);
    const { schedule, sign = "" } = findBuilder(new Map([[folder, entries]])) ?? {};
    if (schedule !== undefined) return { schedule, path: sign };
    if (!entries.some(({ name, isFolder }) => isFolder && name === "config")) return undefined;
    const files = await this.#tree.list(join(folder, HUGO_FOLDER));
    const file = files.find(({ name, isFolder }) => !isFolder && HUGO_FILE.test(name));
    return file && { schedule: HUGO, path: file.path };
  }

  // If the configuration is unreadable, scheduled pages stay hidden.
  async #showsFuture({ schedule, path }: { schedule: Schedule; path: string }): Promise<boolean> {
    const place = { file: this.#tree.toTypedPath(path), firstLine: 1 };
    const fields = path.endsWith(".toml")
      ? parseToml((await this.#tree.readText(path, () => undefined)) ?? "", place, () => undefined)
      : (await readYaml(this.#tree, path, () => undefined))?.value;
    if (!(fields instanceof Map)) return false;
    const key = schedule.showsFuture.toLowerCase();
    return [...fields].some(([name, field]) => name.toLowerCase() === key && toBoolean(field) === true);
  }
}

/** Parses a date to milliseconds since 1970, in UTC if it has no zone; undefined for other text. */
export function toInstant(text: string): number | undefined {
  const exact = toTimestamp(toIsoDate(text));
  if (exact !== undefined) return Date.parse(exact);
  // Jan 31, 2026
  const written = text.trim();
  const hasZone = /(?:[A-Z]{1,5}|[+-]\d\d:?\d\d)$/.test(written);
  const parsed = /\b\d{4}\b/.test(written) ? Date.parse(hasZone ? written : `${written} UTC`) : NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** Converts Jekyll's `2024-05-01 10:00:00 +0200` to ISO 8601; keeps other text. */
export function toIsoDate(text: string): string {
  const parts = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?$/.exec(text.trim());
  if (parts === null) return text.trim();
  const zone = parts[3] ?? "Z";
  return `${parts[1]}T${parts[2]}${zone === "Z" || zone.includes(":") ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`}`;
}
