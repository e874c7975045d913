// Parses .lecternignore, which lists a source's ignored paths in the syntax of .gitignore.
import createIgnore from "ignore";
import { toNfc } from "../../catalog/fold-name.ts";
import { cutText } from "../quote.ts";
import { remember } from "../remember.ts";
import type { ReportFinding } from "../source.ts";
import type { Hides } from "./fence.ts";

export const MAX_BYTES = 65_536;
/** The maximum number of patterns, since every pattern is tried on every path. */
export const MAX_PATTERNS = 1000;
const MAX_GLOBSTARS = 2;
const MAX_STARS = 8;
const MAX_REMEMBERED = 20_000_000;

/** Parses an ignore file. Reports and skips unusable patterns. */
export function parseIgnoreFile(text: string, file: string, report: ReportFinding): Hides {
  const fail = (message: string, line?: number): void => report({ kind: "too-large", file, line, message });
  if (text.length > MAX_BYTES) {
    fail("too large: an ignore file is limited to 64 KiB");
    return () => false;
  }
  // Normalized, since patterns and file names can use different Unicode normal forms.
  const lines = toNfc(text).split(/\r?\n/);
  const patterns: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    if (line.includes("\0")) {
      fail(`the pattern "${cutText(line)}" contains a NUL character; remove it`, index + 1);
      continue;
    }
    if (patterns.length === MAX_PATTERNS) {
      fail(`an ignore file is limited to ${MAX_PATTERNS} patterns`, index + 1);
      break;
    }
    const globstars = line.match(/\*{2,}/g)?.length ?? 0;
    const stars = line.match(/\*+/g)?.length ?? 0;
    if (globstars > MAX_GLOBSTARS || stars > MAX_STARS) {
      fail(
        `the pattern "${cutText(line)}" has too many wildcards: use at most ${MAX_STARS}, of which at most ${MAX_GLOBSTARS} are **`,
        index + 1,
      );
    } else patterns.push(line);
  }
  let ignored = createIgnore().add(patterns);
  let asked = 0;
  // Lookups through links ask for the same paths again and again, more often than the library could remember them.
  const known = new Map<string, boolean>();
  let knownLength = 0;
  const decide = (path: string): boolean => {
    // The library caches every path with its parents; a new instance frees this memory.
    asked += path.length * path.split("/").length;
    if (asked > MAX_REMEMBERED) {
      ignored = createIgnore().add(patterns);
      asked = 0;
    }
    knownLength += path.length;
    if (knownLength > MAX_REMEMBERED) {
      known.clear();
      knownLength = 0;
    }
    return ignored.ignores(toNfc(path));
  };
  return (path, isFolder) => {
    const name = isFolder ? `${path}/` : path;
    return remember(known, name, () => decide(name));
  };
}
