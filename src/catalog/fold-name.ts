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
 * Folds a name for matching: lower case, single blanks, no Latin, Greek or Cyrillic accents. Drops only U+0300 to
 * U+036F, because other marks, such as Hindi vowel signs and Japanese voicing marks, distinguish words.
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

/** Returns a file's name or path in NFC: macOS stores names in NFD, but links in texts use NFC. */
export function toNfc(name: string): string {
  return limitMarks(name).normalize("NFC");
}

/** Keeps at most 30 combining marks in a row (UAX #15 §13), since normalizing longer runs takes quadratic time. */
export function limitMarks(text: string): string {
  return text.replace(/(\p{M}{30})\p{M}+/gu, "$1");
}
