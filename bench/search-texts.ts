// A catalog with natural word frequencies, and queries for it: the same on every machine.
import { closeSync, openSync, writeSync } from "node:fs";
import { prepareCatalog, type BenchCatalog } from "./catalogs.ts";

const COURSES = 1000;
const LESSONS = 48;
const WORDS_PER_LESSON = 600;
const VOCABULARY = 40_000;
const SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu an er is on ul ta le mi no ra".split(
  " ",
);

export interface BenchText {
  name: string;
  heading: string;
  text: string;
}

/** Generates numbers from 0 to 1 (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Returns the word of a rank: frequent words are short. */
function toWord(rank: number): string {
  let word = "";
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length];
  return word;
}

/** Draws the n-th word 1/n times as often as the first. */
function drawRank(random: () => number): number {
  return Math.floor(VOCABULARY ** random()) - 1;
}

export function createText(lesson: number): BenchText {
  const random = createRandom(lesson);
  const draw = (count: number): string => Array.from({ length: count }, () => toWord(drawRank(random))).join(" ");
  return { name: draw(5), heading: draw(4), text: draw(WORDS_PER_LESSON) };
}

export const TEXTS = COURSES * LESSONS;

/** Makes a query of one to three words, half of them rare, the last one incomplete; one query in ten has a phrase. */
export function createQueries(count: number, seed: number): string[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const words = createText(Math.floor(random() * TEXTS)).text.split(" ");
    const at = Math.floor(random() * (words.length - 3));
    if (index % 10 === 0) return `"${words[at]} ${words[at + 1]}"`;
    const picked = Array.from({ length: 1 + (index % 3) }, () => words[Math.floor(random() * words.length)] ?? "");
    const last = picked.pop() ?? "";
    return [...picked, index % 2 === 0 ? last : last.slice(0, Math.max(2, last.length - 2))].join(" ");
  });
}

export const prepareTexts = (folder: string): Promise<BenchCatalog> =>
  prepareCatalog(
    folder,
    { name: "texts", courses: COURSES, lessonsPerCourse: LESSONS, lessonCharacters: 4000 },
    writeSource,
  );

function writeSource(path: string): void {
  const file = openSync(path, "w");
  for (let course = 0; course < COURSES; course++) {
    const lessons = Array.from({ length: LESSONS }, (_, lesson) => {
      const { name, heading, text } = createText(course * LESSONS + lesson);
      return { id: `l${lesson}`, name, additionalText: `<h2 id="h">${heading}</h2><p>${text}</p>` };
    });
    const chapters = [{ id: "c", name: "Chapter", lessons }];
    const createdAt = new Date(Date.UTC(2025, 0, 1) - course * 60_000).toISOString();
    writeSync(
      file,
      `${JSON.stringify({ _id: `c${course}`, slug: `s${course}`, name: `Course ${course}`, createdAt, chapters })}\n`,
    );
  }
  closeSync(file);
}
