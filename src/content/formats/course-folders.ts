// Finds the courses of a source: the root is a course or contains course folders.
import { dirname } from "node:path/posix";
import type { SourceEntry, SourceTree } from "../files/source-tree.ts";
import { isLessonFile, isPlainLesson } from "../lesson-files/lesson-names.ts";
import type { ReportFinding } from "../source.ts";
import { describeFolder, describeRoot, findOneCourse, findPlainPages, findSites } from "./describe-root.ts";
import { countParts, holdsMostlyNumbered, isNumbered, isPartFile, listParts } from "./numbers.ts";
import type { IsKnown, OutlineFolder } from "./format.ts";
import { detectFormat, type DetectedFormat } from "./read-outline.ts";
import { FORMATS, isOutlineName, type Claim, type FormatEntry } from "./registry.ts";
import { describeUnused } from "./unused-files.ts";

const listClaims = (...claims: Claim[]): FormatEntry[] => FORMATS.filter(({ claim }) => claims.includes(claim));

function describeSigns(): string {
  const signs = new Set(listClaims("outline", "weak").map(({ sign }) => sign));
  return `a course folder contains ${[...signs].join(", ")}, or ${listClaims("numbers")
    .map(({ sign }) => sign)
    .join(", ")}`;
}

/** The maximum number of entries to search for lessons below a folder. */
const MAX_LOOKED_AT = 2000;
/** The maximum number of folders to search for deeper courses. */
const MAX_LOOKED_INTO = 20;

/**
 * Lists course folders relative to the root, sorted by name. Reports folders that are not courses, and a source without
 * courses. Faults inside a course are reported when the course is read.
 */
export async function listCourseFolders(
  tree: SourceTree,
  format: string | undefined,
  report: ReportFinding,
  isKnown: IsKnown = () => false,
): Promise<string[]> {
  if (format !== undefined) return listFoldersOfFormat(tree, format, report, isKnown);
  const entries = await tree.list(".");
  if ((await isCourse(tree, ".", entries, "outline")) || (await isNumberedCourse(tree, entries))) return ["."];

  const folders = entries.filter((entry) => entry.isFolder).map(({ path }) => path);
  const found = await findFirstCourses(tree, entries);
  if (found.size === 0 && (await isCourse(tree, ".", entries, "weak"))) return ["."];
  if (found.size === 0 && !(await holdsWeakCourse(tree, folders))) {
    const pages = await findPlainPages(tree);
    const rest = pages === undefined ? undefined : await detectIn(tree, pages, listClaims("rest"));
    const sites = rest === undefined ? [] : await findSites(tree);
    if (sites.length > 1) return sites;
    if (pages !== undefined && rest !== undefined)
      return (await rest.format.listCourses?.(tree, pages, report, isKnown)) ?? [pages];
    // HTML pages alone are a course if the name of at least one begins with a number.
    if (pages !== undefined && (await tree.list(pages)).some(isNumbered)) return [pages];
  }

  // The listings above did not report the root's problems.
  await tree.list(".", report);
  const others: string[] = [];
  for (const path of folders) {
    if (found.has(path)) continue;
    if (await isCourse(tree, path, await tree.list(path), "weak")) {
      found.add(path);
      continue;
    }
    await tree.list(path, report);
    others.push(path);
  }
  if (found.size === 0) {
    const below = await findOneCourse(tree);
    const [first] = below;
    if (first !== undefined) {
      const languages = below.map((path) => tree.nameOf(path)).join(", ");
      const which =
        below.length === 1 ? tree.toTypedPath(first) : `${tree.toTypedPath(dirname(first))}, as ${languages}`;
      const message = `contains one course, which is read from ${which}`;
      report({ kind: "moved-root", file: tree.toTypedPath("."), message });
      return below;
    }
    const hints = await describeRoot(tree);
    report({
      kind: "no-course",
      file: tree.toTypedPath("."),
      message: `contains no course: ${describeSigns()}`,
      hints,
    });
    return [];
  }
  for (const [index, path] of others.entries()) {
    // A folder without lessons, such as a folder of images, is not a forgotten course.
    if (!(await mayHoldLessons(tree, path))) continue;
    const message = `is not read as a course: ${describeSigns()}`;
    const hints = index < MAX_LOOKED_INTO ? await describeFolder(tree, path) : [];
    report({ kind: "skipped-part", file: tree.toTypedPath(path), message, hints });
  }
  const beside = entries.filter((entry) => isPlainLesson(entry, true) && isPartFile(entry)).map(({ path }) => path);
  if (beside.length > 0) {
    const message = describeUnused(beside, "beside the courses");
    report({ kind: "unused-file", file: tree.toTypedPath("."), message });
  }
  return folders.filter((path) => found.has(path));
}

/**
 * Returns false if no file below a folder can be a lesson or an outline; true if there are too many files to search.
 */
async function mayHoldLessons(tree: SourceTree, folder: string): Promise<boolean> {
  let looked = 0;
  for (const open = [folder]; open.length > 0;) {
    for (const { name, path, isFolder } of await tree.list(open.pop() ?? "")) {
      if (++looked > MAX_LOOKED_AT || (!isFolder && (isLessonFile(name) || isOutlineName(name)))) return true;
      if (isFolder) open.push(path);
    }
  }
  return false;
}

async function listFoldersOfFormat(
  tree: SourceTree,
  format: string,
  report: ReportFinding,
  isKnown: IsKnown,
): Promise<string[]> {
  const entries = await tree.list(".", report);
  const formats = FORMATS.filter(({ name }) => name === format);
  const isRest = formats.some(({ claim }) => claim === "rest");
  const root = isRest ? ((await findPlainPages(tree)) ?? ".") : ".";
  const found = await detectIn(tree, root, formats, "one");
  if (found !== undefined) return (await found.format.listCourses?.(tree, root, report, isKnown)) ?? [root];
  const folders: string[] = [];
  for (const { path, isFolder } of entries) {
    if (!isFolder) continue;
    await tree.list(path, report);
    if ((await detectIn(tree, path, formats, "one")) !== undefined) folders.push(path);
  }
  if (folders.length === 0) {
    const signs = [...new Set(formats.map(({ sign }) => sign))].join(", ");
    const message = `contains no course of the format ${format}: a folder of this format contains ${signs}`;
    report({ kind: "no-course", file: tree.toTypedPath("."), message });
  }
  return folders;
}

async function detectIn(
  tree: SourceTree,
  folder: string,
  formats: readonly FormatEntry[],
  need: OutlineFolder["need"] = "most",
): Promise<DetectedFormat | undefined> {
  return detectFormat({ tree, folder, entries: await tree.list(folder), need }, formats);
}

async function holdsWeakCourse(tree: SourceTree, folders: string[]): Promise<boolean> {
  for (const path of folders) if (await isCourse(tree, path, await tree.list(path), "weak")) return true;
  return false;
}

async function isCourse(tree: SourceTree, folder: string, entries: SourceEntry[], claim: Claim): Promise<boolean> {
  return (await detectFormat({ tree, folder, entries }, listClaims(claim))) !== undefined;
}

// A numbered folder that is itself a course, such as 01-python with a course.yaml, is not a chapter.
async function isNumberedCourse(tree: SourceTree, entries: readonly SourceEntry[]): Promise<boolean> {
  if (!entries.some(isNumbered)) return false;
  const { numbered, others } = await listParts(tree, entries);
  let chapters = 0;
  for (const entry of numbered) if (!entry.isFolder || !(await isCourseByItself(tree, entry.path))) chapters++;
  if (chapters * 2 <= numbered.length + others.length || !(await holdsMostlyNumbered(tree, entries))) return false;
  for (const { path, isFolder } of entries) if (isFolder && (await isDescribed(tree, path))) return false;
  return true;
}

/**
 * Returns the folders that are courses. A numbered folder that might be a chapter counts only beside another course. If
 * numbers are the only sign of all candidates, the other parts must not outnumber the candidates; the number of lessons
 * breaks a tie.
 */
async function findFirstCourses(tree: SourceTree, entries: readonly SourceEntry[]): Promise<Set<string>> {
  const found = new Set<string>();
  let [hasNamed, hasCourse] = [false, false];
  for (const entry of entries) {
    if (!entry.isFolder) continue;
    const outline = await detectIn(tree, entry.path, listClaims("outline", "numbers"));
    if (outline === undefined) continue;
    found.add(entry.path);
    hasNamed ||= outline.entry.claim !== "numbers";
    hasCourse ||= !isNumbered(entry) || (await isCourseByItself(tree, entry.path));
  }
  if (hasNamed) return found;
  if (!hasCourse) return new Set();
  const { numbered, others } = await listParts(tree, entries);
  const beside = [...numbered, ...others].filter(({ path }) => !found.has(path));
  if (beside.length !== found.size) return beside.length > found.size ? new Set() : found;
  const courses = entries.filter(({ path }) => found.has(path));
  const isLess = (await countParts(tree, beside)).lessons > (await countParts(tree, courses)).lessons;
  return isLess ? new Set() : found;
}

/** Returns true for a numbered folder that is a chapter and not a course itself. */
export async function isChapterFolder(tree: SourceTree, folder: SourceEntry): Promise<boolean> {
  if (!isNumbered(folder) || (await isCourseByItself(tree, folder.path))) return false;
  return !(await isCourse(tree, folder.path, await tree.list(folder.path), "weak"));
}

async function isCourseByItself(tree: SourceTree, folder: string): Promise<boolean> {
  const entries = await tree.list(folder);
  if (await isCourse(tree, folder, entries, "outline")) return true;
  const { numbered, others } = await listParts(tree, entries);
  const chapters = numbered.filter(({ isFolder }) => isFolder).length;
  return chapters * 2 > numbered.length + others.length;
}

async function isDescribed(tree: SourceTree, folder: string): Promise<boolean> {
  return (await tree.list(folder)).some(
    ({ name, isFolder }) =>
      !isFolder && FORMATS.some(({ describes, holds }) => describes === true && holds?.test(name) === true),
  );
}
