// Changes to the text of Markdown that leave its code alone.
import { countLineBreaks } from "./prepared-text.ts";
import { findEscapeEnd, findFenceEnd, InlineCode } from "./mdx-scanner.ts";

/** What stands in the place of a part of a text, from `start` on. */
export interface Replacement {
  end: number;
  by: string;
}

/** Where a text has more lines than its author wrote. */
export class GrownLines {
  readonly #parts: { firstLine: number; lastLine: number; written: number; replaced: number; surplus: number }[] = [];
  #surplus = 0;

  /** Adds a part of a text whose line breaks another number stands for; those above it come first. */
  add({ line, replaced, shown }: { line: number; replaced: number; shown: number }): void {
    if (shown <= replaced) return;
    const firstLine = line + this.#surplus;
    this.#surplus += shown - replaced;
    this.#parts.push({ firstLine, lastLine: firstLine + shown, written: line, replaced, surplus: this.#surplus });
  }

  /** The line that was written, of a line of the text that came of it; both count from 1. */
  toWritten(line: number): number {
    let low = 0;
    let high = this.#parts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#parts[middle]?.firstLine ?? Infinity) <= line) low = middle + 1;
      else high = middle;
    }
    const part = this.#parts[low - 1];
    if (part === undefined) return line;
    if (line > part.lastLine) return line - part.surplus;
    return part.written + Math.min(line - part.firstLine, part.replaced);
  }
}

/**
 * Replaces parts of Markdown outside its code and escapes. `read` is asked for each place at which one of `characters` stands, in
 * order; undefined leaves it as it is. Line breaks that are replaced come back behind what replaces them; those that come in
 * addition are told to `grown`.
 */
export function editOutsideCode(
  text: string,
  characters: string,
  read: (start: number) => Replacement | undefined,
  grown?: GrownLines,
): string {
  const stop = new RegExp(`[\`\\\\\\n${characters}]`, "g");
  const code = new InlineCode(text);
  let edited = "";
  let copiedTo = 0;
  let line = 1;
  let position = findFenceEnd(text, 0) ?? 0;
  while (position < text.length) {
    stop.lastIndex = position;
    const found = stop.exec(text);
    if (found === null) break;
    const { index } = found;
    if (found[0] === "\n") position = findFenceEnd(text, index + 1) ?? index + 1;
    else if (found[0] === "`") position = code.findEnd(index);
    else if (found[0] === "\\") position = findEscapeEnd(text, index);
    else {
      const replacement = read(index);
      position = replacement?.end ?? index + 1;
      if (replacement === undefined) continue;
      line += countLineBreaks(text.slice(copiedTo, index));
      const replaced = countLineBreaks(text.slice(index, position));
      const shown = countLineBreaks(replacement.by);
      edited += text.slice(copiedTo, index) + replacement.by + "\n".repeat(Math.max(0, replaced - shown));
      grown?.add({ line, replaced, shown });
      line += replaced;
      copiedTo = position;
    }
  }
  return edited + text.slice(copiedTo);
}
