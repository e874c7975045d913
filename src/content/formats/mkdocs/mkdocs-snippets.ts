// Expands snippets: files that pages include before any other processing, even in code.
// https://facelessuser.github.io/pymdown-extensions/extensions/snippets/ and, for `{!file.md!}`,
// https://github.com/cmacmackin/markdown-include and https://github.com/neurobin/mdx_include
import { basename, dirname, join } from "node:path/posix";
import type { SourceTree } from "../../files/source-tree.ts";
import { AssembledText, countLineBreaks, type PrepareText, type WrittenText } from "../../markdown/prepared-text.ts";
import { findText, toBoolean } from "../../resolve/placed-value.ts";
import type { ProblemKind } from "../../problem-kinds.ts";
import { cutText } from "../../quote.ts";
import type { ReportFinding } from "../../source.ts";
import { IncludeBudget } from "../include-budget.ts";
import { joinFolder, listTexts, type MkdocsConfig } from "./mkdocs-config.ts";
import type { Extensions } from "./mkdocs-extensions.ts";
import { splitName, takeLines, toPart } from "./snippet-file.ts";

const MAX_DEPTH = 10;
/** The maximum length of a base folder, since the path of each snippet begins with it. */
const MAX_BASE = 1000;
const SCISSORS = String.raw`-{1,40}8<-{1,40}`;
const INLINE = new RegExp(String.raw`^([ \t]*)${SCISSORS}[ \t]+(?:"([^"\n]{1,1000})"|'([^'\n]{1,1000})')[ \t]*$`);
const BLOCK = new RegExp(String.raw`^([ \t]*)${SCISSORS}[ \t]*$`);
const ESCAPED = new RegExp(String.raw`(?<!;);(?=;*${SCISSORS}(?:[ \t]|$))`);

/** Matches a line such as `{!file.md!}`, `{!> code.py [ln:2-4] !}` or `{!file.md!lines=1 3-5}`. */
const INCLUDE = /^([ \t]*)\{!>?([^!{}\n]{1,1100})!(?:[ \t]*lines[ \t]*=([\d -]{1,100}))?\}[ \t]*$/;
const INCLUDED_LINES = /\[ln:([\d,-]{1,100})\]$/;
const INCLUDE_EXTENSIONS = ["markdown_include.include", "mdx_include"];

const METADATA =
  /^([\w-]{1,80}:)(?:[ \t][^\n]*|\r)?\n(?:(?:[\w-]{1,80}:(?:[ \t][^\n]*|\r)?| {4}[^\n]*|\t[^\n]*)\n)*(?=\r?\n|$)/;

interface ConfiguredSite {
  config: MkdocsConfig;
  extensions: Extensions;
}

/** Creates the function that prepares a site's pages: it drops metadata, and expands snippets and includes. */
export function createSnippetText(tree: SourceTree, site: ConfiguredSite): PrepareText {
  const hasSnippets = ["pymdownx.snippets", ...INCLUDE_EXTENSIONS].some((name) => site.extensions.has(name));
  const snippets = hasSnippets ? new Snippets(tree, site) : undefined;
  return async (written, report) => {
    const text = dropMetadata(written, tree, report);
    if (snippets !== undefined) return (await snippets.expand({ ...written, text }, report)).toPrepared();
    const into = new AssembledText();
    into.add(text, tree.toTypedPath(written.path), written.firstLine);
    return into.toPrepared();
  };
}

// Drops metadata such as `Title: Tea` from the first lines of a page without front matter:
// https://www.mkdocs.org/user-guide/writing-your-docs/#multimarkdown-style-meta-data
function dropMetadata({ path, text, firstLine }: WrittenText, tree: SourceTree, report: ReportFinding): string {
  const [lines = "", name = ""] = firstLine === 1 ? (METADATA.exec(text) ?? []) : [];
  if (name === "") return text;
  const message = `metadata such as ${cutText(name, 60)} is left out: only front matter between --- is read`;
  const [what, plural] = ["page with metadata outside front matter", "pages with metadata outside front matter"];
  const tally = [{ what, plural, count: 1, isKept: false }];
  report({ kind: "counted", file: tree.toTypedPath(path), line: 1, message, tally });
  return "\n".repeat(countLineBreaks(lines)) + text.slice(lines.length);
}

interface Snippet {
  written: string;
  indent: string;
  path: string;
  line: number;
  /** The chain of including files, starting with the lesson. */
  within: readonly string[];
  /** True for `{!file!}`, which can point outside its base folder. */
  isInclude?: boolean;
}

/** A semicolon disables a snippet. */
const isOn = (written: string): boolean => !written.startsWith(";");

class Snippets {
  readonly #tree: SourceTree;
  readonly #bases: string[];
  /** The base folder of `{!file!}`; undefined if no extension for these includes is on. */
  readonly #includeBase: string | undefined;
  readonly #hasSnippets: boolean;
  readonly #append: string[];
  readonly #isDownloading: boolean;
  readonly #budget: IncludeBudget<string>;
  /** The paths of snippets by name, so that a name is searched for only once. */
  readonly #found = new Map<string, string>();

  constructor(tree: SourceTree, { config, extensions }: ConfiguredSite) {
    this.#tree = tree;
    this.#budget = new IncludeBudget(tree);
    const includes = INCLUDE_EXTENSIONS.map((name) => extensions.get(name)).find((each) => each !== undefined);
    this.#includeBase =
      includes && joinFolder(config.folder, (findText(includes, "base_path") ?? ".").slice(0, MAX_BASE));
    this.#hasSnippets = extensions.has("pymdownx.snippets");
    const options = extensions.get("pymdownx.snippets") ?? new Map();
    const bases = listTexts(options.get("base_path")).map(({ text }) => text.slice(0, MAX_BASE));
    this.#bases = (bases.length === 0 ? ["."] : bases).map((base) => {
      if (base.startsWith("$docs_dir")) return joinFolder(config.pages, base.slice("$docs_dir".length));
      return joinFolder(config.folder, base.replace(/^\$config_dir/, "."));
    });
    this.#append = listTexts(options.get("auto_append"))
      .map(({ text }) => text)
      .filter(isOn);
    const download = options.get("url_download");
    this.#isDownloading = download !== undefined && toBoolean(download) === true;
  }

  async expand({ path, text, firstLine }: WrittenText, report: ReportFinding): Promise<AssembledText> {
    const into = new AssembledText();
    const lines = text.split(/\r?\n/).map((line, index) => ({ text: line, number: index + firstLine }));
    const around = { path, indent: "", within: [path] };
    await this.#expandLines(lines, around, into, report);
    for (const written of this.#append) {
      if (this.#budget.isExhausted) break;
      into.add("\n", this.#tree.toTypedPath(path), lines.at(-1)?.number ?? firstLine);
      await this.#take({ ...around, written, line: lines.at(-1)?.number ?? firstLine }, into, report);
    }
    return into;
  }

  async #expandLines(
    lines: readonly { text: string; number: number }[],
    around: Omit<Snippet, "written" | "line">,
    into: AssembledText,
    report: ReportFinding,
  ): Promise<void> {
    const file = this.#tree.toTypedPath(around.path);
    let block: string | undefined;
    for (const { text, number } of lines) {
      const inline = block === undefined && this.#hasSnippets ? INLINE.exec(text) : null;
      const edge = inline === null && this.#hasSnippets ? BLOCK.exec(text) : null;
      const include = block === undefined && this.#includeBase !== undefined ? INCLUDE.exec(text) : null;
      if (include !== null) {
        const [, indent = "", inner = "", ranges = ""] = include;
        const [part = "", range = ranges] = INCLUDED_LINES.exec(inner.trim()) ?? [];
        const written = inner.replace(part, "").trim() + toPart(range);
        await this.#take(
          { ...around, written, indent: around.indent + indent, line: number, isInclude: true },
          into,
          report,
        );
      } else if (edge !== null) {
        block = block === undefined ? edge[1] : undefined;
      } else if (block !== undefined && text.trim() !== "") {
        await this.#take(
          { ...around, written: text.trim(), indent: around.indent + block, line: number },
          into,
          report,
        );
      } else if (inline !== null) {
        const written = (inline[2] ?? inline[3] ?? "").trim();
        await this.#take({ ...around, written, indent: around.indent + inline[1], line: number }, into, report);
      } else {
        const shown = this.#hasSnippets && text.includes("8<") ? text.replace(ESCAPED, "") : text;
        into.add(shown === "" ? "\n" : `${around.indent}${shown}\n`, file, number);
      }
    }
  }

  async #take(snippet: Snippet, into: AssembledText, report: ReportFinding): Promise<void> {
    if (!isOn(snippet.written) || this.#budget.isExhausted) return;
    if (!this.#budget.countDirective()) return this.#giveUp(snippet, report);
    await this.#include(snippet, into, report);
  }

  async #include(snippet: Snippet, into: AssembledText, report: ReportFinding): Promise<void> {
    const { written, within } = snippet;
    const fail = (message: string, kind?: ProblemKind): void => this.#report(message, snippet, report, kind);
    if (/^(?:https?:)?\/\//i.test(written)) {
      const why = this.#isDownloading ? "imports do not download snippets" : "url_download is not configured";
      return fail(`is a URL and is left out: ${why}`);
    }
    const { name, part } = splitName(written);
    const path = await this.#find(name, snippet, report);
    if (path === undefined) return;
    if (within.includes(path))
      return fail(`includes itself: ${[...within, path].map((each) => cutText(each, 60)).join(" → ")}`);
    if (within.length > MAX_DEPTH)
      return fail(`is left out: snippets can be nested at most ${MAX_DEPTH} deep`, "too-large");
    const text = this.#budget.find(path) ?? "";
    if (!this.#budget.countSearch(text)) return this.#giveUp(snippet, report);
    const lines = takeLines(text, part);
    if (lines === undefined)
      return fail(`names a section that ${cutText(this.#tree.toTypedPath(path))} does not contain`);
    // The indentation of the snippet counts as much as its text.
    const length = lines.reduce((sum, line) => sum + snippet.indent.length + line.text.length + 1, 0);
    const hasTooManyLines = into.lines + lines.length > this.#tree.limits.maxNodes;
    if (hasTooManyLines || !this.#budget.take(into.length, { length })) return this.#giveUp(snippet, report);
    await this.#expandLines(lines, { path, indent: snippet.indent, within: [...within, path] }, into, report);
  }

  /** Finds a snippet's file and caches its text. Reports a missing or unreadable file and returns undefined. */
  async #find(name: string, snippet: Snippet, report: ReportFinding): Promise<string | undefined> {
    const key = `${snippet.isInclude === true} ${name}`;
    const known = this.#found.get(key);
    if (known !== undefined && this.#budget.find(known) !== undefined) return known;
    let refused: "hidden" | "outside" | undefined;
    const bases = snippet.isInclude === true ? [undefined] : this.#bases;
    for (const [index, each] of bases.entries()) {
      // Each further base folder counts as a directive, since a site can configure thousands of base folders.
      if (index > 0 && !this.#budget.countDirective()) {
        this.#giveUp(snippet, report);
        return undefined;
      }
      const { base, path } = this.#placeIn(each, name);
      if (path !== base && base !== "." && !path.startsWith(`${base}/`)) {
        refused ??= "outside";
        continue;
      }
      if (this.#budget.find(path) === undefined) {
        const found = await this.#tree.findIn(path === base ? dirname(base) : base, path);
        if (found.kind === "hidden" || found.kind === "outside") refused = found.kind;
        if (found.kind !== "file") continue;
        const text = await found.read(report);
        if (text === undefined) return undefined;
        this.#budget.keep(path, text, text);
      }
      this.#found.set(key, path);
      return path;
    }
    if (refused === "hidden") this.#report("is left out: it points to a hidden or ignored path", snippet, report);
    else if (refused === "outside")
      this.#report("points outside its base_path or the source folder, and is skipped", snippet, report);
    else this.#report(`points to a missing file: no folder in base_path contains ${cutText(name)}`, snippet, report);
    return undefined;
  }

  /** Returns where a snippet is in one of the base folders, or if none is given, where `{!file!}` is. */
  #placeIn(base: string | undefined, name: string): { base: string; path: string } {
    if (base !== undefined) return { base, path: basename(base) === name ? base : join(base, name) };
    const folder = this.#includeBase ?? ".";
    const path = join(folder, name);
    return { base: path.startsWith(`${folder}/`) ? folder : ".", path };
  }

  // Reports the limit once per course: further snippets are skipped.
  #giveUp(snippet: Snippet, report: ReportFinding): void {
    this.#budget.isExhausted = true;
    this.#report(this.#budget.excess, snippet, report, "too-large");
  }

  #report(
    message: string,
    { written, path, line }: Snippet,
    report: ReportFinding,
    kind: ProblemKind = "missing-part",
  ): void {
    report({ kind, file: this.#tree.toTypedPath(path), line, message: `snippet "${cutText(written)}" ${message}` });
  }
}
