import type { SourceEntry, SourceTree } from "../files/source-tree.ts";
import { isAboutRepository, isErrorPage, isIntroduction, isLessonFile } from "../lesson-files/lesson-names.ts";
import { listFirst } from "../quote.ts";
import type { ReportFinding } from "../source.ts";
import type { UnlistedFiles, UnreadCourse } from "./format.ts";

interface UnreadKind {
  ending: RegExp;
  /** The message after the file's name: what the file is, and what to do. */
  advice: string;
  /** True for a possible lesson; false for a file that lessons only link to or that accompanies them. */
  isText: boolean;
}

export const UNREAD_KINDS: readonly UnreadKind[] = [
  { ending: /\.(?:ndjson|jsonl)$/i, advice: "might contain courses, one per line: import that file", isText: false },
  { ending: /\.(?:zip|tar|tgz|tar\.gz|imscc)$/i, advice: "is an archive: import that file", isText: false },
  {
    ending: /\.(?:7z|rar|xz|bz2)$/i,
    advice: "is an unsupported archive: unpack it, and import the folder",
    isText: false,
  },
  {
    ending: /\.mbz$/i,
    advice: "is a Moodle backup, which is not supported: export the course as a Common Cartridge",
    isText: false,
  },
  {
    ending: /\.rst$/i,
    advice: "is reStructuredText, which is not supported: convert it to Markdown with pandoc",
    isText: true,
  },
  { ending: /\.(?:adoc|asciidoc)$/i, advice: "is AsciiDoc, which is not supported: convert it to HTML", isText: true },
  { ending: /\.qmd$/i, advice: "is Quarto, which is not supported: render it to Markdown or HTML", isText: true },
  {
    ending: /\.(?:docx?|odt|pptx?|pdf)$/i,
    advice: "is a document, which is not supported: convert it to Markdown or HTML",
    isText: false,
  },
  {
    ending: /\.(?:htm|xhtml)$/i,
    advice: "is not a lesson: change its extension to .html",
    isText: true,
  },
  {
    ending: /\.txt$/i,
    advice: "is not a lesson: change its extension to .md, .mdx or .html",
    isText: false,
  },
];

/**
 * Reports lesson files that are not in `used`, and other texts if the outline requests them: authors might have
 * forgotten them.
 */
export async function reportUnusedFiles(
  course: Pick<UnreadCourse, "tree" | "folder" | "report">,
  used: ReadonlySet<string>,
  {
    folders = [course.folder],
    ownFiles = [],
    leftOut = new Set(),
    isCounted = false,
    allowsIntroduction,
    message,
    mayBeMeant = () => false,
  }: UnlistedFiles,
): Promise<void> {
  const { tree, report } = course;
  const own = new Set(ownFiles);
  const unused: string[] = [];
  const unread: UnreadFiles = new Map();
  const tell = (path: string, what: string): void =>
    report({ kind: "unused-file", file: tree.toTypedPath(path), message: what });
  const visit = async (entries: SourceEntry[]): Promise<void> => {
    for (const { name, path, isFolder, isLink } of entries) {
      // A linked folder can form a cycle.
      if (isFolder && !isLink && !leftOut.has(path)) await visit(await tree.list(path, report));
      if (!isFolder && mayBeMeant(name, path)) noteUnread(unread, path);
      if (isFolder || !isLessonFile(name) || used.has(path) || own.has(path)) continue;
      if (isErrorPage(name)) tell(path, "is the error page of a site, so it is not a lesson");
      else if (isCounted) unused.push(path);
      else tell(path, message);
    }
  };
  for (const folder of folders) {
    if (folder !== course.folder && (await tree.find(folder)) !== "folder") continue;
    const entries = await tree.list(folder, report);
    await visit(entries.filter(({ name }) => !allowsIntroduction || !isIntroduction(name)));
  }
  for (const [{ advice }, { first, count }] of unread) {
    const more = count === 1 ? "" : ` (${count.toLocaleString("en-US")} such files)`;
    report({ kind: "unused-file", file: tree.toTypedPath(first), message: `${advice}${more}` });
  }
  const place = { file: tree.toTypedPath(folders[0] ?? course.folder) };
  if (unused.length > 0) report({ kind: "unused-file", ...place, message: describeUnused(unused, message) });
}

/** Reports files about the repository in the root of a source or course, and returns their paths. */
export function reportAboutRepository(
  tree: SourceTree,
  entries: readonly SourceEntry[],
  report: ReportFinding,
): string[] {
  const about = entries.filter(({ name, isFolder }) => !isFolder && isLessonFile(name) && isAboutRepository(name));
  const message = "has the name of a repository file, so it is not a lesson";
  for (const { path } of about) report({ kind: "unused-file", file: tree.toTypedPath(path), message });
  return about.map(({ path }) => path);
}

/** The first path and the number of files, by kind. */
type UnreadFiles = Map<UnreadKind, { first: string; count: number }>;

function noteUnread(unread: UnreadFiles, path: string): void {
  const kind = UNREAD_KINDS.find(({ ending, isText }) => isText && ending.test(path));
  if (kind === undefined) return;
  const known = unread.get(kind);
  if (known === undefined) unread.set(kind, { first: path, count: 1 });
  else known.count++;
}

/** Describes unused files in one line that names the first few. */
export function describeUnused(paths: readonly string[], message: string): string {
  const [files, so] =
    paths.length === 1
      ? ["1 file is", "so it is not a lesson"]
      : [`${paths.length.toLocaleString("en-US")} files are`, "so they are not lessons"];
  return `${files} ${message}, ${so}: ${listFirst(paths)}`;
}
