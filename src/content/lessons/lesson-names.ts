import { extname } from "node:path/posix";
import { findLessonFormat } from "./lesson-formats.ts";

/** True for a file that can be a lesson. */
export function isLessonFile(name: string): boolean {
  return findLessonFormat(name) !== undefined;
}

/** The number that a name starts with: `02-water.md`, `3b.md`. Undefined when it starts with none, or with a hash. */
export function findNumber(name: string): number | undefined {
  const digits = /^\d+/.exec(name)?.[0];
  return digits === undefined || isHash(name) ? undefined : Number(digits);
}

// `3f9a2c1e.md`, `4fKz81xQ.md`: programs make such names, and that one begins with a digit is chance. Seven or more digits
// and letters that take turns, once for hexadecimal ones, else twice: `3d-maps`, `2024dec` and `01part2` are none.
function isHash(name: string): boolean {
  const [word = ""] = /^[\da-z]{7,}(?![^-_. ])/i.exec(name) ?? [];
  return /^\d+[a-f]+\d[\da-f]*$/i.test(word) || /^\d+[a-z]+\d+[a-z]/i.test(word);
}

/** True for `README` and `index` with the ending of a lesson, in any case. */
export function isIntroduction(name: string): boolean {
  return isLessonFile(name) && /^(readme|index)\.[a-z]+$/i.test(name);
}

/** A title from a file or folder name: `02-deep-learning.md` becomes `Deep learning`. */
export function toTitle(name: string): string {
  const stem = isLessonFile(name) ? name.slice(0, -extname(name).length) : name;
  const words = stem
    .replace(/^\d+[-_. ]+/, "")
    .replace(/[-_\s]+/g, " ")
    .trim();
  const title = words === "" ? stem : words;
  // By code point: the first letter may be outside the basic plane.
  const [first = "", ...rest] = title;
  return first.toUpperCase() + rest.join("");
}
