import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { findNearestName } from "../../catalog/nearest-name.ts";
import { toPrintable } from "../../catalog/printable.ts";
import type { ContentSource, SourceOptions } from "../../content/source.ts";
import { CommandFailure, EXIT } from "../failure.ts";
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
  if (options.dates !== undefined) throw new CommandFailure("--dates needs a folder as SOURCE.", EXIT.usage);
  if (options.format !== undefined)
    throw new CommandFailure(`--format ${options.format} needs a folder as SOURCE.`, EXIT.usage);
  const { openNdjsonFile, openNdjsonInput } = await import("../../content/readers/ndjson.ts");
  if (path === "-") return openNdjsonInput(() => terminal.readInput(), options);
  if (stat === undefined) throw new CommandFailure(`There is no file or folder ${path}.${describeMeantPath(path)}`);
  if (stat.isCharacterDevice() || stat.isBlockDevice() || stat.isSocket())
    throw new CommandFailure(`${path} is neither a folder nor a file. Give a folder or a file.`);
  // A pipe can be read only once.
  if (!stat.isFile()) return { ...openNdjsonFile(path, options), isReadOnce: true };
  const problem = describeOtherFile(path);
  if (problem !== undefined) throw new CommandFailure(`${path} is ${problem}`);
  const { isArchive } = await import("../../content/files/archive-files.ts");
  if (!isArchive(path)) return openNdjsonFile(path, options);
  const { openArchiveSource } = await import("../../content/readers/archive.ts");
  return openArchiveSource(path, options);
}

/** Returns a hint, such as ` Did you mean courses?`, or "" if no name is similar. */
function describeMeantPath(path: string): string {
  let names: string[] = [];
  try {
    names = readdirSync(dirname(path));
  } catch {
    return "";
  }
  const meant = findNearestName(basename(path), names);
  return meant === undefined ? "" : ` Did you mean ${toPrintable(join(dirname(path), meant))}?`;
}

/** Describes a file that, judging by its name or beginning, is not NDJSON. */
function describeOtherFile(path: string): string | undefined {
  const name = basename(path).toLowerCase();
  const folder = dirname(path);
  if (/^(?:course|_toctree)\.ya?ml$|^summary\.md$|^book\.toml$/.test(name)) {
    return `the outline of a course. Import the folder around it: ${folder}.`;
  }
  if (/\.(?:mdx?|html?|markdown|mkd|rmd)$/.test(name)) {
    return (
      `a single lesson. Import its folder, ${folder}; numbers in names (01-start.md) or a course.yaml ` +
      "order the lessons."
    );
  }
  if (/\.(?:7z|rar|xz|bz2)$/.test(name)) {
    return "an unsupported archive. Unpack it and import the folder, or use .zip, .tar or .tar.gz.";
  }
  if (name.endsWith(".mbz")) return "a Moodle backup. Export the course as a Common Cartridge (.imscc).";
  if (/\.(?:ipynb|rst|adoc|qmd|docx?|odt|pptx?|pdf|ya?ml|toml|csv|xml)$/.test(name)) {
    return "not a source. Give a folder of courses, an archive of it, or an NDJSON file with one course per line.";
  }
  const start = readStart(path).trimStart();
  if (!/^(?:\[|\{[ \t]*\r?\n)/.test(start)) return undefined;
  const filter = start.startsWith("[") ? "'.[]'" : "'.'";
  return `JSON, not NDJSON with one course per line. Convert it: jq -c ${filter} FILE > courses.ndjson`;
}

/** Returns the first 4 KiB of a file, or "" if the file cannot be opened: the reader reports that later. */
function readStart(path: string): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return "";
  }
  const bytes = Buffer.alloc(4096);
  try {
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}
