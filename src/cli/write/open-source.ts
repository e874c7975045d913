import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { findNearestName } from "../../catalog/nearest-name.ts";
import { toPrintable } from "../../catalog/printable.ts";
import type { ContentSource, SourceOptions } from "../../content/source.ts";
import { CommandFailure, UsageFailure } from "../failure.ts";
import { processTerminal } from "../terminal/terminal.ts";

/** Opens a SOURCE: a folder, an archive, an NDJSON file, or standard input for `-`. Loads only the required reader. */
export async function openSource(
  path: string,
  options: SourceOptions,
  terminal = processTerminal,
): Promise<ContentSource> {
  const stat = path === "-" ? undefined : statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) {
    const { openFolderSource } = await import("../../content/readers/folder.ts");
    return openFolderSource(path, options);
  }
  if (options.dates !== undefined) throw new UsageFailure("--dates needs a folder as SOURCE.");
  if (options.format !== undefined) throw new UsageFailure(`--format ${options.format} needs a folder as SOURCE.`);
  const { openNdjsonFile, openNdjsonInput } = await import("../../content/readers/ndjson.ts");
  if (path === "-") return openNdjsonInput(() => terminal.readInput(), options);
  if (stat === undefined)
    throw new CommandFailure(`There is no file or folder ${path}.${await describeMeantPath(path)}`);
  if (stat.isCharacterDevice() || stat.isBlockDevice() || stat.isSocket())
    throw new CommandFailure(`${path} is neither a folder nor a file. Give a folder or a file.`);
  // A pipe can be read only once.
  if (!stat.isFile()) return { ...openNdjsonFile(path, options), isReadOnce: true };
  const problem = await describeOtherFile(path);
  if (problem !== undefined) throw new CommandFailure(`${path} is ${problem}`);
  const { isArchive } = await import("../../content/files/archive-files.ts");
  if (!isArchive(path)) return openNdjsonFile(path, options);
  const { openArchiveSource } = await import("../../content/readers/archive.ts");
  return openArchiveSource(path, options);
}

/** Returns a hint, such as ` Did you mean courses?`, or "" if no name is similar. */
async function describeMeantPath(path: string): Promise<string> {
  const folder = dirname(path);
  const meant = findNearestName(basename(path), await readdir(folder).catch(() => []));
  return meant === undefined ? "" : ` Did you mean ${toPrintable(join(folder, meant))}?`;
}

/** What files are that, judging by their names, are not NDJSON. FOLDER stands for the folder around the file. */
const OTHER_FILES: [name: RegExp, what: string][] = [
  [
    /^(?:course|_toctree)\.ya?ml$|^summary\.md$|^book\.toml$/,
    "the outline of a course. Import the folder around it: FOLDER.",
  ],
  [
    /\.(?:mdx?|html?|markdown|mkd|rmd)$/,
    "a single lesson. Import its folder, FOLDER; numbers in names (01-start.md) or a course.yaml order the lessons.",
  ],
  [/\.(?:7z|rar|xz|bz2)$/, "an unsupported archive. Unpack it and import the folder, or use .zip, .tar or .tar.gz."],
  [/\.mbz$/, "a Moodle backup. Export the course as a Common Cartridge (.imscc)."],
  [
    /\.(?:ipynb|rst|adoc|qmd|docx?|odt|pptx?|pdf|ya?ml|toml|csv|xml)$/,
    "not a source. Give a folder of courses, an archive of it, or an NDJSON file with one course per line.",
  ],
];

/** Describes a file that, judging by its name or beginning, is not NDJSON. */
async function describeOtherFile(path: string): Promise<string | undefined> {
  const name = basename(path).toLowerCase();
  const [, what] = OTHER_FILES.find(([pattern]) => pattern.test(name)) ?? [];
  if (what !== undefined) return what.replace("FOLDER", () => dirname(path));
  // The reader reports a file that cannot be read.
  const start = await Bun.file(path)
    .slice(0, 4096)
    .text()
    .catch(() => "");
  const [first] = /^\s*(?:\[|\{[ \t]*\r?\n)/.exec(start) ?? [];
  if (first === undefined) return undefined;
  const filter = first.includes("[") ? "'.[]'" : "'.'";
  return `JSON, not NDJSON with one course per line. Convert it: jq -c ${filter} FILE > courses.ndjson`;
}
