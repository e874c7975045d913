// Reads the files that pages include: https://mystmd.org/guide/embed,
// https://www.sphinx-doc.org/en/master/usage/restructuredtext/directives.html#directive-literalinclude
import { dirname, extname, join } from "node:path/posix";
import type { Token } from "markdown-it";
import { isNotebook } from "../../files/file-links.ts";
import type { SourceTree } from "../../files/source-tree.ts";
import { isMarkdownFile } from "../../lesson-files/lesson-names.ts";
import { withoutAnswers } from "../../lesson-files/notebook-answers.ts";
import type { ReadParts, TextReading } from "../../markdown/markdown-environment.ts";
import { countLineBreaks, LinePlaces, type PreparedText, type WrittenText } from "../../markdown/prepared-text.ts";
import { cutText } from "../../quote.ts";
import { findText, type PlacedFields } from "../../resolve/placed-value.ts";
import type { ReportFinding } from "../../source.ts";
import { IncludeBudget } from "../include-budget.ts";
import type { NumberedLine } from "../line-ranges.ts";
import { takePart } from "./myst-parts.ts";
import type { Directive } from "./myst-syntax.ts";

const MAX_DEPTH = 10;
/** The maximum length of a substitution: a longer text is not meant to be inline. */
const MAX_TEXT = 1000;
const DIRECTIVE = /\{(?:literal)?include\}[ \t]+([^\s{}][^\n{}]{0,500})/g;
/** A name that `prepare` finds. */
const NAME = /^[^\s{}][^\n{}]{0,500}$/;

/** Included text, or why there is none. */
export type IncludedText = { path: string; file: string; text: string } | IncludeFault;

interface IncludeFault {
  fault: string;
  /** True if a limit is exceeded, which is an error. */
  isTooLarge?: boolean;
}

/** Fields for tools that build, run and style pages. */
const PAGE_FIELDS =
  "myst substitutions jupytext jupyter kernelspec mystnb file_format celltoolbar orphan html_meta html_theme exports downloads numbering label short_title subtitle subject venue license github doi keywords site settings bibliography thebe".split(
    " ",
  );

/** Reads the files that a book's pages include. */
export class MystFiles {
  /** Included Markdown files, relative to the source root. */
  readonly pages = new Set<string>();
  readonly #substitutions: PlacedFields;
  #ofPage: PlacedFields = new Map();
  readonly #tree: SourceTree;
  readonly #root: string;
  readonly #budget: IncludeBudget<string>;

  /** An absolute path starts at `root`, the book's folder. */
  constructor(tree: SourceTree, root: string, substitutions: PlacedFields) {
    this.#substitutions = substitutions;
    this.#tree = tree;
    this.#root = root;
    this.#budget = new IncludeBudget(tree);
  }

  /** Takes the front matter of the next page to prepare. */
  takeFields(fields: PlacedFields): void {
    this.#ofPage = findFields(fields, "myst", "substitutions") ?? findFields(fields, "substitutions") ?? new Map();
    for (const name of PAGE_FIELDS) fields.delete(name);
  }

  /** Reads the files that a page includes, directly or through other files, so that the rules can show them. */
  async prepare(page: WrittenText, report: ReportFinding): Promise<PreparedText> {
    const { path, text, firstLine } = page;
    const reading = new MystReading(page, this.#root, this.#budget, [this.#ofPage, this.#substitutions]);
    reading.places.add(1, { file: this.#tree.toTypedPath(path), line: firstLine });
    await this.#readAll(page, reading, report);
    return { text, placeOf: reading.places.placeOf, reading };
  }

  async #readAll(from: WrittenText, reading: MystReading, report: ReportFinding, depth = 1): Promise<void> {
    for (const { 1: written = "", index } of from.text.matchAll(DIRECTIVE)) {
      const path = reading.resolve(written, from.path);
      const isRead = depth > MAX_DEPTH || reading.files.has(path);
      if (this.#budget.isExhausted) return;
      // Each path counts, since a deep folder makes it long.
      if (!this.#budget.take(0, path) || (!isRead && !this.#budget.countDirective())) {
        this.#budget.isExhausted = true;
        const message = `include "${cutText(written)}" ${this.#budget.excess}`;
        const line = from.firstLine + countLineBreaks(from.text.slice(0, index));
        return report({ kind: "too-large", file: this.#tree.toTypedPath(from.path), line, message });
      }
      if (isRead) continue;
      const found = await this.#read(path, report);
      reading.files.set(path, found);
      if (!("text" in found)) continue;
      // Counted for every page, even if it shows nothing of the file, since the file is searched for includes.
      this.#budget.countSearch(found.text);
      await this.#readAll({ path, text: found.text, firstLine: 1 }, reading, report, depth + 1);
    }
  }

  async #read(path: string, report: ReportFinding): Promise<IncludedText> {
    const file = this.#tree.toTypedPath(path);
    const known = this.#budget.find(path);
    if (known !== undefined) return { path, file, text: known };
    if (this.#budget.isExhausted) return { fault: this.#budget.excess };
    const kind = await this.#tree.find(path);
    if (kind === "hidden") return { fault: "points to a hidden or ignored path" };
    if (kind === "outside") return { fault: "points outside the source folder" };
    if (kind !== "file") return { fault: "points to a missing file" };
    if (await isNotebook(this.#tree, path))
      return { fault: "is left out: it is a notebook, which might contain answers" };
    const text = await this.#tree.readText(path, report);
    if (text === undefined) return { fault: "cannot be read" };
    if (isMarkdownFile(path)) this.pages.add(path);
    return { path, file, text: this.#budget.keep(path, text, text) };
  }
}

/** What the rules know about one page. */
export class MystReading implements TextReading {
  /** Files by path relative to the source root. */
  readonly files = new Map<string, IncludedText>();
  /** The lines of the page, and after them, those of each included part. */
  readonly places = new LinePlaces();
  #lines: number;
  /** Those of the page, then those of the book. */
  readonly #substitutions: readonly PlacedFields[];
  readonly #root: string;
  readonly #budget: IncludeBudget<string>;
  /** The chain of including files, starting with the page. */
  readonly #within: string[];
  readonly #opened = new Set<string>();
  #length = 0;

  constructor(
    { path, text }: WrittenText,
    root: string,
    budget: IncludeBudget<string>,
    substitutions: readonly PlacedFields[],
  ) {
    this.#within = [path];
    this.#lines = countLineBreaks(text) + 2;
    this.#root = root;
    this.#budget = budget;
    this.#substitutions = substitutions;
  }

  resolve(written: string, from = this.#within.at(-1) ?? ""): string {
    const name = written.trim();
    return name.startsWith("/") ? join(this.#root, name) : join(dirname(from), name);
  }

  /** Returns the file named in the text being rendered; undefined once the budget is spent. */
  open(written: string): IncludedText | undefined {
    if (this.#budget.isExhausted) return undefined;
    const path = this.resolve(written);
    const found = this.files.get(path);
    // The first time was counted by `prepare`. Missing files count, too: other files can include them again and again.
    const isCounted = found !== undefined && !this.#opened.has(path);
    this.#opened.add(path);
    if (!isCounted && !this.#budget.countDirective()) return this.#giveUp();
    if (this.#within.includes(path)) {
      const circle = [...this.#within, path].map((each) => cutText(each, 60)).join(" → ");
      return { fault: `includes itself: ${circle}` };
    }
    if (found === undefined && !NAME.test(written)) return { fault: "points to a missing file" };
    if (found === undefined || this.#within.length > MAX_DEPTH) {
      return { fault: `is left out: includes can be nested at most ${MAX_DEPTH} deep`, isTooLarge: true };
    }
    if ("fault" in found) return found;
    return this.#budget.countSearch(found.text) ? found : this.#giveUp();
  }

  /** True once the budget is spent. */
  get isSpent(): boolean {
    return this.#budget.isExhausted;
  }

  /** Counts the part of a file or the substitution to show. Returns a fault beyond the limits. */
  take(part: string): IncludeFault | undefined {
    if (!this.#budget.take(this.#length, part)) return this.#giveUp();
    this.#length += part.length;
    return undefined;
  }

  /** Numbers the lines of an included part, so that messages name its file. Returns the first number, from 0. */
  numberLines(file: string, lines: readonly NumberedLine[]): number {
    const first = this.#lines;
    for (const [index, { number }] of lines.entries()) {
      if (number !== (lines[index - 1]?.number ?? NaN) + 1) this.places.add(first + index + 1, { file, line: number });
    }
    // One more, for a token that ends after the last line.
    this.#lines += lines.length + 1;
    return first;
  }

  /** Returns the text for `{{ name }}`; undefined if the name is unknown, or if the text is long or Markdown. */
  findText(name: string): string | undefined {
    const fields = this.#substitutions.find((each) => each.has(name));
    const text = fields && findText(fields, name);
    return text === undefined || text.length > MAX_TEXT || /[*`[\]<>{}\\$|\n]|\b_|_\b/.test(text) ? undefined : text;
  }

  /** Calls `show` while `path` is the file being rendered. */
  within<Shown>(path: string, show: () => Shown): Shown {
    this.#within.push(path);
    const shown = show();
    this.#within.pop();
    return shown;
  }

  #giveUp(): IncludeFault {
    this.#budget.isExhausted = true;
    return { fault: this.#budget.excess, isTooLarge: true };
  }

  finish(): ReadParts {
    return { quizHtml: "", videoUrl: undefined, remark: undefined };
  }
}

/** The marks of answers in MyST, in nbgrader's metadata and in tags. */
const MAY_ANSWER = /\{solution|solution["\]]|BEGIN[ \t]+(?:SOLUTION|HIDDEN|MARK)/;

export interface Include {
  /** The problem to report, such as why the file is left out. */
  fault?: string | undefined;
  /** True if the fault is that a limit is exceeded, which is an error. */
  isTooLarge?: boolean;
  /** The text to show, if any. */
  body?: string;
  /** The number of the text's first line, from 0. */
  line?: number;
  /** The language of code; undefined for Markdown. */
  language?: string | undefined;
  /** Calls `show` while this file is being rendered, so that the file's own includes are relative to the file. */
  within: (show: () => Token[]) => Token[];
}

/** Returns what `{include}` or `{literalinclude}` shows. The rules withhold the answers in included Markdown. */
export function readInclude(
  { name, argument, options }: Directive,
  reading: TextReading | undefined,
  publishesAnswers: boolean,
): Include {
  const within: Include["within"] = (show) => show();
  if (!(reading instanceof MystReading)) return { fault: "is left out: notebooks cannot include files", within };
  const found = reading.open(argument);
  if (found === undefined || "fault" in found) return { ...found, within };
  const { path, file, text } = found;
  const code = name === "include" ? options.get("code") : (options.get("language") ?? extname(path).slice(1));
  const language = code ?? (options.has("literal") ? "" : undefined);
  const withheld = { fault: "is left out: it might contain answers", within };
  if (language === undefined) {
    const page = text.replace(/^---\n[^]*?\n---\n/, "");
    const { body, lines } = takePart(page, options, false, countLineBreaks(text) - countLineBreaks(page));
    // A part of a page can lack the marks of the answer that it is in.
    if (!publishesAnswers && body.length < page.trimEnd().length && MAY_ANSWER.test(page)) return withheld;
    const tooLarge = reading.take(body);
    if (tooLarge !== undefined) return { ...tooLarge, within };
    return { body, line: reading.numberLines(file, lines), within: (show) => reading.within(path, show) };
  }
  const cell = { lines: text.split(/\r?\n/), fileLines: [], tags: new Set<string>(), isSolution: false };
  const shown = publishesAnswers ? text : withoutAnswers(cell).lines.join("\n");
  if (!publishesAnswers && MAY_ANSWER.test(shown)) return withheld;
  const body = `${takePart(shown, options, true).body}\n`;
  const tooLarge = reading.take(body);
  if (tooLarge !== undefined) return { ...tooLarge, within };
  const fault = options.has("pyobject") ? "is shown whole: imports do not read Python" : undefined;
  return { fault, body, language, within };
}

/** Returns the fields nested under these names, if any. */
export function findFields(fields: PlacedFields, ...names: string[]): PlacedFields | undefined {
  let found: PlacedFields | undefined = fields;
  for (const name of names) {
    const value: unknown = found?.get(name)?.value;
    found = value instanceof Map ? value : undefined;
  }
  return found;
}
