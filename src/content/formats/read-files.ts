// Reads the files of outlines.
import { join } from "node:path/posix";
import type { SourceTree } from "../files/source-tree.ts";
import type { PlacedValue } from "../resolve/placed-value.ts";
import { parseYaml } from "../resolve/yaml-text.ts";
import type { ReportFinding, Location } from "../source.ts";
import { isAbsolute } from "../files/absolute-path.ts";
import { isLessonFile, listSpellings } from "../lesson-files/lesson-names.ts";
import type { ProblemKind } from "../problem-kinds.ts";
import { cutTexts } from "../quote.ts";

/** Returns a YAML or JSON file's value. Reports an unreadable file and returns undefined. */
export async function readYaml(
  tree: SourceTree,
  path: string,
  report: ReportFinding,
): Promise<PlacedValue | undefined> {
  const text = await tree.readText(path, report);
  const place = { file: tree.toTypedPath(path), firstLine: 1, source: tree };
  return text === undefined ? undefined : parseYaml(text, place, report);
}

/** Returns the paths of all files below a folder, relative to the folder. */
export async function listFilesBelow(tree: SourceTree, folder: string): Promise<Set<string>> {
  const files = new Set<string>();
  const folders = ["."];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const { name, isFolder, isLink } of await tree.list(join(folder, next))) {
      // A linked folder can form a cycle.
      if (!isFolder) files.add(join(next, name));
      else if (!isLink) folders.push(join(next, name));
    }
  }
  return files;
}

/** A file name in an outline, with its folder and possible extensions. */
interface NamedFile {
  name: string;
  /** The chapter's name, for messages. */
  chapter: string;
  courseFolder: string;
  /** The folder to which the name is relative. */
  folder: string;
  /** The possible extensions, in lower case; the files' extensions can be in any case. */
  endings: readonly string[];
  place: Location;
  /** True if the format's own tool builds the course even without the file. */
  isOptional?: boolean;
}

/** Returns the file's path relative to the source root. Reports a missing file and returns undefined. */
export async function findNamedFile(
  tree: SourceTree,
  { name, chapter, courseFolder, folder, endings, place, isOptional = false }: NamedFile,
  report: ReportFinding,
): Promise<string | undefined> {
  const fail = (problem: string, path = "", kind: ProblemKind = "missing-file"): undefined => {
    const [shownChapter, shownName, shownPath] = cutTexts(chapter, name, path);
    const message = `chapter "${shownChapter}" names lesson "${shownName}", ${problem}${shownPath}`;
    report({ kind, ...place, message });
  };
  if (isAbsolute(name)) return fail("but the path is absolute; write it relative to the course's folder");
  const exact = join(folder, name);
  const candidates = isLessonFile(name) ? [exact] : endings.flatMap((ending) => listSpellings(exact + ending));
  let isHidden = false;
  for (const path of candidates) {
    const found = await tree.find(path);
    if (found === "outside") return fail("which is outside the source folder and is skipped");
    if (found === "file") return path;
    isHidden ||= found === "hidden";
  }
  if (isHidden) return fail("which is hidden or ignored, and is left out", "", "missing-part");
  if (!isLessonFile(name) && (await tree.find(exact)) === "file") {
    return fail("which is not a lesson file: its name must end with .md, .mdx, .html, .ipynb, .Rmd, .markdown or .mkd");
  }
  const [missing = exact] = candidates;
  const path = courseFolder === "." ? missing : relativeTo(courseFolder, missing);
  return fail("but there is no file ", path, isOptional ? "missing-part" : "missing-file");
}

function relativeTo(folder: string, path: string): string {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}
