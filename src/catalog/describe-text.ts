// Describes a lesson for search engines and cards, and estimates its reading time.
import { Parser } from "htmlparser2";

const MAX_CHARACTERS = 160;
const WORDS_PER_MINUTE = 200;
/** The reading speed for scripts without spaces between words. */
const CHARACTERS_PER_MINUTE = 400;

const SILENT = new Set(["script", "style", "template"]);
/** Elements that descriptions skip, because they are not part of the running text. */
const ASIDE = new Set(["aside", "details", "figure", "form", "pre", "table"]);
const PARAGRAPHS = new Set(["p", "li", "dd"]);
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
const WORDS = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu;

/** Returns the beginning of the running text, and the reading time: 0 minutes only if there are no words. */
export function describeText(html: string): { description: string; readingMinutes: number } {
  const depths = { silent: 0, aside: 0, paragraph: 0 };
  let [description, minutes] = ["", 0];
  const count = (name: string, step: 1 | -1): void => {
    if (SILENT.has(name)) depths.silent += step;
    if (ASIDE.has(name)) depths.aside += step;
    if (PARAGRAPHS.has(name)) depths.paragraph += step;
  };
  const isFull = (): boolean => description.length > 2 * MAX_CHARACTERS;
  const parser = new Parser({
    onopentagname(name) {
      if ((PARAGRAPHS.has(name) || name === "br") && !isFull()) description += " ";
      count(name, 1);
    },
    onclosetag: (name) => count(name, -1),
    ontext(text) {
      if (depths.silent > 0) return;
      minutes += measure(text);
      if (depths.paragraph > 0 && depths.aside === 0 && !isFull()) description += text;
    },
  });
  parser.end(html);
  return { description: cut(description.replace(/\s+/g, " ").trim()), readingMinutes: Math.ceil(minutes) };
}

function measure(text: string): number {
  const characters = text.match(UNSPACED)?.length ?? 0;
  const spaced = characters === 0 ? text : text.replace(UNSPACED, " ");
  return (spaced.match(WORDS)?.length ?? 0) / WORDS_PER_MINUTE + characters / CHARACTERS_PER_MINUTE;
}

function cut(text: string): string {
  const characters = Array.from(text.slice(0, 4 * MAX_CHARACTERS));
  if (characters.length <= MAX_CHARACTERS) return text;
  const head = characters.slice(0, MAX_CHARACTERS - 1).join("");
  const blank = head.lastIndexOf(" ");
  return `${blank > head.length / 2 ? head.slice(0, blank) : head}…`;
}
