// Finding the courses of a source: the root is one, or holds one per folder.
import type { SourceEntry, SourceTree } from "../files/source-tree.ts";
import { isLessonFile } from "../lessons/lesson-names.ts";
import type { Report } from "../source.ts";
import { describeFolder, describeRoot, findPlainPages } from "./describe-root.ts";
import { isNumbered, numberedFolder } from "./numbered-folder.ts";
import { findOutline, OUTLINE_KINDS, OUTLINE_NAMES } from "./outline-kinds.ts";
import type { OutlineKind } from "./outline.ts";
import { listPlainCourses, plain } from "./plain.ts";

const firstKinds = OUTLINE_KINDS.filter(({ yieldsToFolders }) => !yieldsToFolders);
const laterKinds = OUTLINE_KINDS.filter((kind) => kind.yieldsToFolders && kind !== plain);
/** Those that a folder has because its author wrote one. */
const NAMED_KINDS = OUTLINE_KINDS.filter((kind) => kind !== numberedFolder && kind !== plain);
const namedKinds = firstKinds.filter((kind) => kind !== numberedFolder);
const namedSigns = new Set(NAMED_KINDS.map(({ sign }) => sign));
const DESCRIPTION = `a course folder has ${[...namedSigns].join(", ")}, or ${numberedFolder.sign}`;

/** Files and folders in a folder that may have no lessons. */
const MAX_LOOKED_AT = 2000;
/** Folders beside courses in which deeper ones are looked for. */
const MAX_LOOKED_INTO = 20;

/**
 * Lists the course folders, relative to the root, in the order of their names. Folders that are none are reported, as is
 * a source without any. What is wrong inside a course folder is left to its reading.
 */
export async function listCourseFolders(
  tree: SourceTree,
  format: string | undefined,
  report: Report,
): Promise<string[]> {
  if (format !== undefined) return listFoldersOfFormat(tree, format, report);
  const entries = await tree.list(".");
  const rootEntries = await withoutNumberedCourses(tree, entries);
  if (await isCourse(tree, ".", rootEntries, firstKinds)) return ["."];

  const folders = entries.filter((entry) => entry.isFolder).map(({ path }) => path);
  const found = new Set<string>();
  for (const path of folders) if (await isCourse(tree, path, await tree.list(path), firstKinds)) found.add(path);
  if (found.size === 0 && (await isCourse(tree, ".", entries, laterKinds))) return ["."];
  if (found.size === 0 && !(await holdsCourse(tree, folders, laterKinds))) {
    const pages = await findPlainPages(tree);
    const isPlain = pages !== undefined && (await isCourse(tree, pages, await tree.list(pages), [plain]));
    if (isPlain) return listPlainCourses(tree, pages, report);
  }

  // The entries are the same again; this time their problems are the source's.
  await tree.list(".", report);
  const others: string[] = [];
  for (const path of folders) {
    if (found.has(path)) continue;
    if (await isCourse(tree, path, await tree.list(path), laterKinds)) {
      found.add(path);
      continue;
    }
    await tree.list(path, report);
    others.push(path);
  }
  if (found.size === 0) {
    const hints = await describeRoot(tree);
    report({
      severity: "error",
      kind: "no-course",
      file: tree.toTypedPath("."),
      message: `holds no course: ${DESCRIPTION}`,
      hints,
    });
    return [];
  }
  for (const [index, path] of others.entries()) {
    // A folder of images beside the courses is no forgotten course.
    if (!(await mayHoldLessons(tree, path))) continue;
    const message = `is not read as a course: ${DESCRIPTION}`;
    const hints = index < MAX_LOOKED_INTO ? await describeFolder(tree, path) : [];
    report({ severity: "warning", kind: "no-course", file: tree.toTypedPath(path), message, hints });
  }
  return folders.filter((path) => found.has(path));
}

/** False where no file below a folder can be a lesson or an outline; true, too, where there is too much to look through. */
async function mayHoldLessons(tree: SourceTree, folder: string): Promise<boolean> {
  let looked = 0;
  for (const open = [folder]; open.length > 0;) {
    for (const { name, path, isFolder } of await tree.list(open.pop() ?? "")) {
      if (++looked > MAX_LOOKED_AT || (!isFolder && (isLessonFile(name) || OUTLINE_NAMES.includes(name)))) return true;
      if (isFolder) open.push(path);
    }
  }
  return false;
}

async function listFoldersOfFormat(tree: SourceTree, format: string, report: Report): Promise<string[]> {
  const entries = await tree.list(".", report);
  const kinds = OUTLINE_KINDS.filter(({ name }) => name === format);
  if (format === plain.name) {
    const pages = (await findPlainPages(tree)) ?? ".";
    if (await isCourse(tree, pages, await tree.list(pages), kinds)) return listPlainCourses(tree, pages, report);
  } else if (await isCourse(tree, ".", entries, kinds)) return ["."];
  const found: string[] = [];
  for (const { path, isFolder } of entries) {
    if (isFolder && (await isCourse(tree, path, await tree.list(path, report), kinds))) found.push(path);
  }
  if (found.length === 0) {
    const signs = [...new Set(kinds.map(({ sign }) => sign))].join(", ");
    const message = `holds no course of the format ${format}: such a folder has ${signs}`;
    report({ severity: "error", kind: "no-course", file: tree.toTypedPath("."), message });
  }
  return found;
}

async function holdsCourse(tree: SourceTree, folders: string[], kinds: readonly OutlineKind[]): Promise<boolean> {
  for (const path of folders) if (await isCourse(tree, path, await tree.list(path), kinds)) return true;
  return false;
}

async function isCourse(
  tree: SourceTree,
  folder: string,
  entries: SourceEntry[],
  kinds: readonly OutlineKind[],
): Promise<boolean> {
  return (await findOutline({ tree, folder, entries }, kinds)) !== undefined;
}

// Courses may be numbered as well: 01-python/course.yaml makes the folder a course, not a chapter.
async function withoutNumberedCourses(tree: SourceTree, entries: SourceEntry[]): Promise<SourceEntry[]> {
  const rest: SourceEntry[] = [];
  for (const entry of entries) {
    if (entry.isFolder && isNumbered(entry) && (await isCourseByItself(tree, entry.path))) continue;
    rest.push(entry);
    // One is enough to tell.
    if (isNumbered(entry)) return entries;
  }
  return rest;
}

/** True for a folder that is one chapter of a course, as its numbers say, and no course itself. */
export async function isChapterFolder(tree: SourceTree, folder: SourceEntry): Promise<boolean> {
  if (!isNumbered(folder) || (await isCourseByItself(tree, folder.path))) return false;
  return !(await isCourse(tree, folder.path, await tree.list(folder.path), laterKinds));
}

async function isCourseByItself(tree: SourceTree, folder: string): Promise<boolean> {
  const entries = await tree.list(folder);
  if (entries.some((entry) => entry.isFolder && isNumbered(entry))) return true;
  return isCourse(tree, folder, entries, namedKinds);
}
