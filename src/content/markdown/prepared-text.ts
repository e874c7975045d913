// Lesson text that a format preprocesses, with the origin of each line.
import type { Location, ReportFinding } from "../source.ts";
import type { TextReading } from "./markdown-environment.ts";

/** The body of a lesson file as written. */
export interface WrittenText {
  /** The file, relative to the source root. */
  path: string;
  text: string;
  /** The line of the file on which the text begins. */
  firstLine: number;
}

export interface PreparedText {
  text: string;
  /** Returns the source location of a line, from 1. */
  placeOf: (line: number) => Location;
  /** Collects the findings of the format's own rules; undefined if the format has none. */
  reading?: TextReading | undefined;
}

/** Expands a format's directives. Resolves with undefined for unreadable text, which it reports. */
export type PrepareText = (written: WrittenText, report: ReportFinding) => Promise<PreparedText | undefined>;

/** Locates the lines of a text that consists of parts of files. */
export class LinePlaces {
  readonly #starts: { line: number; place: { file: string; line: number } }[] = [];

  /** Adds the place of a line, from 1, and of the lines that follow it. Lines are added in order. */
  add(line: number, place: { file: string; line: number }): void {
    this.#starts.push({ line, place });
  }

  readonly placeOf = (line: number): Location => {
    const starts = this.#starts;
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
}

/** A text assembled from parts of files, with each line's location. */
export class AssembledText {
  readonly #parts: string[] = [];
  readonly #places = new LinePlaces();
  #line = 1;
  #isLineStart = true;
  #length = 0;

  /** Returns the length in UTF-16 code units. */
  get length(): number {
    return this.#length;
  }

  /** Returns the number of lines so far. */
  get lines(): number {
    return this.#line;
  }

  /** Adds text that begins on `line` of `file`, possibly mid-line. */
  add(text: string, file: string, line: number): void {
    if (text === "") return;
    // A line assembled from several texts gets the location of the first, so text added mid-line is located from its
    // next line on.
    const skipped = this.#isLineStart ? 0 : 1;
    this.#places.add(this.#line + skipped, { file, line: line + skipped });
    this.#parts.push(text);
    this.#length += text.length;
    this.#line += countLineBreaks(text);
    this.#isLineStart = text.endsWith("\n");
  }

  toPrepared(): Pick<PreparedText, "text" | "placeOf"> {
    return { text: this.#parts.join(""), placeOf: this.#places.placeOf };
  }
}

export function countLineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
