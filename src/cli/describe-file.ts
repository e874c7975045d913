// A file that is no NDJSON, told by its name or its beginning: each of its lines would be an error.
import { closeSync, openSync, readSync } from "node:fs";
import { basename, dirname } from "node:path";

/** How much of a file is looked at. */
const LOOKED_AT = 4096;

/** What to tell about a file that holds no courses, one a line; undefined where it may hold some. */
export function describeOtherFile(path: string): string | undefined {
  const name = basename(path).toLowerCase();
  const folder = dirname(path);
  if (/^(?:course|_toctree)\.ya?ml$|^summary\.md$|^book\.toml$/.test(name)) {
    return `${path} is the outline of a course. Import the folder around it: ${folder}.`;
  }
  if (/\.(?:mdx?|html?|markdown|mkd|rmd)$/.test(name)) {
    return (
      `${path} is a single file, a lesson at most. Import its folder, ${folder}, in which names that begin with numbers ` +
      "(01-start.md) or a course.yaml tell the order."
    );
  }
  if (/\.(?:7z|rar|xz|bz2)$/.test(name)) {
    return `${path} is an archive of a kind that is not read: .zip, .tar and .tar.gz are. Unpack it, and import the folder.`;
  }
  if (name.endsWith(".mbz")) return `${path} is a backup of Moodle. Export the course as a Common Cartridge (.imscc).`;
  if (/\.(?:ipynb|rst|adoc|qmd|docx?|odt|pptx?|pdf|ya?ml|toml|csv|xml)$/.test(name)) {
    return `${path} is not read: a source is a folder of courses, an archive of one, or a file of NDJSON with one course a line.`;
  }
  const start = readStart(path).trimStart();
  // A course stands on one line: the first that begins one ends it.
  if (/^(?:\[|\{[ \t]*\r?\n)/.test(start)) {
    const filter = start.startsWith("[") ? "'.[]'" : "'.'";
    return (
      `${path} is one text of JSON over several lines, or a list; NDJSON has one course a line. ` +
      `Make it so: jq -c ${filter} FILE > courses.ndjson`
    );
  }
  return undefined;
}

function readStart(path: string): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    // Whoever reads it says why it cannot be.
    return "";
  }
  try {
    const bytes = Buffer.alloc(LOOKED_AT);
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, LOOKED_AT, 0));
  } finally {
    closeSync(file);
  }
}
