// Pages that their front matter holds back: drafts, what a site publishes on a later day, and the texts of notebooks.
import { dirname } from "node:path/posix";
import type { SourceTree } from "../files/source-tree.ts";
import { splitFrontMatter } from "../lesson-files/front-matter.ts";
import { toInstant } from "./site-schedule.ts";
import { toBoolean, type PlacedFields, type PlacedValue } from "../resolve/placed-value.ts";
import { cutText } from "../quote.ts";
import type { Location, Tell } from "../source.ts";
import type { Schedule } from "./site-builders.ts";
import { SiteSchedules } from "./site-schedule.ts";

/** Fields in lower case that hold a page back, each with the value that does. */
const SWITCHES = new Map([
  ["draft", true],
  ["published", false],
  ["unlisted", true],
]);

/** Takes out the fields that say whether a page is to be seen: where a lesson is read, they have been judged. */
export function forgetSwitches(fields: PlacedFields): void {
  for (const name of fields.keys()) if (SWITCHES.has(name.toLowerCase())) fields.delete(name);
}

/** Judges the pages of a course by their front matter, and keeps which of them readers do not see yet. */
export class HeldPages {
  readonly #tree: SourceTree;
  readonly #now: () => Date;
  readonly #sites: SiteSchedules;
  readonly #judged = new Set<string>();
  readonly #paths = new Set<string>();
  #drafts = 0;

  constructor({ tree, now }: { tree: SourceTree; now: () => Date }) {
    this.#tree = tree;
    this.#now = now;
    this.#sites = new SiteSchedules(tree);
  }

  /** Relative to the source's root. */
  get paths(): ReadonlySet<string> {
    return this.#paths;
  }

  /** True for a page that is held back. What its front matter says of that is told once; drafts are counted. */
  async holds(path: string, fields: PlacedFields, report: Tell): Promise<boolean> {
    if (this.#judged.has(path)) return this.#paths.has(path);
    this.#judged.add(path);
    const schedule = await this.#sites.find(dirname(path));
    const isDraft = judgeSwitches(fields, schedule, report);
    if (isDraft) this.#drafts++;
    const isLater = (): boolean => schedule !== undefined && isEarly(fields, schedule, this.#now, report);
    const isHeld = isDraft || isLater() || (await this.#isPaired(path, fields, report));
    if (isHeld) this.#paths.add(path);
    return isHeld;
  }

  /** True for the text that Jupytext keeps beside a notebook, which is the lesson. */
  async #isPaired(path: string, fields: PlacedFields, report: Tell): Promise<boolean> {
    const about = fields.get("jupyter")?.value;
    const isText = fields.has("jupytext") || (about instanceof Map && about.has("jupytext"));
    const notebook = path.replace(/\.[a-z]+$/i, ".ipynb");
    if (!isText || notebook === path || (await this.#tree.find(notebook)) !== "file") return false;
    const tally = [{ what: "text of a notebook", plural: "texts of notebooks", count: 1, isKept: false }];
    const message = "is the text of the notebook beside it, which is the lesson";
    report({ kind: "counted", file: this.#tree.toTypedPath(path), message, tally });
    return true;
  }

  /** The front matter of a page; empty where it has none, or it is broken. */
  async readFields(path: string): Promise<PlacedFields> {
    // What is wrong with it is told when the lesson is read.
    const text = await this.#tree.readText(path, () => undefined);
    if (text === undefined || !/^(?:---|\+\+\+)/.test(text)) return new Map();
    return (
      splitFrontMatter(text, this.#tree.toTypedPath(path), this.#tree.limits, () => undefined)?.fields ?? new Map()
    );
  }

  /** Tells how many drafts were found since it was told last; `place` is that of the course. */
  tellDrafts({ file }: Location, report: Tell): void {
    if (this.#drafts === 0) return;
    const tally = [{ what: "draft", count: this.#drafts, isKept: false }];
    const message = `${this.#drafts} drafts are left out`;
    report({ kind: "counted", file, message, tally });
    this.#drafts = 0;
  }
}

/** True for a draft. */
function judgeSwitches(fields: PlacedFields, schedule: Schedule | undefined, report: Tell): boolean {
  let isDraft = false;
  for (const [name, field] of fields) {
    const holds = SWITCHES.get(name.toLowerCase());
    // To Hugo `published` may be a date, too.
    const isDate = schedule?.dates.includes(name.toLowerCase()) === true && readDate(field) !== undefined;
    if (holds === undefined || field.value === undefined || isDate) continue;
    const value = toBoolean(field);
    isDraft ||= value === holds;
    if (value === undefined) fail(name, field, "must be true or false", report);
  }
  return isDraft;
}

/** True for a page of a later day. */
function isEarly(fields: PlacedFields, { builder, dates }: Schedule, now: () => Date, report: Tell): boolean {
  const [name, field] = findFirst(fields, dates) ?? [];
  if (name === undefined || field === undefined) return false;
  const instant = readDate(field);
  if (instant === undefined) fail(name, field, "must be a date, such as 2026-01-31", report);
  if (instant === undefined || instant <= now().getTime()) return false;
  const until = new Date(instant).toISOString();
  const message = `this page is left out until ${until}, when ${builder} publishes it: import again then`;
  const [what, plural] = [`page that ${builder} publishes later`, `pages that ${builder} publishes later`];
  const tally = [{ what, plural, count: 1, isKept: false }];
  report({ kind: "skipped-part", ...field.place, message, tally, dueAtMs: instant });
  return true;
}

function fail(name: string, { place }: PlacedValue, what: string, report: Tell): void {
  report({ kind: "wrong-value", ...place, message: `${cutText(name)}: ${what}` });
}

function readDate({ value }: PlacedValue): number | undefined {
  return typeof value === "string" ? toInstant(value) : undefined;
}

/** The first of the fields, named in lower case, that has a value and is no switch. */
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
