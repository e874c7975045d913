import { extname } from "node:path/posix";
import { findLessonFormat } from "./lesson-formats.ts";
import type { SourceEntry } from "../files/source-tree.ts";

export function isLessonFile(name: string): boolean {
  return findLessonFormat(name) !== undefined;
}

/** Returns true for Markdown and R Markdown, but not for MDX. */
export function isMarkdownFile(name: string): boolean {
  return findLessonFormat(name)?.isMarkdown === true;
}

/** Converts the extension of a lesson's path to lower case; returns other paths unchanged. */
export function lowerEnding(path: string): string {
  const ending = findLessonFormat(path)?.ending ?? "";
  return path.slice(0, path.length - ending.length) + ending;
}

/** Returns a path with each common spelling of its extension, such as `.rmd`, `.Rmd` and `.RMD`. */
export function listSpellings(path: string): string[] {
  const ending = extname(path);
  const stem = path.slice(0, path.length - ending.length);
  return [ending, ending.slice(0, 2).toUpperCase() + ending.slice(2), ending.toUpperCase()].map((each) => stem + each);
}

/**
 * Returns the number that begins a name such as `02-water.md` or `3b.md`; undefined if there is none or if the name
 * begins with a hash.
 */
export function findNumber(name: string): number | undefined {
  const digits = /^\d+/.exec(name)?.[0];
  return digits === undefined || isHash(name) ? undefined : Number(digits);
}

// Generated names such as `3f9a2c1e.md` and `4fKz81xQ.md` can begin with a digit by chance. A hash has seven or more
// characters and a digit after its first letters; if it is not hexadecimal, a letter follows that digit. So `3d-maps`,
// `2024dec` and `01part2` are not hashes.
function isHash(name: string): boolean {
  const [word = ""] = /^[\da-z]{7,}(?![^-_. ])/i.exec(name) ?? [];
  return /^\d+[a-f]+\d[\da-f]*$/i.test(word) || /^\d+[a-z]+\d+[a-z]/i.test(word);
}

/** Returns true for a site's error page, such as `404.html`. */
export function isErrorPage(name: string): boolean {
  return name.startsWith("404.");
}

/** Returns true for `README` and `index`, in any letter case, with a lesson's extension. */
export function isIntroduction(name: string): boolean {
  return isLessonFile(name) && /^(readme|index)\.[a-z]+$/i.test(name);
}

/** Returns true for a file that, in the root of a source or course, describes the repository. */
export function isAboutRepository(name: string): boolean {
  return /^(?:licen[cs]e|copying|contributing|changelog|changes|code[-_]of[-_]conduct|security|authors|support|governance|citation)\.[a-z]+$/i.test(
    name,
  );
}

/** Returns a title from a file or folder name: `02-deep-learning.md` becomes `Deep learning`. */
export function toTitle(name: string): string {
  const stem = isLessonFile(name) ? name.slice(0, -extname(name).length) : name;
  const words = stem
    .replace(/^\d+[-_. ]+/, "")
    .replace(/[-_\s]+/g, " ")
    .trim();
  const title = words === "" ? stem : words;
  // Splits by code point, since the first letter can lie outside the Basic Multilingual Plane.
  const [first = "", ...rest] = title;
  return first.toUpperCase() + rest.join("");
}

/** Returns true for a folder's introduction, which is its first lesson. */
export function isFirst({ name, isFolder }: SourceEntry): boolean {
  return !isFolder && (isIntroduction(name) || /^_index\.[a-z]+$/i.test(name));
}

/**
 * Returns true for a lesson file, unless it is an error page or a site builder's file. In the root of a source or
 * course, where `isRoot` is true, files about the repository are excluded, too.
 */
export function isPlainLesson({ name, isFolder }: SourceEntry, isRoot: boolean): boolean {
  if (isFolder || !isLessonFile(name) || isErrorPage(name) || (isRoot && isAboutRepository(name))) return false;
  return !name.startsWith("_") || /^_index\./i.test(name);
}

/** Returns true for a folder, unless it belongs to Jekyll or another site builder. */
export function isShownFolder({ name, isFolder }: SourceEntry): boolean {
  return isFolder && !name.startsWith("_");
}

/** Compares names in natural order: `step 9` before `step 10`. */
export function compareNames(a: SourceEntry, b: SourceEntry): number {
  return collator.compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
}

// A fixed locale keeps the order independent of the machine.
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
