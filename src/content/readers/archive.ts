// Reads courses from an archive as if it were a folder.
import { toPrintable } from "../../catalog/printable.ts";
import { openArchiveFiles, type ArchiveFiles } from "../files/archive-files.ts";
import { BadArchive } from "../files/archive-tree.ts";
import { nameTypedPath } from "../files/folder-files.ts";
import { SourceTree } from "../files/source-tree.ts";
import { DEFAULT_ARCHIVE_LIMITS, DEFAULT_LIMITS, type ArchiveLimits } from "../limits.ts";
import { isChapterFolder } from "../formats/course-folders.ts";
import { cutText } from "../quote.ts";
import type { ContentSource, ReportFinding, SourceOptions } from "../source.ts";
import { createSource, type OpenReader } from "./create-source.ts";
import { openTreeReader } from "./folder.ts";

/** Opens a ZIP (.zip, .imscc) or tar (.tar, .tar.gz, .tgz) as a source that reads like a folder. */
export function openArchiveSource(path: string, options: SourceOptions): ContentSource {
  const label = `archive ${toPrintable(nameTypedPath(path))}`;
  return createSource(label, (report) => openArchive(path, options, report), options);
}

/** Opens an archive. Returns undefined, and reports a problem, if the archive is unreadable. */
async function openArchive(
  path: string,
  options: SourceOptions,
  report: ReportFinding,
): Promise<OpenReader | undefined> {
  if (options.dates === "git") {
    const message = "is an archive, which has no history for --dates git; import the repository's folder";
    report({ kind: "bad-archive", file: path, message });
    return undefined;
  }
  const files = await openOrReport(path, options.limits?.archive ?? DEFAULT_ARCHIVE_LIMITS, report);
  if (files === undefined) return undefined;
  if (files.hasMore) {
    const message =
      "contains data after the end of the archive, and this data is skipped; pack several archives into one";
    report({ kind: "skipped-part", file: path, message });
  }
  for (const { path: clashing, twin } of files.listCaseClashes()) {
    const message = `differs from ${cutText(twin)} only in letter case; some systems unpack only one of them`;
    report({ kind: "case-clash", file: files.toTypedPath(clashing), message });
  }
  return { ...openTreeReader(await findRoot(files), options, new Map()), close: () => files.close() };
}

// Code hosts wrap a repository in a folder named after the commit, and this name must not affect ids. A single chapter
// folder is no such wrapper, but part of a course.
async function findRoot(files: ArchiveFiles): Promise<ArchiveFiles> {
  const top = files.findOnlyFolder();
  if (top === undefined) return files;
  const tree = new SourceTree(files, DEFAULT_LIMITS, () => false);
  const folder = { name: top.name, path: top.name, isFolder: true, isLink: false };
  return (await isChapterFolder(tree, folder)) ? files : top;
}

async function openOrReport(
  path: string,
  limits: ArchiveLimits,
  report: ReportFinding,
): Promise<ArchiveFiles | undefined> {
  try {
    return await openArchiveFiles(path, limits);
  } catch (error) {
    if (!(error instanceof BadArchive)) throw error;
    const file = error.member === undefined ? path : `${path}/${cutText(error.member)}`;
    report({ kind: "bad-archive", file, message: error.message });
    return undefined;
  }
}
