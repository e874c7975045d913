// Detects site builders by their files, without reading outlines.
import type { SourceEntry, SourceTree } from "../files/source-tree.ts";
import { dirname, join, relative } from "node:path/posix";
import { toTimestamp } from "../../catalog/timestamps.ts";
import { parseToml } from "../lesson-files/front-matter.ts";
import { toBoolean, toPlainValue, type PlacedFields, type PlacedValue } from "../resolve/placed-value.ts";
import { remember } from "../remember.ts";
import type { ReportFinding } from "../source.ts";
import { MAX_BYTES, MAX_PATTERNS, parseIgnoreFile } from "../files/ignored-files.ts";
import { readYaml } from "./read-files.ts";

/** When a builder publishes a page. */
export interface Schedule {
  builder: "Hugo" | "Jekyll";
  /** Date fields in lower case, by priority. */
  dates: readonly string[];
  /** Fields in lower case with the date when a page expires. */
  ends: readonly string[];
  /** The configuration switch that publishes all pages at once. */
  showsFuture: string;
}

/** https://gohugo.io/configuration/front-matter/#dates */
const HUGO: Schedule = {
  builder: "Hugo",
  dates: ["publishdate", "pubdate", "published", "date"],
  ends: ["expirydate", "unpublishdate"],
  showsFuture: "buildFuture",
};
const JEKYLL: Schedule = { builder: "Jekyll", dates: ["date"], ends: [], showsFuture: "future" };

export interface FoundBuilder {
  /** The name with its article: `a Hugo site`. */
  label: string;
  /** The site's folder, relative to the source root. */
  folder: string;
  /** The file that identifies the builder. */
  sign: string;
  /** The usual page folders, relative to `folder`. */
  pages: readonly string[];
  /** True if each site has an order of its own, so that several sites are several courses. */
  hasSites?: boolean;
  /** What to do if numbering the pages would not help. */
  advice?: string | undefined;
  /** When pages are published; undefined if all are published at once. */
  schedule?: Schedule | undefined;
}

interface Builder extends Pick<FoundBuilder, "label" | "pages" | "hasSites" | "advice" | "schedule"> {
  sign: RegExp;
  /** Matches a name that must accompany an ambiguous sign. */
  beside?: RegExp;
}

const RST_ADVICE =
  "pages in reStructuredText are not supported: build the site as HTML, and list its pages in a course.yaml";

const BUILDERS: readonly Builder[] = [
  {
    label: "an mdBook without its outline",
    sign: /^book\.toml$/,
    pages: ["src"],
    advice: "write SUMMARY.md, the list of pages, in the folder that book.toml names as src (default: src)",
  },
  { label: "a Docusaurus site", sign: /^docusaurus\.config\.[cm]?[jt]s$/, pages: ["docs"] },
  { label: "a Hugo site", sign: /^hugo\.(?:toml|ya?ml|json)$/, pages: ["content"], schedule: HUGO },
  {
    label: "a Hugo site",
    sign: /^config\.(?:toml|ya?ml|json)$/,
    beside: /^(?:content|archetypes)$/,
    pages: ["content"],
    schedule: HUGO,
  },
  { label: "a Jupyter Book", sign: /^(?:_toc|myst)\.yml$/, pages: ["."], advice: RST_ADVICE },
  {
    label: "a Jekyll site",
    sign: /^_config\.(?:ya?ml|toml)$/,
    pages: ["_episodes", "_posts", "_docs"],
    schedule: JEKYLL,
  },
  {
    label: "a Carpentries lesson",
    sign: /^config\.yaml$/,
    beside: /^episodes$/,
    pages: ["episodes"],
  },
  { label: "an MkDocs site", sign: /^mkdocs\.ya?ml$/, pages: ["docs"], hasSites: true },
  { label: "a Zensical site", sign: /^zensical\.(?:toml|ya?ml)$/, pages: ["."], hasSites: true },
  { label: "a Quarto site", sign: /^_quarto\.ya?ml$/, pages: ["."] },
  {
    label: "a Sphinx site",
    sign: /^conf\.py$/,
    beside: /^(?:index\.(?:rst|md|txt)|Makefile|_static|_templates)$/,
    pages: ["."],
    advice: RST_ADVICE,
  },
  {
    label: "an Astro site",
    sign: /^astro\.config\.[cm]?[jt]s$/,
    pages: ["src/content/docs", "src/content", "src/pages"],
  },
  { label: "a Next.js site", sign: /^next\.config\.[cm]?[jt]s$/, pages: ["content", "pages", "docs"] },
  { label: "a Gatsby site", sign: /^gatsby-config\.[cm]?[jt]s$/, pages: ["content", "src/pages"] },
  { label: "an Eleventy site", sign: /^eleventy\.config\.[cm]?[jt]s$/, pages: ["content", "src"] },
  {
    label: "an Antora site",
    sign: /^antora\.yml$/,
    pages: ["modules"],
    advice: "its pages are AsciiDoc, which is not supported: convert them to HTML",
  },
  {
    label: "a course package (SCORM or Common Cartridge)",
    sign: /^imsmanifest\.xml$/,
    pages: ["."],
    advice: "its outline is not supported: list its HTML pages in order in a course.yaml",
  },
  {
    label: "an Open edX course",
    sign: /^course\.xml$/,
    beside: /^(?:chapter|sequential|vertical|html)$/,
    pages: ["html"],
    advice: "its outline is not supported: list its HTML pages in order in a course.yaml",
  },
  {
    label: "a Moodle backup",
    sign: /^moodle_backup\.xml$/,
    pages: ["."],
    advice: "Moodle backups are not supported: export the pages as HTML, and list them in a course.yaml",
  },
];

/** Hugo's configuration folder. */
const HUGO_CONFIG = /(?:^|\/)config\/_default$/;

/** Returns the builder whose sign is nearest to the root, if any. */
export function findBuilder(folders: ReadonlyMap<string, readonly SourceEntry[]>): FoundBuilder | undefined {
  for (const [folder, entries] of folders) {
    for (const { sign, beside, ...builder } of BUILDERS) {
      const found = entries.find(({ isFolder, name }) => !isFolder && sign.test(name));
      if (found === undefined || (beside !== undefined && !entries.some(({ name }) => beside.test(name)))) continue;
      return { ...builder, folder: folder.replace(HUGO_CONFIG, "") || ".", sign: found.path };
    }
  }
  return undefined;
}

const HUGO_FOLDER = "config/_default";
const HUGO_FILE = /^(?:hugo|config)\.(?:toml|ya?ml|json)$/;

interface SiteConfig {
  schedule: Schedule;
  path: string;
}

/** The schedules of a source's sites, by folder. */
export class SiteSchedules {
  static readonly #ofTrees = new WeakMap<SourceTree, SiteSchedules>();
  readonly #tree: SourceTree;
  readonly #configs = new Map<string, Promise<SiteConfig | undefined>>();
  readonly #known = new Map<string, Promise<Schedule | undefined>>();
  readonly #excluded = new Map<string, Promise<((page: string) => boolean) | undefined>>();

  private constructor(tree: SourceTree) {
    this.#tree = tree;
  }

  /** Returns the schedules that all courses of a tree share, since a tree can contain thousands of courses. */
  static of(tree: SourceTree): SiteSchedules {
    const schedules = SiteSchedules.#ofTrees.get(tree) ?? new SiteSchedules(tree);
    SiteSchedules.#ofTrees.set(tree, schedules);
    return schedules;
  }

  /** Returns the schedule of a folder's pages; undefined without a site. */
  find(folder: string): Promise<Schedule | undefined> {
    return remember(this.#known, folder, () => this.#look(folder));
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
    return (await this.#showsFuture(found)) ? { ...found.schedule, dates: [] } : found.schedule;
  }

  /** Returns a test for the pages that the configuration of a Jekyll site in or above the folder excludes. */
  findExcluded(folder: string, report: ReportFinding): Promise<((page: string) => boolean) | undefined> {
    return remember(this.#excluded, folder, () => this.#lookForExcluded(folder, report));
  }

  async #lookForExcluded(folder: string, report: ReportFinding): Promise<((page: string) => boolean) | undefined> {
    const found = await this.#findConfig(folder);
    if (found === undefined) return folder === "." ? undefined : this.findExcluded(dirname(folder), report);
    const field = found.schedule === JEKYLL ? (await this.#readFields(found.path))?.get("exclude") : undefined;
    const names = [field && toPlainValue(field)].flat().filter((name) => typeof name === "string");
    // Names without wildcards are relative to the site. Aliases can repeat a long name.
    const patterns = names
      .slice(0, MAX_PATTERNS + 1)
      .map((name) => (/^\/|\*/.test(name) ? name : `/${name}`).slice(0, MAX_BYTES));
    const hides = parseIgnoreFile(patterns.join("\n"), found.path, (fault) => report({ ...fault, line: undefined }));
    return (page) => hides(relative(folder, page), false);
  }

  #findConfig(folder: string): Promise<SiteConfig | undefined> {
    return remember(this.#configs, folder, () => this.#lookForConfig(folder));
  }

  async #lookForConfig(folder: string): Promise<SiteConfig | undefined> {
    const entries = await this.#tree.list(folder);
    const { schedule, sign = "" } = findBuilder(new Map([[folder, entries]])) ?? {};
    if (schedule !== undefined) return { schedule, path: sign };
    if (!entries.some(({ name, isFolder }) => isFolder && name === "config")) return undefined;
    const files = await this.#tree.list(join(folder, HUGO_FOLDER));
    const file = files.find(({ name, isFolder }) => !isFolder && HUGO_FILE.test(name));
    return file && { schedule: HUGO, path: file.path };
  }

  // If the configuration is unreadable, scheduled pages stay hidden.
  async #showsFuture({ schedule, path }: SiteConfig): Promise<boolean> {
    const fields = (await this.#readFields(path)) ?? new Map<string, PlacedValue>();
    const key = schedule.showsFuture.toLowerCase();
    return [...fields].some(([name, field]) => name.toLowerCase() === key && toBoolean(field) === true);
  }

  async #readFields(path: string): Promise<PlacedFields | undefined> {
    const place = { file: this.#tree.toTypedPath(path), firstLine: 1 };
    const fields = path.endsWith(".toml")
      ? parseToml((await this.#tree.readText(path, () => undefined)) ?? "", place, () => undefined)
      : (await readYaml(this.#tree, path, () => undefined))?.value;
    return fields instanceof Map ? fields : undefined;
  }
}

/** Converts a date to milliseconds since 1970, assuming UTC if it names no time zone; undefined for other text. */
export function toInstant(text: string): number | undefined {
  const exact = toTimestamp(toIsoDate(text));
  if (exact !== undefined) return Date.parse(exact);
  // Reads other forms of dates, such as Jan 31, 2026.
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
