// Control characters, which can be commands to a terminal; line and paragraph separators; characters that change the
// direction of text, so that a line would look different. Joiners stay: words and emoji need them.
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** Makes text safe as part of one line on a terminal: characters that cannot be read become a blank. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE, " ");
}

export function toPrintableLines(text: string): string {
  return text.split("\n").map(toPrintable).join("\n");
}
