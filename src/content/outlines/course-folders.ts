// Finding the courses of a source: the root is one, or holds one per folder.
import type { SourceEntry, SourceTree } from "../files/source-tree.ts";
import { isLessonFile } from "../lessons/lesson-names.ts";
import type { Report } from "../source.ts";
import { describeFolder, describeRoot } from "./describe-root.ts";
import { isNumbered, numberedFolder } from "./numbered-folder.ts";
import { findOutline, OUTLINE_KINDS, OUTLINE_NAMES } from "./outline-kinds.ts";
import type { OutlineKind } from "./outline.ts";

const firstKinds = OUTLINE_KINDS.filter(({ yieldsToFolders }) => !yieldsToFolders);
const laterKinds = OUTLINE_KINDS.filter(({ yieldsToFolders }) => yieldsToFolders);
const namedKinds = firstKinds.filter((kind) => kind !== numberedFolder);
const namedSigns = OUTLINE_KINDS.filter((kind) => kind !== numberedFolder).map(({ sign }) => sign);
const DESCRIPTION = `a course folder has ${namedSigns.join(", ")}, or ${numberedFolder.sign}`;

/** Files and folders in a folder that may have no lessons. */
const MAX_LOOKED_AT = 2000;
/** Folders beside courses in which deeper ones are looked for. */
const MAX_LOOKED_INTO = 20;

/**
 * Lists the course folders, relative to the root, in the order of their names. Folders that are none are reported, as is
 * a source without any. What is wrong inside a course folder is left to its reading.
 */
export async function listCourseFolders(tree: SourceTree, report: Report): Promise<string[]> {
  const entries = await tree.list(".");
  const rootEntries = await withoutNumberedCourses(tree, entries);
  if (await isCourse(tree, ".", rootEntries, firstKinds)) return ["."];

  const folders = entries.filter((entry) => entry.isFolder).map(({ path }) => path);
  const found = new Set<string>();
  for (const path of folders) if (await isCourse(tree, path, await tree.list(path), firstKinds)) found.add(path);
  if (found.size === 0 && (await isCourse(tree, ".", entries, laterKinds))) return ["."];

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

async function isCourseByItself(tree: SourceTree, folder: string): Promise<boolean> {
  const entries = await tree.list(folder);
  if (entries.some((entry) => entry.isFolder && isNumbered(entry))) return true;
  return isCourse(tree, folder, entries, namedKinds);
}
