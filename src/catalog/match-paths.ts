// Matches the files of a translation with those of its original.
import { digestText } from "./body.ts";
import { MAX_KEY } from "./course-meta.ts";
import { findPathLanguage } from "./language-tags.ts";

/** A file and its match keys, best first: paths relative to the course, without the language. */
export interface MatchedFile {
  file: string;
  plain: readonly string[];
}

/**
 * Maps a translation's files to the original's: by the path without the language, or else by numbers in the names.
 */
export function matchFiles(original: readonly MatchedFile[], translation: readonly MatchedFile[]): Map<string, string> {
  const matched = new Map<string, string>();
  const taken = new Set<string>();
  for (const toKey of [withoutEnding, toNumbers]) {
    const known = groupByKey(original, toKey);
    const asked = groupByKey(translation, toKey);
    for (const { file, plain } of translation) {
      if (matched.has(file)) continue;
      const keys = plain.map(toKey).filter((key) => key !== undefined);
      const found = keys.map((key) => [known.get(key), asked.get(key)] as const);
      // A key that several files share is ambiguous.
      const [one] = found.flatMap(([files, others]) => (files?.size === 1 && others?.size === 1 ? [...files] : []));
      if (one === undefined || taken.has(one)) continue;
      matched.set(file, one);
      taken.add(one);
    }
  }
  return matched;
}

type ToKey = (path: string) => string | undefined;

function groupByKey(files: readonly MatchedFile[], toKey: ToKey): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { file, plain } of files) {
    for (const path of plain) {
      const key = toKey(path);
      if (key === undefined) continue;
      const group = groups.get(key) ?? new Set();
      groups.set(key, group.add(file));
    }
  }
  return groups;
}

function withoutEnding(path: string): string {
  return path.replace(/\.[a-z\d]+$/i, "").toLowerCase();
}

/**
 * Replaces each name in a path that contains exactly one number with that number. Returns undefined if the file's own
 * name does not contain exactly one.
 */
function toNumbers(path: string): string | undefined {
  const names = withoutEnding(path).split("/");
  const numbers = names.map((name) => {
    const [only, ...others] = name.match(/\d+/g) ?? [];
    return only === undefined || others.length > 0 ? undefined : String(Number(only));
  });
  return numbers.at(-1) === undefined ? undefined : names.map((name, at) => numbers[at] ?? name).join("/");
}

/** Returns the key that a lesson shares with its translations: the original's path in its course, without extension. */
export function toTranslationKey(
  file: string,
  { folder, isTranslation }: { folder: string; isTranslation: boolean },
): string {
  const own = folder === "." ? file : file.slice(folder.length + 1);
  const plain = (isTranslation ? findPathLanguage(own)?.plain[0] : undefined) ?? own;
  const key = withoutEnding(plain.normalize("NFC"));
  return key.length > MAX_KEY ? digestText(key) : key;
}
