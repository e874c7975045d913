// Changes to the text of Markdown that leave its code alone.
import type { MarkdownCode } from "./markdown-code.ts";
import { countLineBreaks } from "./prepared-text.ts";

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
 * Calls `visit` for each place outside code and escapes at which one of `characters` stands, in order. It may say where to go on.
 * Throws UnreadableText.
 */
export function visitOutsideCode(
  text: string,
  code: MarkdownCode,
  characters: string,
  visit: (start: number) => number | undefined,
): void {
  const stop = new RegExp(`[\\\\${characters}]`, "g");
  for (let found = stop.exec(text); found !== null; found = stop.exec(text)) {
    const { index } = found;
    const codeEnd = code.findEnd(index);
    if (codeEnd !== undefined) stop.lastIndex = codeEnd;
    else if (found[0] === "\\") stop.lastIndex = findEscapeEnd(text, index);
    else stop.lastIndex = visit(index) ?? index + 1;
  }
}

/**
 * Replaces parts of Markdown outside code and escapes. `read` is asked for each place at which one of `characters` stands, in
 * order; undefined leaves it as it is. Line breaks that are replaced come back behind what replaces them; those that come in
 * addition are told to `grown`. Throws UnreadableText.
 */
export function editOutsideCode(
  text: string,
  code: MarkdownCode,
  characters: string,
  read: (start: number) => Replacement | undefined,
  grown?: GrownLines,
): string {
  let edited = "";
  let copiedTo = 0;
  let line = 1;
  visitOutsideCode(text, code, characters, (start) => {
    const replacement = read(start);
    if (replacement === undefined) return undefined;
    const { end, by } = replacement;
    line += countLineBreaks(text.slice(copiedTo, start));
    const replaced = countLineBreaks(text.slice(start, end));
    const shown = countLineBreaks(by);
    edited += text.slice(copiedTo, start) + by + "\n".repeat(Math.max(0, replaced - shown));
    grown?.add({ line, replaced, shown });
    line += replaced;
    copiedTo = end;
    return end;
  });
  return edited + text.slice(copiedTo);
}

/** The offset after what the backslash at `start` escapes: no line break, behind which code may begin. */
function findEscapeEnd(text: string, start: number): number {
  return text[start + 1] === "\n" ? start + 1 : start + 2;
}
