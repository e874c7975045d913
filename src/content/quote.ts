/** How much of what an author wrote a message repeats. */
const MAX_QUOTED = 200;

/** Text of an author for a message: cut, with an ellipsis, where it is longer than `maxCharacters`. */
export function cutText(text: string, maxCharacters = MAX_QUOTED): string {
  if (text.length <= maxCharacters) return text;
  const end = maxCharacters - 1;
  // Half of a surrogate pair is no character.
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return `${text.slice(0, isHalf ? end - 1 : end)}…`;
}

/** Texts of an author for one message: what short ones leave is for the long ones. In the order given. */
export function cutTexts<T extends string[]>(...texts: T): T {
  let room = MAX_QUOTED;
  let left = texts.length;
  const cut = new Map<string, string>();
  for (const text of texts.toSorted((a, b) => a.length - b.length)) {
    const shown = cutText(text, Math.floor(room / left));
    cut.set(text, shown);
    room -= shown.length;
    left--;
  }
  return texts.map((text) => cut.get(text)) as T;
}
