// Control characters, which can be commands to a terminal; line and paragraph separators; what turns the direction of the
// text around it, so that a line would read otherwise than it is. Joiners stay: words and emoji need them.
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** Text of authors or arguments as part of one line for a terminal: what is not for reading becomes a blank. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE, " ");
}

/** Text of several lines for a terminal, each as `toPrintable` has it. */
export function toPrintableLines(text: string): string {
  return text.split("\n").map(toPrintable).join("\n");
}
