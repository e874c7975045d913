// Folds and splits texts and queries in the same way, so that they match. Words consist of letters, marks and digits of
// any script. Text in scripts without spaces becomes bigrams.
import { foldName, limitMarks } from "../catalog/fold-name.ts";

/** Part of an index file's version. Raise it when tokens change. */
export const WORDS_VERSION = 1;

/** Separates blocks, so that no phrase spans two. No word contains it. */
const BLOCK_END = "¶";

/** Only this many characters of a longer word are indexed: nobody searches for the rest. */
const MAX_WORD_LENGTH = 64;
/** Runs of more characters are split: only generated text contains them, because no sentence is this long. */
const MAX_RUN_LENGTH = 10_000;
const MAX_FOLDED = 20_000;

/** A word, or a run of characters in scripts without spaces. Positions are UTF-16 offsets in the text. */
export interface Segment {
  isRun: boolean;
  text: string;
  start: number;
  end: number;
  /** The code points of a run; empty for a word. */
  characters: { text: string; start: number; end: number }[];
}

/** A word, which can contain joiners and soft hyphens. */
const WORD = /[\p{L}\p{M}\p{N}\u00ad\u200c\u200d]+/gu;
const IS_ASCII = /^[a-z0-9]*$/i;
/** A letter with its marks. Lists the half-width voicing marks of kana, which Unicode classifies as letters. */
const UNIT = /[^\p{M}ﾞﾟ][\p{M}ﾞﾟ]*|[\p{M}ﾞﾟ]+/gu;
const WITHOUT_BLANKS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u30fc\u3099\u309a]/u;
/** Joiners, soft hyphens and variation selectors, which change only how text is displayed. */
const INVISIBLE = /\u00ad|\u200c|\u200d|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;

interface FoldedCharacter {
  text: string;
  kind: "word" | "run" | "mark" | "none";
}

const folded = new Map<string, FoldedCharacter[]>();

function foldUnit(unit: string): FoldedCharacter[] {
  const known = folded.get(unit);
  if (known !== undefined) return known;
  const text = foldName(unit.replace(INVISIBLE, "")).replaceAll("ς", "σ");
  const characters = [...text].map((character) => ({ text: character, kind: findKind(character) }));
  if (folded.size >= MAX_FOLDED) folded.clear();
  folded.set(unit, characters);
  return characters;
}

function findKind(character: string): FoldedCharacter["kind"] {
  if (WITHOUT_BLANKS.test(character)) return "run";
  if (/\p{M}/u.test(character)) return "mark";
  return /[\p{L}\p{N}]/u.test(character) ? "word" : "none";
}

/** Returns the form of a text in which positions are counted. */
export function normalizeText(text: string): string {
  return limitMarks(text).normalize("NFC");
}

/** Calls `visit` for each segment in NFC text, in order, until it returns false. */
export function visitSegments(text: string, visit: (segment: Segment) => boolean | void): void {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!IS_ASCII.test(word)) {
      if (!visitFolded(word, index, visit)) return;
      continue;
    }
    const end = index + word.length;
    if (visit({ isRun: false, text: word.toLowerCase(), start: index, end, characters: [] }) === false) return;
  }
}

function visitFolded(word: string, from: number, visit: (segment: Segment) => boolean | void): boolean {
  let segment: Segment | undefined;
  let goesOn = true;
  const finish = (): void => {
    if (segment !== undefined && visit(segment) === false) goesOn = false;
    segment = undefined;
  };
  for (const { 0: unit, index } of word.matchAll(UNIT)) {
    const start = from + index;
    const end = start + unit.length;
    for (const { text, kind } of foldUnit(unit)) {
      const isRun = kind === "run" || (kind === "mark" && segment?.isRun === true);
      const isLong = segment !== undefined && segment.characters.length >= MAX_RUN_LENGTH;
      if (kind === "none" || isLong || (segment !== undefined && segment.isRun !== isRun)) finish();
      if (!goesOn) return false;
      if (kind === "none") continue;
      segment ??= { isRun, text: "", start, end, characters: [] };
      segment.text += text;
      segment.end = end;
      if (isRun) segment.characters.push({ text, start, end });
    }
  }
  finish();
  return goesOn;
}

/** Returns the token of a word, or the bigrams of a run. */
export function toTokens({ isRun, text, characters }: Segment): string[] {
  if (!isRun) return [text.length <= MAX_WORD_LENGTH ? text : [...text].slice(0, MAX_WORD_LENGTH).join("")];
  return characters.slice(0, -1).map((character, at) => character.text + (characters[at + 1]?.text ?? ""));
}

/** A run's last character is a token, too, so that a search for any single character finds it. */
export function lastToken({ characters }: Segment): string[] {
  return characters.slice(-1).map((character) => character.text);
}

/** Returns a text's tokens for the index, separated by spaces. Each line of the text is a block. */
export function formatTokens(text: string): string {
  const blocks: string[] = [];
  for (const block of normalizeText(text).split("\n")) {
    const tokens: string[] = [];
    visitSegments(block, (segment) => {
      for (const token of toTokens(segment)) tokens.push(token);
      for (const token of lastToken(segment)) tokens.push(token);
    });
    if (tokens.length > 0) blocks.push(tokens.join(" "));
  }
  return blocks.join(` ${BLOCK_END} `);
}
