// .lecternignore: what of a source is not read, in the syntax of .gitignore.
import createIgnore from "ignore";
import { cutText } from "../quote.ts";
import type { Tell } from "../source.ts";
import type { Hides } from "./fence.ts";

const MAX_BYTES = 65_536;
/** Patterns are tried on every path; a pattern with more of these would be tried for hours. */
const MAX_PATTERNS = 1000;
const MAX_GLOBSTARS = 2;
const MAX_STARS = 8;
const MAX_REMEMBERED = 20_000_000;

/** Reads the patterns of an ignore file. Those that cannot be tried are reported, and left out. */
export function parseIgnoreFile(text: string, file: string, report: Tell): Hides {
  const fail = (message: string, line?: number): void => report({ kind: "too-large", file, line, message });
  if (text.length > MAX_BYTES) {
    fail("too large: a list of what is not read may have 64 KiB");
    return () => false;
  }
  // As a pattern and a name are written, they may be composed in two ways.
  const lines = text.normalize("NFC").split(/\r?\n/);
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
  let ignored = createIgnore().add(patterns);
  let asked = 0;
  return (path, isFolder) => {
    // It remembers every path that it was asked about, and all folders around it.
    asked += path.length * path.split("/").length;
    if (asked > MAX_REMEMBERED) {
      ignored = createIgnore().add(patterns);
      asked = 0;
    }
    return ignored.ignores(path.normalize("NFC") + (isFolder ? "/" : ""));
  };
}
