// Where the items of MDX stand: which belong together, and whether they have their lines for themselves.
import type { MdxItem } from "./mdx-items.ts";

/** Tags or control lines that belong together, by their places in the list of items: two of a tag, two or more of `{#if}`. */
export type ItemGroup = readonly number[];

// Before what begins a line: quotations and items of lists.
const LINE_START = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t][ \t>]*)*$/;
const BLANK = /^[ \t\r]*$/;

/** Finds what belongs together. Items that are not closed, or closed in another order, are in no group. */
export function groupItems(items: readonly MdxItem[]): ItemGroup[] {
  const groups: ItemGroup[] = [];
  const open: { key: string; members: number[] }[] = [];
  const openCounts = new Map<string, number>();
  let openControls = 0;
  const count = (key: string, change: number): void => {
    openCounts.set(key, (openCounts.get(key) ?? 0) + change);
    if (key.startsWith("{")) openControls += change;
  };
  for (const [index, { kind, name }] of items.entries()) {
    const key = `${kind === "open" || kind === "close" ? "<" : "{"}${name}`;
    if (kind === "open" || kind === "begin") {
      open.push({ key, members: [index] });
      count(key, 1);
    } else if (kind === "next" && openControls > 0) {
      // What a branch leaves open is closed nowhere.
      for (let last = open.at(-1); last?.key.startsWith("<") === true; last = open.at(-1)) {
        count(last.key, -1);
        open.pop();
      }
      open.at(-1)?.members.push(index);
    } else if ((kind === "close" || kind === "end") && (openCounts.get(key) ?? 0) > 0) {
      let last = open.pop();
      while (last !== undefined && last.key !== key) {
        count(last.key, -1);
        last = open.pop();
      }
      count(key, -1);
      if (last !== undefined) groups.push([...last.members, index]);
    }
  }
  return groups;
}

/** Tells where items stand in their lines. Reads the text once. */
export class ItemLines {
  /** True where only items, and marks of lists and quotations, stand before the item on its line. */
  readonly startsLine: boolean[] = [];
  /** True where only items follow on the line. */
  readonly endsLine: boolean[] = [];
  readonly #lineStarts: number[] = [];
  readonly #lineEnds: number[] = [];
  readonly #blankBefore = new Map<number, boolean>();
  readonly #blankAfter = new Map<number, boolean>();

  readonly #text: string;

  constructor(text: string, items: readonly MdxItem[]) {
    this.#text = text;
    let end = 0;
    for (const [index, item] of items.entries()) {
      const before = text.slice(end, item.start);
      const breakAt = before.lastIndexOf("\n");
      const isFirst = index === 0 || breakAt !== -1;
      this.#lineStarts[index] = isFirst ? end + breakAt + 1 : (this.#lineStarts[index - 1] ?? 0);
      this.startsLine[index] = isFirst
        ? LINE_START.test(before.slice(breakAt + 1))
        : this.startsLine[index - 1] === true && BLANK.test(before);
      end = item.end;
    }
    let start = text.length;
    for (let index = items.length - 1; index >= 0; index--) {
      const after = text.slice(items[index]?.end, start);
      const breakAt = after.indexOf("\n");
      const isLast = index === items.length - 1 || breakAt !== -1;
      const lineEnd = breakAt === -1 ? text.length : start - after.length + breakAt;
      this.#lineEnds[index] = isLast ? lineEnd : (this.#lineEnds[index + 1] ?? text.length);
      this.endsLine[index] = isLast
        ? BLANK.test(breakAt === -1 ? after : after.slice(0, breakAt))
        : this.endsLine[index + 1] === true && BLANK.test(after);
      start = items[index]?.start ?? start;
    }
  }

  /** True where the lines of a group hold nothing else than the group. */
  fillsLines(first: number, last: number): boolean {
    return this.startsLine[first] === true && this.endsLine[last] === true;
  }

  /** True where a blank line, or an end of the text, stands before the one item and after the other. */
  standsApart(first: number, last: number): boolean {
    return this.#isBlankBefore(this.#lineStarts[first] ?? 0) && this.#isBlankAfter(this.#lineEnds[last] ?? 0);
  }

  #isBlankBefore(lineStart: number): boolean {
    const known = this.#blankBefore.get(lineStart);
    if (known !== undefined) return known;
    let position = lineStart - 2;
    while (position >= 0 && /[ \t\r>]/.test(this.#text.charAt(position))) position--;
    const isBlank = position < 0 || this.#text[position] === "\n";
    this.#blankBefore.set(lineStart, isBlank);
    return isBlank;
  }

  #isBlankAfter(lineEnd: number): boolean {
    const known = this.#blankAfter.get(lineEnd);
    if (known !== undefined) return known;
    let position = lineEnd + 1;
    while (position < this.#text.length && /[ \t\r>]/.test(this.#text.charAt(position))) position++;
    const isBlank = position >= this.#text.length || this.#text[position] === "\n";
    this.#blankAfter.set(lineEnd, isBlank);
    return isBlank;
  }
}
