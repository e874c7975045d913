// Reads book.toml, mdBook's configuration.
import type { SourceTree } from "../../files/source-tree.ts";
import type { PlacedFields } from "../../resolve/placed-value.ts";
import type { ProblemKind } from "../../problem-kinds.ts";
import { cutText } from "../../quote.ts";
import type { Location, ReportFinding } from "../../source.ts";
import { addLanguage } from "../format.ts";

/** The maximum length of the file: the parser takes superlinear time, and no book needs a longer file. */
const MAX_BOOK_TOML = 65_536;

export interface Book {
  /** The course's fields. */
  fields: PlacedFields;
  /** The folder of SUMMARY.md, relative to the folder of book.toml. */
  src?: string | undefined;
  /** The new URLs of pages by old URL: `../new.html#part` by `/old.html`. */
  redirects: ReadonlyMap<string, string>;
  /** True if `$…$` is a formula. */
  hasTexMath: boolean;
  /** The prefix of hidden lines, by language. */
  hiddenLines: ReadonlyMap<string, string>;
}

/** A book without a book.toml. */
export const UNDESCRIBED_BOOK: Book = {
  fields: new Map(),
  redirects: new Map(),
  hasTexMath: false,
  hiddenLines: new Map(),
};

/** Reads book.toml. Reports an unreadable file and returns undefined. */
export async function readBookToml(tree: SourceTree, path: string, report: ReportFinding): Promise<Book | undefined> {
  const file = tree.toTypedPath(path);
  const fail = (message: string, kind: ProblemKind = "wrong-value"): undefined => {
    report({ kind, file, message });
  };
  const text = await tree.readText(path, report);
  if (text === undefined) return undefined;
  if (text.length > MAX_BOOK_TOML) return fail("too large: a book.toml is limited to 64 KiB", "too-large");
  let parsed: unknown;
  try {
    parsed = Bun.TOML.parse(text);
  } catch (error) {
    // Deep nesting exhausts the parser's stack.
    if (error instanceof RangeError) return fail("the TOML is nested too deeply to be read", "too-large");
    return fail(cutText(error instanceof Error ? error.message : String(error)), "syntax");
  }
  const { title, src, description, language } = toTable(find(parsed, "book"));
  if (title !== undefined && typeof title !== "string") return fail("book.title: must be text");
  if (src !== undefined && typeof src !== "string") return fail("book.src: must be the name of a folder");
  const placeOf = (key: string): Location => {
    const keyAt = text.search(new RegExp(`^[ \\t]*(?:book\\.)?${key}[ \\t]*=`, "m"));
    return keyAt === -1 ? { file } : { file, line: text.slice(0, keyAt).split("\n").length };
  };
  const fields: PlacedFields = new Map();
  if (title !== undefined) fields.set("name", { value: title, place: placeOf("title") });
  if (typeof description === "string") fields.set("description", { value: description, place: placeOf("description") });
  if (language !== undefined) {
    const tag = typeof language === "string" ? language : JSON.stringify(language);
    addLanguage(fields, "book.language", tag, placeOf("language"), report);
  }
  return {
    fields,
    src,
    redirects: toTexts(find(parsed, "output", "html", "redirect")),
    hasTexMath: find(parsed, "preprocessor", "katex") !== undefined,
    hiddenLines: toTexts(find(parsed, "output", "html", "code", "hidelines")),
  };
}

function find(value: unknown, ...path: string[]): unknown {
  return path.reduce((inner, key) => toTable(inner)[key], value);
}

function toTable(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function toTexts(value: unknown): Map<string, string> {
  return new Map(
    Object.entries(toTable(value)).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
