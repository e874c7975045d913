// Holds back pages: drafts, scheduled pages, pages that a site excludes, and texts paired with notebooks.
import { dirname } from "node:path/posix";
import type { SourceTree } from "../files/source-tree.ts";
import { splitFrontMatter } from "../lesson-files/front-matter.ts";
import { toInstant, type Schedule, SiteSchedules } from "./site-builders.ts";
import { toBoolean, type PlacedFields, type PlacedValue } from "../resolve/placed-value.ts";
import { cutText } from "../quote.ts";
import type { Location, ReportFinding } from "../source.ts";

/** The fields (in lower case) that hold a page back, each with the value that does so. */
const SWITCHES = new Map([
  ["draft", true],
  ["published", false],
  ["unlisted", true],
]);

/** Drops publishing fields, which have already been evaluated. */
export function dropSwitches(fields: PlacedFields): void {
  for (const name of fields.keys()) if (SWITCHES.has(name.toLowerCase())) fields.delete(name);
}

/** Evaluates the front matter of a course's pages and records the pages held back. */
export class HeldPages {
  readonly #tree: SourceTree;
  readonly #now: () => Date;
  readonly #sites: SiteSchedules;
  readonly #judged = new Set<string>();
  readonly #paths = new Set<string>();
  #drafts = 0;
  #excluded = 0;
  /** Returns true for a page that the site's configuration excludes. */
  excludes: ((path: string) => boolean) | undefined;

  constructor({ tree, now }: { tree: SourceTree; now: () => Date }) {
    this.#tree = tree;
    this.#now = now;
    this.#sites = SiteSchedules.of(tree);
  }

  /** Returns the held-back paths, relative to the source root. */
  get paths(): ReadonlySet<string> {
    return this.#paths;
  }

  /** Returns true for a held-back page. Reports problems with the page's fields once and counts drafts. */
  async holds(path: string, fields: PlacedFields, report: ReportFinding): Promise<boolean> {
    if (this.#judged.has(path)) return this.#paths.has(path);
    this.#judged.add(path);
    const schedule = await this.#sites.find(dirname(path));
    const isExcluded = this.excludes?.(path) === true || isExpired(fields, schedule, this.#now);
    if (isExcluded) this.#excluded++;
    const isDraft = !isExcluded && judgeSwitches(fields, schedule, report);
    if (isDraft) this.#drafts++;
    const isLater = (): boolean => schedule !== undefined && isEarly(fields, schedule, this.#now, report);
    const isHeld = isExcluded || isDraft || isLater() || (await this.#isPaired(path, fields, report));
    if (isHeld) this.#paths.add(path);
    return isHeld;
  }

  /** Returns true for a text that Jupytext paired with a notebook, since the notebook is the lesson. */
  async #isPaired(path: string, fields: PlacedFields, report: ReportFinding): Promise<boolean> {
    const about = fields.get("jupyter")?.value;
    const isText = fields.has("jupytext") || (about instanceof Map && about.has("jupytext"));
    const notebook = path.replace(/\.[a-z]+$/i, ".ipynb");
    if (!isText || notebook === path || (await this.#tree.find(notebook)) !== "file") return false;
    const tally = [{ what: "text of a notebook", plural: "texts of notebooks", count: 1, isKept: false }];
    const message = "is Jupytext's copy of the notebook beside it; only the notebook is a lesson";
    report({ kind: "counted", file: this.#tree.toTypedPath(path), message, tally });
    return true;
  }

  /** Returns a page's front matter; empty if absent or broken. */
  async readFields(path: string): Promise<PlacedFields> {
    // The faults of a file are reported when its lesson is read.
    const text = await this.#tree.readText(path, () => undefined);
    if (text === undefined || !/^(?:---|\+\+\+)/.test(text)) return new Map();
    return splitFrontMatter(text, this.#tree.toTypedPath(path), this.#tree, () => undefined)?.fields ?? new Map();
  }

  /** Reports how many drafts and excluded pages were found since the last call. */
  reportDrafts({ file }: Location, report: ReportFinding): void {
    const tell = (count: number, what: string, plural: string): void => {
      const message = count === 1 ? `1 ${what} is left out` : `${count} ${plural} are left out`;
      if (count > 0) report({ kind: "counted", file, message, tally: [{ what, plural, count, isKept: false }] });
    };
    tell(this.#drafts, "draft", "drafts");
    tell(this.#excluded, "page that its site excludes", "pages that their site excludes");
    this.#drafts = this.#excluded = 0;
  }
}

/** Returns true if a field makes the page a draft. Reports invalid values. */
function judgeSwitches(fields: PlacedFields, schedule: Schedule | undefined, report: ReportFinding): boolean {
  let isDraft = false;
  for (const [name, field] of fields) {
    const holds = SWITCHES.get(name.toLowerCase());
    // In Hugo, `published` can also be a date.
    const isDate = schedule?.dates.includes(name.toLowerCase()) === true && readDate(field) !== undefined;
    if (holds === undefined || field.value === undefined || isDate) continue;
    const value = toBoolean(field);
    isDraft ||= value === holds;
    if (value === undefined) fail(name, field, "must be true or false", report);
  }
  return isDraft;
}

/** Returns true before the page's publishing date and reports the page. Reports an invalid date. */
function isEarly(fields: PlacedFields, { builder, dates }: Schedule, now: () => Date, report: ReportFinding): boolean {
  const [name, field] = findFirst(fields, dates) ?? [];
  if (name === undefined || field === undefined) return false;
  const instant = readDate(field);
  if (instant === undefined) fail(name, field, "must be a date, such as 2026-01-31", report);
  if (instant === undefined || instant <= now().getTime()) return false;
  const until = new Date(instant).toISOString();
  const message = `this page is left out until ${until}, when ${builder} publishes it; import the course again then`;
  const [what, plural] = [`page that ${builder} publishes later`, `pages that ${builder} publishes later`];
  const tally = [{ what, plural, count: 1, isKept: false }];
  report({ kind: "skipped-part", ...field.place, message, tally, dueAtMs: instant });
  return true;
}

/** Returns true from the date on which the site stops showing the page. */
function isExpired(fields: PlacedFields, schedule: Schedule | undefined, now: () => Date): boolean {
  const [, field] = findFirst(fields, schedule?.ends ?? []) ?? [];
  return field !== undefined && (readDate(field) ?? Infinity) <= now().getTime();
}

function fail(name: string, { place }: PlacedValue, what: string, report: ReportFinding): void {
  report({ kind: "wrong-value", ...place, message: `${cutText(name)}: ${what}` });
}

function readDate({ value }: PlacedValue): number | undefined {
  return typeof value === "string" ? toInstant(value) : undefined;
}

/** Returns the first field of `names` (in lower case) that has a value and is not a switch. */
function findFirst(fields: PlacedFields, names: readonly string[]): [string, PlacedValue] | undefined {
  const given = [...fields].filter(
    ([name, field]) =>
      field.value !== undefined && !(SWITCHES.has(name.toLowerCase()) && toBoolean(field) !== undefined),
  );
  for (const wanted of names) {
    const found = given.find(([name]) => name.toLowerCase() === wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}
