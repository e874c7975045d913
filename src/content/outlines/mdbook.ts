// Books made with mdBook: SUMMARY.md is the outline, book.toml says where it is and what the book is called.
import { dirname, join } from "node:path/posix";
import type { Token } from "markdown-it";
import type { SourceTree } from "../files/source-tree.ts";
import { DIALECTS } from "../lessons/dialects.ts";
import type { NamedLesson } from "../lessons/lesson-file.ts";
import { parseMarkdown, visitTokens } from "../lessons/markdown-parser.ts";
import { toText } from "../lessons/token-text.ts";
import { UnreadableText, type SourceLimits } from "../limits.ts";
import type { PlacedFields } from "../placed/placed-value.ts";
import type { ProblemKind } from "../problem-kinds.ts";
import { cutText } from "../quote.ts";
import type { Location, Report } from "../source.ts";
import { findNamedFile } from "./named-file.ts";
import {
  addLanguage,
  findFile,
  nameAfterFolder,
  nameFields,
  NOT_IN_OUTLINE,
  type CourseFolder,
  type Outline,
  type OutlineChapter,
  type OutlineFolder,
  type OutlineKind,
} from "./outline.ts";

/** No book needs more, and the parser's time grows faster than the text. */
const MAX_BOOK_TOML = 65_536;

/** mdBook's outline: its parts, or for lack of them its items at the top level, become chapters. */
export const mdbook: OutlineKind = { sign: "a SUMMARY.md", find: findSummary, read: readBook, yieldsToFolders: true };

async function findSummary({ tree, folder, entries }: OutlineFolder): Promise<string | undefined> {
  const bookToml = findFile(entries, "book.toml");
  const book = bookToml === undefined ? undefined : await readBookToml(tree, bookToml.path, () => undefined);
  const sources = bookToml === undefined ? [".", "src"] : [book?.src ?? "src"];
  for (const source of sources) {
    const path = join(folder, source, "SUMMARY.md");
    const found = await tree.find(path);
    // What leads outside is left to the reading, which tells so.
    if (found === "file" || (found === "outside" && bookToml !== undefined)) return path;
  }
  return undefined;
}

async function readBook(course: CourseFolder, path: string): Promise<Outline | undefined> {
  const { tree, entries, report } = course;
  const bookToml = findFile(entries, "book.toml");
  const book = bookToml === undefined ? {} : await readBookToml(tree, bookToml.path, report);
  const text = await tree.readText(path, report);
  if (book === undefined || text === undefined) return undefined;
  const place = { file: tree.toTypedPath(path), line: 1 };
  const items = parseSummary(text, place.file, tree.limits, report);
  if (items === undefined) return undefined;
  return {
    fields: book.fields?.has("name")
      ? book.fields
      : new Map([...nameAfterFolder(course, place), ...(book.fields ?? [])]),
    place,
    chapters: await toChapters(items, course, dirname(path)),
    dialect: DIALECTS.markdown,
    unlisted: { ...NOT_IN_OUTLINE, folder: dirname(path), ownFiles: [path] },
  };
}

type BookKey = "title" | "src" | "language" | "description";

interface Book {
  /** What it tells of the course, as fields of the course. */
  fields?: PlacedFields;
  src?: string | undefined;
}

/** Undefined when it cannot be read; that is reported. */
async function readBookToml(tree: SourceTree, path: string, report: Report): Promise<Book | undefined> {
  const file = tree.toTypedPath(path);
  const fail = (message: string, kind: ProblemKind = "wrong-value"): undefined => {
    report({ severity: "error", kind, file, message });
  };
  const text = await tree.readText(path, report);
  if (text === undefined) return undefined;
  if (text.length > MAX_BOOK_TOML) return fail("too large: a book.toml may have 64 KiB", "too-large");
  try {
    const { book } = Bun.TOML.parse(text) as { book?: Partial<Record<BookKey, unknown>> };
    const { title, src, language, description } = book ?? {};
    if (title !== undefined && typeof title !== "string") return fail("book.title: must be text");
    if (src !== undefined && typeof src !== "string") return fail("book.src: must be text: a folder");
    const placeOf = (key: BookKey): Location => {
      const keyAt = text.search(new RegExp(`^[ \\t]*(?:book\\.)?${key}[ \\t]*=`, "m"));
      return keyAt === -1 ? { file } : { file, line: text.slice(0, keyAt).split("\n").length };
    };
    const fields: PlacedFields = new Map();
    if (title !== undefined) fields.set("name", { value: title, place: placeOf("title") });
    if (typeof description === "string")
      fields.set("description", { value: description, place: placeOf("description") });
    if (language !== undefined) {
      const tag = typeof language === "string" ? language : JSON.stringify(language);
      addLanguage(fields, "book.language", tag, placeOf("language"), report);
    }
    return { fields, src };
  } catch (error) {
    // Text that is nested thousands of levels deep exhausts the parser's stack.
    if (error instanceof RangeError) return fail("the TOML is nested too deeply to be read", "too-large");
    return fail(cutText(error instanceof Error ? error.message : String(error)), "syntax");
  }
}

async function toChapters(items: SummaryItem[], course: CourseFolder, source: string): Promise<OutlineChapter[]> {
  const hasParts = items.some(({ kind }) => kind === "part");
  const chapters: OutlineChapter[] = [];
  const openChapter = (name: string, place: Location): OutlineChapter => {
    const chapter = { fields: nameFields(name, place), place, folder: undefined, lessons: [], namesLessons: false };
    chapters.push(chapter);
    return chapter;
  };
  let chapterName = "";
  for (const { kind, name, href, place } of items) {
    const isFirst = chapters.length === 0;
    const opens = kind === "part" || (!hasParts && (kind === "top" || (kind === "outside" && chapterName !== "")));
    if (opens || isFirst) {
      openChapter(opens ? name : "Introduction", place);
      chapterName = opens ? name : "";
    }
    const chapter = chapters.at(-1);
    if (kind === "part" || chapter === undefined) continue;
    chapter.namesLessons = true;
    const lesson = await findLesson({ name, href, place }, chapterName || "Introduction", course, source);
    if (lesson !== undefined) chapter.lessons.push(lesson);
  }
  return chapters;
}

/** Undefined when there is no such file; that is reported. */
async function findLesson(
  { name, href, place }: Pick<SummaryItem, "name" | "href" | "place">,
  chapter: string,
  { tree, folder, report }: CourseFolder,
  source: string,
): Promise<NamedLesson | undefined> {
  const file = { name: href, chapter, courseFolder: folder, folder: source, endings: [".md"] };
  const found = await findNamedFile(tree, file);
  if ("path" in found) return { file: found.path, fields: nameFields(name, place), place };
  report({ severity: "error", kind: "missing-file", ...place, message: found.problem });
  return undefined;
}

/** An entry of SUMMARY.md: https://rust-lang.github.io/mdBook/format/summary.html. */
interface SummaryItem {
  /** The title of a part; an item of a list at its top level, or deeper; one before, between or after the lists. */
  kind: "part" | "top" | "deeper" | "outside";
  /** Without back-ticks and other markup. */
  name: string;
  /** The file, relative to that of the summary; "" for a part. */
  href: string;
  place: Location;
}

/** The items in their order; what is skipped is reported. Undefined when the text cannot be read; that is reported. */
function parseSummary(text: string, file: string, limits: SourceLimits, report: Report): SummaryItem[] | undefined {
  try {
    const syntax = { dialect: DIALECTS.markdown, limits };
    const reader = new SummaryReader(file, report);
    visitTokens(parseMarkdown(text, syntax), syntax, (token, line) => reader.read(token, line));
    return reader.items;
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    report({ severity: "error", kind: error.kind, file, message: error.message });
    return undefined;
  }
}

class SummaryReader {
  readonly items: SummaryItem[] = [];
  readonly #file: string;
  readonly #report: Report;
  #depth = 0;
  /** The tag of the heading that is read. */
  #heading: string | undefined;
  #hasTitle = false;

  constructor(file: string, report: Report) {
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

  // The first heading, above everything, is that of the summary itself.
  #readPart(children: Token[], line: number): void {
    const isTitle = !this.#hasTitle && this.items.length === 0;
    this.#hasTitle = true;
    const place = { file: this.#file, line };
    if (!isTitle) this.items.push({ kind: "part", name: toText(children).trim(), href: "", place });
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
    if (links === 0 && text !== "") this.#skip(`"${cutText(text)}" is no link to a file`, firstLine);
  }

  #addItem(name: string, href: string, line: number): void {
    if (href === "") return this.#skip(`"${cutText(name)}" is a draft without a file`, line);
    if (/^[a-z][a-z\d+.-]*:/i.test(href)) return this.#skip(`"${cutText(name)}" leads to another site`, line);
    const kind = this.#depth === 0 ? "outside" : this.#depth === 1 ? "top" : "deeper";
    this.items.push({ kind, name, href, place: { file: this.#file, line } });
  }

  #skip(what: string, line: number): void {
    this.#report({
      severity: "warning",
      kind: "skipped-part",
      file: this.#file,
      line,
      message: `${what}, and is skipped`,
    });
  }
}

// The parser percent-encodes; what follows the file's name leads to a place in it.
function toPath(href: string): string {
  const path = /^[^?#]*/.exec(href)?.[0] ?? "";
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
