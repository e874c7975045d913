/** The maximum number of characters quoted in a message. */
const MAX_QUOTED = 200;

/** Shortens an author's text for a message. An ellipsis replaces the end of a long text. */
export function cutText(text: string, maxCharacters = MAX_QUOTED): string {
  if (text.length <= maxCharacters) return text;
  const end = maxCharacters - 1;
  // Avoids splitting a surrogate pair.
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return `${text.slice(0, isHalf ? end - 1 : end)}…`;
}

/** Shortens several texts for one message, in the same order. Long texts share the characters that short ones leave. */
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

/** Lists the first of these texts, shortened for one message: `a.md, b.md, c.md, and 4 more`. */
export function listFirst(texts: readonly string[], most = 3): string {
  const rest = texts.length - most;
  const shown = cutTexts(...texts.slice(0, most)).join(", ");
  return rest > 0 ? `${shown}, and ${rest.toLocaleString("en-US")} more` : shown;
}
