// A file included in parts. A part costs its own size, not the file's.

const ANCHOR = /ANCHOR(_END)?:\s*([\w-]+)/;

/** Lines from 1, inclusive, or an anchor; undefined for the whole file. */
export type FilePart = { from: number; to: number } | string | undefined;

/** A file's text with its line and anchor offsets. */
export class IncludedFile {
  readonly text: string;
  #lineStarts: Uint32Array | undefined;
  #anchors: Map<string, number> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns a part without its last line break, and its first line; undefined text for a missing anchor. */
  take(part: FilePart): { text: string | undefined; firstLine: number } {
    if (part === undefined) return { text: this.text.replace(/\r?\n$/, ""), firstLine: 1 };
    if (typeof part === "string") return this.#takeAnchor(part);
    return { text: this.#takeLines(part.from - 1, part.to).join("\n"), firstLine: part.from };
  }

  #takeAnchor(name: string): { text: string | undefined; firstLine: number } {
    const start = this.#findAnchor(name);
    if (start === undefined) return { text: undefined, firstLine: 1 };
    const taken: string[] = [];
    for (let line = start + 1; line < this.#starts.length - 1; line++) {
      const text = this.#lineAt(line);
      const mark = ANCHOR.exec(text);
      if (mark === null) taken.push(text);
      else if (mark[1] !== undefined && mark[2] === name) break;
    }
    return { text: taken.join("\n"), firstLine: start + 2 };
  }

  /** Returns the line of an anchor's first start, from 0. */
  #findAnchor(name: string): number | undefined {
    if (this.#anchors === undefined) {
      this.#anchors = new Map();
      for (let line = 0; line < this.#starts.length - 1; line++) {
        const mark = ANCHOR.exec(this.#lineAt(line));
        const begun = mark?.[1] === undefined ? mark?.[2] : undefined;
        if (begun !== undefined && !this.#anchors.has(begun)) this.#anchors.set(begun, line);
      }
    }
    return this.#anchors.get(name);
  }

  #takeLines(from: number, to: number): string[] {
    const lines: string[] = [];
    const end = Math.min(to, this.#starts.length - 1);
    for (let line = from; line < end; line++) lines.push(this.#lineAt(line));
    return lines;
  }

  #lineAt(line: number): string {
    const text = this.text.slice(this.#starts[line], (this.#starts[line + 1] ?? 0) - 1);
    return text.endsWith("\r") ? text.slice(0, -1) : text;
  }

  /** Start of each line, and one past the last. */
  get #starts(): Uint32Array {
    if (this.#lineStarts === undefined) {
      const starts = [0];
      for (let at = this.text.indexOf("\n"); at !== -1; at = this.text.indexOf("\n", at + 1)) starts.push(at + 1);
      if (starts.at(-1) !== this.text.length) starts.push(this.text.length + 1);
      this.#lineStarts = Uint32Array.from(starts);
    }
    return this.#lineStarts;
  }
}
