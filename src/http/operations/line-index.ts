import type { LargeWork } from "./large-work.ts";

/** This many lines are searched before other requests get their turn. */
export const LINES_AT_ONCE = 10_000;
const LINE_BREAK = 10;

/** Texts of the courses of a release as one text, a line each: a search is one pass over it, without an object per course. */
export class LineIndex {
  readonly #text: Buffer;
  /** The offset of each position's line, and the end of the last line. */
  readonly #starts: Uint32Array;

  constructor(text: Buffer, starts: Uint32Array) {
    this.#text = text;
    this.#starts = starts;
  }

  get courses(): number {
    return this.#starts.length - 1;
  }

  get bytes(): number {
    return this.#text.byteLength + this.#starts.byteLength;
  }

  /** The positions of the lines that contain a text, in order. Throws as `work` does. */
  async search(text: string, work: LargeWork): Promise<number[]> {
    const needle = Buffer.from(text);
    // No line holds a line break, so a search for one must not match across two lines.
    if (needle.includes(LINE_BREAK)) return [];
    const positions: number[] = [];
    const count = this.courses;
    for (let first = 0; first < count; first += LINES_AT_ONCE) {
      if (first > 0) await work.pause();
      this.#searchSome(needle, first, Math.min(first + LINES_AT_ONCE, count), positions);
    }
    return positions;
  }

  #searchSome(needle: Buffer, first: number, end: number, positions: number[]): void {
    const starts = this.#starts;
    const text = this.#text.subarray(0, starts[end]);
    let position = first;
    for (let found = text.indexOf(needle, starts[first]); found !== -1;) {
      while ((starts[position + 1] ?? Infinity) <= found) position++;
      positions.push(position);
      position++;
      if (position >= end) return;
      found = text.indexOf(needle, starts[position]);
    }
  }
}

/** Collects the lines of an index, which must hold no line break, in order. */
export class LineCollector {
  readonly #parts: Buffer[] = [];
  readonly #starts: number[] = [0];
  #length = 0;

  add(lines: string[]): void {
    for (const line of lines) {
      this.#length += Buffer.byteLength(line) + 1;
      this.#starts.push(this.#length);
    }
    this.#parts.push(Buffer.from(`${lines.join("\n")}\n`));
  }

  finish(): LineIndex {
    return new LineIndex(Buffer.concat(this.#parts), new Uint32Array(this.#starts));
  }
}
