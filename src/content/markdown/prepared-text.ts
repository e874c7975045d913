// What a format does to the text of its lesson files before it is read as Markdown, and where its lines come from.
import type { Location, Tell } from "../source.ts";
import type { TextReading } from "./markdown-environment.ts";

/** The body of a lesson file, still as its author wrote it. */
export interface WrittenText {
  /** The file, relative to the source's root. */
  path: string;
  text: string;
  /** The line of the file on which the text begins. */
  firstLine: number;
}

export interface PreparedText {
  text: string;
  /** Where a line of it stands; lines count from 1. */
  placeOf: (line: number) => Location;
  /** What the rules of its format find out of it; undefined where they find nothing. */
  reading?: TextReading | undefined;
}

/** Carries out what Markdown does not know. Undefined when the text cannot be read then; that is reported. */
export type PrepareText = (written: WrittenText, report: Tell) => Promise<PreparedText | undefined>;

/** A text that is put together from parts of files. Each line has the place at which its beginning stands. */
export class AssembledText {
  readonly #parts: string[] = [];
  readonly #starts: { line: number; place: { file: string; line: number } }[] = [];
  #line = 1;
  #isLineStart = true;
  #length = 0;

  /** In UTF-16 units. */
  get length(): number {
    return this.#length;
  }

  /** Adds text that begins at `line` of `file`, or in the middle of it. */
  add(text: string, file: string, line: number): void {
    if (text === "") return;
    // What begins within a line counts from the next.
    const skipped = this.#isLineStart ? 0 : 1;
    this.#starts.push({ line: this.#line + skipped, place: { file, line: line + skipped } });
    this.#parts.push(text);
    this.#length += text.length;
    this.#line += countLineBreaks(text);
    this.#isLineStart = text.endsWith("\n");
  }

  toPrepared(): Pick<PreparedText, "text" | "placeOf"> {
    const starts = this.#starts;
    const placeOf = (line: number): Location => {
      let low = 0;
      let high = starts.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((starts[middle]?.line ?? Infinity) <= line) low = middle + 1;
        else high = middle;
      }
      const start = starts[Math.max(0, low - 1)];
      return start === undefined ? { file: "" } : { ...start.place, line: start.place.line + line - start.line };
    };
    return { text: this.#parts.join(""), placeOf };
  }
}

/** How many lines end in a text. */
export function countLineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
