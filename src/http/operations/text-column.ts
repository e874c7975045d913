import type { AnswerWork } from "./answer-work.ts";

/** The number of rows after which other requests get a turn. */
export const ROWS_AT_ONCE = 500;
const LINE_BREAK = 10;

/**
 * Joins the texts of ROWS_AT_ONCE rows each, one line per row, so that a search is a single pass per part. Does not join
 * the parts, which would need twice the memory. No text contains a line break.
 */
export class TextColumn {
  readonly #parts: Buffer[] = [];
  /** The lines of the part that is not complete. */
  #lines: string[] = [];
  /** The end of each row's line in its part. */
  #ends: number[] | Uint32Array = [];
  #textBytes = 0;

  add(lines: string[]): void {
    for (const line of lines) {
      const bytes = Buffer.byteLength(line) + 1;
      (this.#ends as number[]).push(this.#startOf(this.length) + bytes);
      this.#textBytes += bytes;
      this.#lines.push(line);
      if (this.#lines.length === ROWS_AT_ONCE) this.#join();
    }
  }

  finish(): void {
    if (this.#lines.length > 0) this.#join();
    this.#ends = Uint32Array.from(this.#ends);
  }

  #join(): void {
    this.#parts.push(Buffer.from(`${this.#lines.join("\n")}\n`));
    this.#lines = [];
  }

  get length(): number {
    return this.#ends.length;
  }

  get bytes(): number {
    return this.#textBytes + this.#ends.length * Uint32Array.BYTES_PER_ELEMENT;
  }

  /** Compares rows by their UTF-8 bytes, that is, in code point order. */
  readonly compareRows = (a: number, b: number): number =>
    this.#partOf(a).compare(this.#partOf(b), this.#startOf(b), this.#endOf(b), this.#startOf(a), this.#endOf(a));

  #partOf(row: number): Buffer {
    return this.#parts[Math.floor(row / ROWS_AT_ONCE)] ?? Buffer.alloc(0);
  }

  #startOf(row: number): number {
    return row % ROWS_AT_ONCE === 0 ? 0 : (this.#ends[row - 1] ?? 0);
  }

  #endOf(row: number): number {
    return (this.#ends[row] ?? 1) - 1;
  }

  async search(text: string, work: AnswerWork): Promise<number[]> {
    const needle = Buffer.from(text);
    const rows: number[] = [];
    // A search text with a line break must not match across two lines.
    if (needle.includes(LINE_BREAK)) return rows;
    for (const [index, part] of this.#parts.entries()) {
      await work.pause();
      let row = index * ROWS_AT_ONCE;
      const end = Math.min(row + ROWS_AT_ONCE, this.length);
      for (let found = part.indexOf(needle); found !== -1;) {
        while ((this.#ends[row] ?? Infinity) <= found) row++;
        rows.push(row);
        row++;
        if (row >= end) break;
        found = part.indexOf(needle, this.#startOf(row));
      }
    }
    return rows;
  }
}
