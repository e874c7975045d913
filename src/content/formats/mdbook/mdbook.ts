// Reads mdBook books: SUMMARY.md is the outline, and book.toml sets the title and the folder of SUMMARY.md.
import { decodeUrl } from "../../html/links.ts";
import { dirname, join } from "node:path/posix";
import type { Token } from "markdown-it";
import { MARKDOWN } from "../../markdown/dialects.ts";
import type { NamedLesson } from "../../lesson-files/lesson-file.ts";
import { addDefinitionListRule } from "../../markdown/rules/definition-lists.ts";
import { addHiddenLineRule } from "../../markdown/rules/hidden-lines.ts";
import { parseMarkdown, visitTokens } from "../../markdown/create-parser.ts";
import { toText } from "../../markdown/tokens.ts";
import type { SourceLimits } from "../../limits.ts";
import { cutText } from "../../quote.ts";
import { reportUnreadable, type Location, type ReportFinding } from "../../source.ts";
import { BookIncludes, createBookText } from "./book-includes.ts";
import { addBookRules } from "./book-rules.ts";
import { readBookToml, UNDESCRIBED_BOOK, type Book } from "./book-toml.ts";
import { readMkdocsSite } from "../mkdocs-site.ts";
import { findNamedFile } from "../read-files.ts";
import { nestParts, TOP_SECTIONS, type ListedPart, type OutlinePart } from "../outline-tree.ts";
import { findFile, nameAfterFolder, nameFields, type CourseFolder, type Outline, type Format } from "../format.ts";

/** A book that a book.toml identifies. */
export const mdbook: Format = {
  async detect({ tree, folder, entries }) {
    const bookToml = findFile(entries, "book.toml");
    if (bookToml === undefined) return undefined;
    const book = await readBookToml(tree, bookToml.path, () => undefined);
    const path = join(folder, book?.src ?? "src", "SUMMARY.md");
    const found = await tree.find(path);
    // A link that points outside the source is reported when the book is read.
    return found === "file" || found === "outside" ? path : undefined;
  },
  outline: readBook,
};

/** A SUMMARY.md without a book.toml: the file might belong to something else. */
export const summary: Format = {
  async detect({ tree, folder, entries }) {
    if (findFile(entries, "book.toml") !== undefined) return undefined;
    if ((await readMkdocsSite(tree, folder, () => undefined))?.readNav !== undefined) return undefined;
    for (const source of [".", "src"]) {
      const path = join(folder, source, "SUMMARY.md");
      if ((await tree.find(path)) === "file") return path;
    }
    return undefined;
  },
  outline: readBook,
};

async function readBook(course: CourseFolder, path: string): Promise<Outline | undefined> {
  const { tree, entries, report } = course;
  const bookToml = findFile(entries, "book.toml");
  const book = bookToml === undefined ? UNDESCRIBED_BOOK : await readBookToml(tree, bookToml.path, report);
  const text = await tree.readText(path, report);
  if (book === undefined || text === undefined) return undefined;
  const place = { file: tree.toTypedPath(path), line: 1 };
  const items = parseSummary(text, place.file, tree.limits, report);
  if (items === undefined) return undefined;
  const ownFiles = new Set([path]);
  const dialect = {
    ...MARKDOWN,
    hasTexMath: book.hasTexMath,
    hiddenLines: new Map([["rust", "#"], ...book.hiddenLines]),
    rules: [addHiddenLineRule, addDefinitionListRule, addBookRules],
  };
  // In an MkDocs site, the plugin literate-nav reads SUMMARY.md as the order of pages.
  const site = bookToml === undefined ? await readMkdocsSite(tree, dirname(path), report) : undefined;
  return {
    fields: new Map([...nameAfterFolder(course, place), ...book.fields, ...(site?.fields ?? [])]),
    place,
    parts: await toParts(items, course, dirname(path)),
    flattening: TOP_SECTIONS,
    redirects: toRedirects(book, dirname(path)),
    ...(site?.describeText(MARKDOWN) ?? { dialect, prepare: createBookText(new BookIncludes(tree, ownFiles)) }),
    unlisted: {
      folders: [dirname(path)],
      ownFiles,
      isCounted: true,
      allowsIntroduction: true,
      message: "not in SUMMARY.md",
    },
  };
}

// A new URL is relative to the old page, or to the book if the URL begins with a slash.
function toRedirects({ redirects }: Book, source: string): Map<string, string> {
  const paths = [...redirects].map(([from, to]): [string, string] => {
    const old = join(source, from.replace(/^\/+/, ""));
    if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(to)) return [old, to];
    return [old, to.startsWith("/") ? join(source, to) : join(dirname(old), to)];
  });
  return new Map(paths);
}

/** Turns parts or, if there are none, top-level pages into chapters; pages above these form the introduction. */
async function toParts(items: SummaryItem[], course: CourseFolder, source: string): Promise<OutlinePart[]> {
  const hasParts = items.some(({ isPart }) => isPart);
  const listed: ListedPart[] = [];
  let chapterName = "";
  for (const { isPart, name, href, place, depth } of items) {
    const opens = isPart || (!hasParts && (depth === 1 || (depth === 0 && chapterName !== "")));
    const fields = nameFields(name, place);
    if (opens || listed.length === 0) {
      listed.push({ depth: 0, fields: opens ? fields : nameFields("Introduction", place), place });
      chapterName = opens ? name : "";
    }
    if (isPart) continue;
    const lesson = await findLesson({ name, href, place }, chapterName || "Introduction", course, source);
    listed.push({ depth: opens ? Infinity : depth + 1, fields, place, lesson });
  }
  return nestParts(listed);
}

/** Finds a lesson's file. Reports a missing file and returns undefined. */
async function findLesson(
  { name, href, place }: Pick<SummaryItem, "name" | "href" | "place">,
  chapter: string,
  { tree, folder, report }: CourseFolder,
  source: string,
): Promise<NamedLesson | undefined> {
  const named = {
    name: href,
    chapter,
    courseFolder: folder,
    folder: source,
    endings: [".md"],
    place,
    isOptional: true,
  };
  const file = await findNamedFile(tree, named, report);
  return file === undefined ? undefined : { file, fields: nameFields(name, place), place };
}

/** An entry of SUMMARY.md: https://rust-lang.github.io/mdBook/format/summary.html. */
interface SummaryItem {
  /** True for a part's title, false for a page. */
  isPart: boolean;
  /** The name without markup. */
  name: string;
  /** The file, relative to the folder of SUMMARY.md; "" for a part. */
  href: string;
  place: Location;
  /** The depth in the list; 0 for pages outside lists. */
  depth: number;
}

/** Returns items in order and reports skipped entries. Reports unreadable text and returns undefined. */
function parseSummary(
  text: string,
  file: string,
  limits: SourceLimits,
  report: ReportFinding,
): SummaryItem[] | undefined {
  try {
    const syntax = { dialect: MARKDOWN, limits };
    const reader = new SummaryReader(file, report);
    visitTokens(parseMarkdown(text, syntax), syntax, (token, line) => reader.read(token, line));
    return reader.items;
  } catch (error) {
    return reportUnreadable(error, { file }, report);
  }
}

class SummaryReader {
  readonly items: SummaryItem[] = [];
  readonly #file: string;
  readonly #report: ReportFinding;
  #depth = 0;
  /** The tag of the current heading. */
  #heading: string | undefined;
  #hasTitle = false;

  constructor(file: string, report: ReportFinding) {
    this.#file = file;
    this.#report = report;
  }

  read(token: Token, line: number): void {
    if (token.type === "list_item_open") this.#depth++;
    else if (token.type === "list_item_close") this.#depth--;
    else if (token.type === "heading_open") this.#heading = token.tag;
    else if (token.type === "heading_close") this.#heading = undefined;
    else if (token.type === "inline" && this.#heading === undefined) this.#readLinks(token.children ?? [], line);
    else if (token.type === "inline" && this.#heading === "h1") this.#readPart(token.children ?? [], line);
  }

  // The first heading is the title of SUMMARY.md itself.
  #readPart(children: Token[], line: number): void {
    const isTitle = !this.#hasTitle && this.items.length === 0;
    this.#hasTitle = true;
    const place = { file: this.#file, line };
    if (!isTitle) this.items.push({ isPart: true, name: toText(children).trim(), href: "", place, depth: 0 });
  }

  #readLinks(children: Token[], firstLine: number): void {
    let line = firstLine;
    let link: { start: number; href: string } | undefined;
    let links = 0;
    for (const [index, token] of children.entries()) {
      if (token.type === "softbreak" || token.type === "hardbreak") line++;
      if (token.type === "link_open") link = { start: index + 1, href: String(token.attrGet("href") ?? "") };
      if (token.type !== "link_close" || link === undefined) continue;
      this.#addItem(toText(children.slice(link.start, index)).trim(), toPath(link.href), line);
      link = undefined;
      links++;
    }
    const text = toText(children).trim();
    if (links === 0 && text !== "") this.#skip(`"${cutText(text)}" is not a link to a file`, firstLine);
  }

  #addItem(name: string, href: string, line: number): void {
    if (href === "") return this.#skip(`"${cutText(name)}" is a draft without a file`, line, "draft");
    if (/^[a-z][a-z\d+.-]*:/i.test(href))
      return this.#skip(
        `"${cutText(name)}" points to another site`,
        line,
        "link to another site",
        "links to other sites",
      );
    this.items.push({ isPart: false, name, href, place: { file: this.#file, line }, depth: this.#depth });
  }

  #skip(what: string, line: number, counted?: string, plural?: string): void {
    this.#report({
      kind: "skipped-part",
      file: this.#file,
      line,
      message: `${what} and is skipped`,
      tally: counted === undefined ? undefined : [{ what: counted, plural, count: 1, isKept: false }],
    });
  }
}

// Decodes a URL, which the parser percent-encodes, and drops its query and fragment.
function toPath(href: string): string {
  return decodeUrl(/^[^?#]*/.exec(href)?.[0] ?? "");
}
