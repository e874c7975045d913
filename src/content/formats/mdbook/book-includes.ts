// Expands mdBook's includes: https://rust-lang.github.io/mdBook/format/mdbook.html
import { dirname, join } from "node:path/posix";
import { isAbsolute } from "../../files/absolute-path.ts";
import type { SourceTree } from "../../files/source-tree.ts";
import { IncludeBudget } from "../include-budget.ts";
import { isMarkdownFile } from "../../lesson-files/lesson-names.ts";
import { AssembledText, countLineBreaks, type PrepareText, type WrittenText } from "../../markdown/prepared-text.ts";
import type { ProblemKind } from "../../problem-kinds.ts";
import { cutText } from "../../quote.ts";
import type { ReportFinding } from "../../source.ts";

/** The maximum number of nested includes, as in mdBook. */
const MAX_DEPTH = 10;

const DIRECTIVE =
  /\\\{\{\s*#[^{}\n]*\}\}|\{\{\s*#(include|rustdoc_include|playground|playpen|title)\s+([^\s{}][^{}\n]*)\}\}/g;

/** A private-use character, which no book needs, marks an escaped directive. */
export const ESCAPED = "\uE000";

/** Includes parts of files in the lessons of one course, and caches the files. */
export class BookIncludes {
  /** Included Markdown files, relative to the source root. */
  readonly files: Set<string>;
  readonly #tree: SourceTree;
  readonly #budget: IncludeBudget<IncludedFile>;
  /** Unreadable files, which have been reported. */
  readonly #unreadable = new Set<string>();

  constructor(tree: SourceTree, files: Set<string>) {
    this.#tree = tree;
    this.#budget = new IncludeBudget(tree);
    this.files = files;
  }

  /** Expands a lesson's directives; reports and removes faulty directives. */
  async expand({ path, text, firstLine }: WrittenText, report: ReportFinding): Promise<AssembledText> {
    const into = new AssembledText();
    await this.#expand({ text, path, firstLine, within: [path] }, into, report);
    return into;
  }

  async #expand(part: IncludedPart, into: AssembledText, report: ReportFinding): Promise<void> {
    const { text, path, firstLine } = part;
    const file = this.#tree.toTypedPath(path);
    let copiedTo = 0;
    let line = firstLine;
    const copyTo = (end: number): void => {
      const copied = text.slice(copiedTo, end);
      into.add(copied, file, line);
      line += countLineBreaks(copied);
      copiedTo = end;
    };
    for (const match of text.matchAll(DIRECTIVE)) {
      const [whole, directive, written = ""] = match;
      if (this.#budget.isExhausted) return;
      copyTo(match.index);
      copiedTo = match.index + whole.length;
      if (!this.#budget.countDirective()) {
        this.#giveUp({ directive: directive ?? "…", written: written.trim(), line }, part, report);
      } else if (directive === undefined) {
        into.add(ESCAPED + whole.slice(1), file, line);
      } else if (directive === "title") {
        report(noteTitle(file, line));
      } else {
        await this.#include({ directive, written: written.trim(), line }, part, into, report);
      }
    }
    copyTo(text.length);
  }

  async #include(
    include: IncludeDirective,
    within: IncludedPart,
    into: AssembledText,
    report: ReportFinding,
  ): Promise<void> {
    const { directive, written } = include;
    const { path, within: files } = within;
    const fail = (message: string, kind?: ProblemKind): void => this.#report(message, include, within, report, kind);
    const [link = "", ...properties] = written.split(/\s+/);
    const { name, part } = parseLink(link);
    const target = join(dirname(path), name);
    if (isAbsolute(name)) return fail("has an absolute path; write a path relative to this file");
    if (files.includes(target)) {
      const circle = [...files, target].map((each) => cutText(each, 60)).join(" → ");
      return fail(`includes itself: ${circle}`);
    }
    if (files.length > MAX_DEPTH) return fail(`is skipped: includes can be nested at most ${MAX_DEPTH} deep`);
    const file = await this.#read(target, include, within, report);
    if (file === undefined) return;
    if (!this.#budget.countSearch(file.text)) return this.#giveUp(include, within, report);
    const { text, firstLine } = file.take(part);
    if (text === undefined)
      return fail(`names an anchor that ${cutText(this.#tree.toTypedPath(target))} does not contain`);
    if (!this.#budget.take(into.length, text)) return this.#giveUp(include, within, report);
    const inner = { text, path: target, firstLine, within: [...files, target] };
    const place = this.#tree.toTypedPath(target);
    if (directive !== "playground" && directive !== "playpen") return this.#expand(inner, into, report);
    into.add(`\`\`\`${["rust", ...properties].join(",")}\n`, place, firstLine);
    await this.#expand(inner, into, report);
    if (text !== "" && !text.endsWith("\n")) into.add("\n", place, firstLine);
    into.add("```\n", place, firstLine);
  }

  // Reports only the first include beyond the limits: a malicious course can contain millions of includes.
  #giveUp(include: IncludeDirective, part: IncludedPart, report: ReportFinding): void {
    this.#budget.isExhausted = true;
    this.#report(this.#budget.excess, include, part, report, "too-large");
  }

  #report(
    message: string,
    { directive, written, line }: IncludeDirective,
    { path }: IncludedPart,
    report: ReportFinding,
    kind: ProblemKind = "missing-part",
  ): void {
    const shown = `{{#${`${directive} ${cutText(written)}`.trimEnd()}}}`;
    report({ kind, file: this.#tree.toTypedPath(path), line, message: `${shown} ${message}` });
  }

  /** Reads a file. Reports an unreadable file and returns undefined. */
  async #read(
    path: string,
    include: IncludeDirective,
    part: IncludedPart,
    report: ReportFinding,
  ): Promise<IncludedFile | undefined> {
    const fail = (message: string, kind?: ProblemKind): void => this.#report(message, include, part, report, kind);
    const known = this.#budget.find(path);
    if (known !== undefined || this.#unreadable.has(path)) return known;
    const kind = await this.#tree.find(path);
    if (kind === "hidden") fail("is left out: it points to a hidden or ignored path");
    else if (kind === "outside") {
      fail("points outside the source folder, and is skipped; import the folder that contains both", "unreadable");
    } else if (kind !== "file") fail(`points to a missing file: ${cutText(this.#tree.toTypedPath(path))}`);
    if (kind !== "file") return undefined;
    const text = await this.#tree.readText(path, report);
    if (text === undefined) this.#unreadable.add(path);
    else if (isMarkdownFile(path)) this.files.add(path);
    return text === undefined ? undefined : this.#budget.keep(path, new IncludedFile(text), text);
  }
}

interface IncludedPart extends WrittenText {
  /** The chain of including files, starting with the lesson. */
  within: string[];
}

interface IncludeDirective {
  directive: string;
  written: string;
  line: number;
}

function noteTitle(file: string, line: number): Parameters<ReportFinding>[0] {
  const tally = [{ what: "page title of {{#title}}", plural: "page titles of {{#title}}", count: 1, isKept: false }];
  const message = "{{#title}} is left out: SUMMARY.md names the lesson";
  return { kind: "counted", file, line, message, tally };
}

// Parses `a.rs:anchor`, `a.rs:7`, `a.rs:7:`, `a.rs::9` or `a.rs:7:9`.
function parseLink(link: string): { name: string; part: FilePart } {
  const [name = "", first, second] = link.split(":");
  if (first === undefined) return { name, part: undefined };
  if (first !== "" && !/^\d+$/.test(first)) return { name, part: first };
  const from = first === "" ? 1 : Math.max(1, Number(first));
  const to = second === undefined ? (first === "" ? Infinity : from) : /^\d+$/.test(second) ? Number(second) : Infinity;
  return { name, part: { from, to } };
}

/** Creates the function that expands the includes of one book. */
export function createBookText(includes: BookIncludes): PrepareText {
  return async (written, report) => (await includes.expand(written, report)).toPrepared();
}

const ANCHOR = /ANCHOR(_END)?:\s*([\w-]+)/;

/** An inclusive range of lines, from 1, or an anchor; undefined for the whole file. */
type FilePart = { from: number; to: number } | string | undefined;

/** A file's text with its line and anchor offsets. */
class IncludedFile {
  readonly text: string;
  #lineStarts: Uint32Array | undefined;
  #anchors: Map<string, number> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns a part's first line, and its text without the last line break; no text if the anchor is missing. */
  take(part: FilePart): { text: string | undefined; firstLine: number } {
    if (part === undefined) return { text: this.text.replace(/\r?\n$/, ""), firstLine: 1 };
    if (typeof part === "string") return this.#takeAnchor(part);
    return { text: this.#takeLines(part.from - 1, part.to).join("\n"), firstLine: part.from };
  }

  #takeAnchor(name: string): { text: string | undefined; firstLine: number } {
    const start = this.#findAnchor(name);
    if (start === undefined) return { text: undefined, firstLine: 1 };
    const taken: string[] = [];
    for (let line = start + 1; line < this.#starts.length - 1; line++) {
      const text = this.#lineAt(line);
      const mark = ANCHOR.exec(text);
      if (mark === null) taken.push(text);
      else if (mark[1] !== undefined && mark[2] === name) break;
    }
    return { text: taken.join("\n"), firstLine: start + 2 };
  }

  /** Returns the line where an anchor first starts, counted from 0. */
  #findAnchor(name: string): number | undefined {
    if (this.#anchors === undefined) {
      this.#anchors = new Map();
      for (let line = 0; line < this.#starts.length - 1; line++) {
        const mark = ANCHOR.exec(this.#lineAt(line));
        const begun = mark?.[1] === undefined ? mark?.[2] : undefined;
        if (begun !== undefined && !this.#anchors.has(begun)) this.#anchors.set(begun, line);
      }
    }
    return this.#anchors.get(name);
  }

  #takeLines(from: number, to: number): string[] {
    const lines: string[] = [];
    const end = Math.min(to, this.#starts.length - 1);
    for (let line = from; line < end; line++) lines.push(this.#lineAt(line));
    return lines;
  }

  #lineAt(line: number): string {
    const text = this.text.slice(this.#starts[line], (this.#starts[line + 1] ?? 0) - 1);
    return text.endsWith("\r") ? text.slice(0, -1) : text;
  }

  /** Returns the offset of each line, followed by the offset after the last line. */
  get #starts(): Uint32Array {
    if (this.#lineStarts === undefined) {
      const starts = [0];
      for (let at = this.text.indexOf("\n"); at !== -1; at = this.text.indexOf("\n", at + 1)) starts.push(at + 1);
      if (starts.at(-1) !== this.text.length) starts.push(this.text.length + 1);
      this.#lineStarts = Uint32Array.from(starts);
    }
    return this.#lineStarts;
  }
}
