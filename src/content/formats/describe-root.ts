// Explains what a folder without courses probably is, and what to do. Reads names a few levels deep, but opens files
// only to detect courses.
import { basename, dirname, join, relative } from "node:path/posix";
import type { SourceEntry, SourceTree } from "../files/source-tree.ts";
import { findFolderLanguage } from "../../catalog/language-tags.ts";
import {
  isAboutRepository,
  isIntroduction,
  isLessonFile,
  toTitle,
  isPlainLesson,
} from "../lesson-files/lesson-names.ts";
import { cutText } from "../quote.ts";
import { detectFormat } from "./read-outline.ts";
import { FORMATS } from "./registry.ts";
import { countParts } from "./numbers.ts";
import { findBuilder, type FoundBuilder } from "./site-builders.ts";
import { UNREAD_KINDS } from "./unused-files.ts";

const MAX_DEPTH = 3;
const MAX_ENTRIES = 5000;
/** The maximum number of folders to search for courses. */
const MAX_FOLDERS = 300;
/** The maximum number of lines of advice, so that a message has at most five lines. */
const MAX_HINTS = 4;
const MAX_NAMED = 3;

interface LookedAt {
  /** The entries by folder, level by level from the root. */
  folders: Map<string, SourceEntry[]>;
  /** Course folders by parent folder. */
  courses: Map<string, string[]>;
  /** The courses whose only sign is numbered names. */
  numbered: SourceEntry[];
  /** False if there are too many folders or entries to read them all. */
  isWhole: boolean;
}

/** Returns up to four lines of advice on a folder without courses. */
export async function describeRoot(tree: SourceTree): Promise<string[]> {
  const { folders, courses } = await lookAround(tree);
  const name = (path: string): string => cutText(tree.toTypedPath(path));
  const files = [...folders.values()].flat().filter(({ isFolder }) => !isFolder);
  const builder = findBuilder(folders);
  const lines = builder === undefined ? [] : [`this looks like ${builder.label}: there is ${name(builder.sign)}`];
  if (courses.size > 0) lines.push(...describeCourses(courses, name));
  else if (builder?.advice !== undefined) lines.push(builder.advice);
  else if (files.length === 0)
    lines.push("the folder is empty: a course needs lessons, such as .md, .mdx or .html files");
  else {
    const pages = builder === undefined ? "." : findPages(builder, folders);
    lines.push(...describeLessons(folders, pages, name), ...describeOthers(files, name));
  }
  return lines.slice(0, MAX_HINTS);
}

/**
 * Returns the folder of pages without an outline; undefined if deeper folders are courses, or if there is other advice
 * for the pages' site builder.
 */
export async function findPlainPages(tree: SourceTree): Promise<string | undefined> {
  const { folders, courses, numbered } = await lookAround(tree);
  const builder = findBuilder(folders);
  const found = [...courses.values()].flat();
  if (found.length > numbered.length || builder?.advice !== undefined) return undefined;
  const beside = [...folders.values()]
    .flat()
    .filter((entry) => !isIntroduction(entry.name) && isPlainLesson(entry, dirname(entry.path) === "."));
  if (found.length > 0 && beside.length <= (await countParts(tree, numbered)).lessons) return undefined;
  const pages = builder === undefined ? "." : findPages(builder, folders);
  // A site builder's own folders, such as _posts, are not courses.
  return /(?:^|\/)_/.test(pages) ? undefined : pages;
}

/** Returns the page folders of adjacent sites of one builder, such as one site for each language. */
export async function findSites(tree: SourceTree): Promise<string[]> {
  const { folders } = await lookAround(tree);
  const first = findBuilder(folders);
  if (first === undefined || first.folder === "." || first.hasSites !== true) return [];
  return [...folders].flatMap(([folder, entries]) => {
    if (dirname(folder) !== dirname(first.folder)) return [];
    const builder = findBuilder(new Map([[folder, entries]]));
    return builder?.label === first.label ? [findPages(builder, folders)] : [];
  });
}

/** Returns the only course below the root, or its language folders; an empty list for several courses or none. */
export async function findOneCourse(tree: SourceTree): Promise<string[]> {
  const { courses, isWhole } = await lookAround(tree);
  const [found = [], ...others] = courses.values();
  const isOne = found.length === 1 || found.every((path) => findFolderLanguage(basename(path)) !== undefined);
  return isWhole && others.length === 0 && isOne ? found : [];
}

function findPages({ folder, pages }: FoundBuilder, folders: LookedAt["folders"]): string {
  return pages.map((path) => join(folder, path)).find((path) => folders.has(path)) ?? folder;
}

/** Describes the courses below a folder in lines like those of `describeRoot`. */
export async function describeFolder(tree: SourceTree, folder: string): Promise<string[]> {
  const { courses } = await lookAround(tree, folder);
  return describeCourses(courses, (path) => cutText(tree.toTypedPath(path)));
}

async function lookAround(tree: SourceTree, root = "."): Promise<LookedAt> {
  const seen: LookedAt = { folders: new Map(), courses: new Map(), numbered: [], isWhole: true };
  const { folders, courses, numbered } = seen;
  let level: SourceEntry[] = [{ name: root, path: root, isFolder: true, isLink: false }];
  let entries = 0;
  // Markdown alone is too common to indicate a course.
  const outlined = FORMATS.filter(({ claim }) => claim !== "rest");
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const next: SourceEntry[] = [];
    for (const entry of level) {
      const { path: folder } = entry;
      if (folders.size >= MAX_FOLDERS || entries >= MAX_ENTRIES) return { ...seen, isWhole: false };
      const listed = await tree.list(folder);
      entries += listed.length;
      // The root and its folders have already been checked.
      const isNew = depth > (root === "." ? 1 : 0);
      const outline = isNew ? await detectFormat({ tree, folder, entries: listed }, outlined) : undefined;
      if (outline !== undefined) {
        const parent = folder.slice(0, folder.lastIndexOf("/"));
        courses.set(parent, [...(courses.get(parent) ?? []), folder]);
        if (outline.entry.claim === "numbers") numbered.push(entry);
        continue;
      }
      folders.set(folder, listed);
      next.push(...listed.filter(({ isFolder, isLink }) => isFolder && !isLink));
    }
    level = next;
  }
  return seen;
}

function describeCourses(courses: LookedAt["courses"], name: (path: string) => string): string[] {
  const places = [...courses].sort(([, a], [, b]) => b.length - a.length);
  const lines = places.slice(0, MAX_NAMED).map(([parent, found]) => {
    const [first = parent] = found;
    if (found.length === 1) return `${name(first)} is a course: import that folder`;
    const names = found.slice(0, MAX_NAMED).map((path) => path.slice(parent.length + 1));
    const more = found.length > MAX_NAMED ? ", …" : "";
    return `${name(parent)} contains ${found.length} courses (${cutText(names.join(", "))}${more}): import that folder`;
  });
  const rest = places.length - MAX_NAMED;
  if (rest <= 0) return lines;
  return [...lines, rest === 1 ? "1 more folder contains courses" : `${rest} more folders contain courses`];
}

/** Describes lesson files of unknown order in and below a folder. */
function describeLessons(folders: LookedAt["folders"], root: string, name: (path: string) => string): string[] {
  const within = [...folders].filter(([path]) => root === "." || path === root || path.startsWith(`${root}/`));
  const every = within.flatMap(([, entries]) => entries.filter((entry) => !entry.isFolder && isLessonFile(entry.name)));
  const pages = every.filter((entry) => {
    const isAbout = dirname(entry.path) === root && isAboutRepository(entry.name);
    return !isAbout && !isIntroduction(entry.name) && !entry.name.startsWith("_");
  });
  const lessons = pages.length > 0 ? pages : every;
  const [first] = lessons;
  if (first === undefined) return [];
  const holding = new Set(lessons.map(({ path }) => dirname(path)));
  const isOneFolder = holding.size === 1;
  const folder = isOneFolder ? dirname(first.path) : root;
  const stems = lessons.slice(0, MAX_NAMED).map(({ path }) => relative(folder, path).replace(/\.[a-z]+$/i, ""));
  const [stem = ""] = stems;
  const found = lessons.length === 1 ? "there is 1 lesson file" : `there are ${lessons.length} lesson files`;
  const where = isOneFolder ? `in ${name(folder)}` : `in ${holding.size} folders of ${name(folder)}`;
  const numbered = stem.split("/").map((part) => `01-${part}`);
  const course = folder === "." ? "My course" : toTitle(basename(folder));
  return [
    `${found} ${where} in unknown order, since no name begins with a number`,
    `number ${isOneFolder ? "the names" : "folders and files"}, as in ${cutText(numbered.join("/"))}.md, or write ${name(join(folder, "course.yaml"))}, such as`,
    `  ${cutText(`{name: ${course}, chapters: [{name: Start, lessons: [${stems.join(", ")}]}]}`)}`,
  ];
}

function describeOthers(files: readonly SourceEntry[], name: (path: string) => string): string[] {
  return UNREAD_KINDS.flatMap(({ ending, advice }) => {
    const found = files.find(({ name: file }) => ending.test(file));
    return found === undefined ? [] : [`${name(found.path)} ${advice}`];
  });
}
