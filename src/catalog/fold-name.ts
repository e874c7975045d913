const LETTERS_WITHOUT_DECOMPOSITION: Record<string, string> = {
  đ: "d",
  ł: "l",
  ø: "o",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ı: "i",
};

/**
 * Folds a name for matching: without case, without Latin, Greek and Cyrillic accents, with single blanks.
 *
 * Only U+0300 to U+036F are dropped, not every mark: vowel signs of Hindi, Thai or Burmese and the voicing marks of
 * Japanese are marks too, and words without them are other words.
 */
export function foldName(name: string): string {
  return limitMarks(name)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replace(/[đłøßæœı]/g, (letter) => LETTERS_WITHOUT_DECOMPOSITION[letter] ?? letter)
    .replace(/\s+/g, " ")
    .trim();
}

/** Keeps 30 combining marks in a row (UAX #15 §13): the time to normalize grows with the square of their number. */
export function limitMarks(text: string): string {
  return text.replace(/(\p{M}{30})\p{M}+/gu, "$1");
}
