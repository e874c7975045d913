// Matches control characters (because terminals interpret them), line and paragraph separators, and characters that
// change the text direction. Does not match joiners, which some words and emoji need.
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** Makes text safe for one terminal line: replaces each run of unprintable characters with a space. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE, " ");
}

export function toPrintableLines(text: string): string {
  return text.split("\n").map(toPrintable).join("\n");
}
