// .lecternignore: what of a source is not read, in the syntax of .gitignore.
import createIgnore from "ignore";
import { cutText } from "../quote.ts";
import type { Report } from "../source.ts";

/** The name of the file, in the source's root. */
export const IGNORE_FILE = ".lecternignore";

const MAX_BYTES = 65_536;
/** Patterns are tried on every path; a pattern with more of these would be tried for hours. */
const MAX_PATTERNS = 1000;
const MAX_GLOBSTARS = 2;
const MAX_STARS = 8;

/** True for a path, relative to the source's root, that is not read. */
export type IsIgnored = (path: string, isFolder: boolean) => boolean;

/** Reads the patterns of an ignore file. Those that cannot be tried are reported, and left out. */
export function parseIgnoreFile(text: string, file: string, report: Report): IsIgnored {
  const fail = (message: string, line?: number): void =>
    report({ severity: "error", kind: "too-large", file, line, message });
  if (text.length > MAX_BYTES) {
    fail("too large: a list of what is not read may have 64 KiB");
    return () => false;
  }
  const lines = text.split(/\r?\n/);
  const patterns: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    if (patterns.length === MAX_PATTERNS) {
      fail(`more than ${MAX_PATTERNS} patterns`, index + 1);
      break;
    }
    const globstars = line.match(/\*{2,}/g)?.length ?? 0;
    const stars = line.match(/\*+/g)?.length ?? 0;
    if (globstars > MAX_GLOBSTARS || stars > MAX_STARS) {
      fail(
        `the pattern "${cutText(line)}" has too many wildcards: ${MAX_GLOBSTARS} of ** and ${MAX_STARS} in all can be`,
        index + 1,
      );
    } else patterns.push(line);
  }
  const ignored = createIgnore().add(patterns);
  return (path, isFolder) => ignored.ignores(isFolder ? `${path}/` : path);
}
