// Changes to the text of Markdown that leave its code alone.
import { countLineBreaks } from "./prepared-text.ts";
import { findFenceEnd, InlineCode } from "./mdx-scanner.ts";

/** What stands in the place of a part of a text, from `start` on. */
export interface Replacement {
  end: number;
  by: string;
}

/**
 * Replaces parts of Markdown outside its code and escapes. `read` is asked for each place at which one of `characters` stands, in
 * order; undefined leaves it as it is. Line breaks that are replaced come back behind what replaces them.
 */
export function editOutsideCode(
  text: string,
  characters: string,
  read: (start: number) => Replacement | undefined,
): string {
  const stop = new RegExp(`[\`\\\\\\n${characters}]`, "g");
  const code = new InlineCode(text);
  let edited = "";
  let copiedTo = 0;
  let position = findFenceEnd(text, 0) ?? 0;
  while (position < text.length) {
    stop.lastIndex = position;
    const found = stop.exec(text);
    if (found === null) break;
    const { index } = found;
    if (found[0] === "\n") position = findFenceEnd(text, index + 1) ?? index + 1;
    else if (found[0] === "`") position = code.findEnd(index);
    else if (found[0] === "\\") position = index + 2;
    else {
      const replacement = read(index);
      position = replacement?.end ?? index + 1;
      if (replacement === undefined) continue;
      edited += text.slice(copiedTo, index) + replacement.by;
      edited += "\n".repeat(
        Math.max(0, countLineBreaks(text.slice(index, position)) - countLineBreaks(replacement.by)),
      );
      copiedTo = position;
    }
  }
  return edited + text.slice(copiedTo);
}
