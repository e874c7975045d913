import type { CatalogReader, Release } from "../../catalog/store.ts";
import type { LargeWork } from "./large-work.ts";

/** Indexes of more than this, together, are not kept; the least recently used go first. */
const MAX_BYTES = 32 * 1024 * 1024;
/** So many names are looked through before other requests come in between. */
const NAMES_AT_ONCE = 10_000;
const LINE_BREAK = 10;

/** Finds courses by a part of their name, from names that are kept in memory, packed. */
export class NameIndexes {
  readonly #catalog: CatalogReader;
  /** By release id, least recently used first. */
  readonly #indexes = new Map<number, NameIndex>();

  constructor(catalog: CatalogReader) {
    this.#catalog = catalog;
  }

  /**
   * The positions in the list of a release of the courses whose folded name contains `foldedName`, in order. Among many
   * names it waits for a turn, and to read them too, so that this is done once however many ask. Throws as `work` does.
   */
  async search(release: Release, foldedName: string, work: LargeWork): Promise<number[]> {
    if (release.courses > NAMES_AT_ONCE || !this.#indexes.has(release.id)) await work.begin(0);
    const index = this.#indexes.get(release.id) ?? (await NameIndex.build(this.#catalog.readNames(release), work));
    this.#indexes.delete(release.id);
    this.#indexes.set(release.id, index);
    this.#evict();
    return index.search(foldedName, work);
  }

  #evict(): void {
    let bytes = [...this.#indexes.values()].reduce((sum, index) => sum + index.bytes, 0);
    for (const [id, index] of this.#indexes) {
      // One is always kept: without it every search would read all names anew.
      if (bytes <= MAX_BYTES || this.#indexes.size === 1) return;
      this.#indexes.delete(id);
      bytes -= index.bytes;
    }
  }
}

/** All names of a release as one text, a line each: a search is one pass over it, without an object per name. */
class NameIndex {
  readonly #text: Buffer;
  /** Where the line of each position begins, and where the last one ends. */
  readonly #starts: Uint32Array;

  private constructor(text: Buffer, starts: Uint32Array) {
    this.#text = text;
    this.#starts = starts;
  }

  static async build(names: AsyncIterable<string[]>, work: LargeWork): Promise<NameIndex> {
    const parts: Buffer[] = [];
    const starts: number[] = [0];
    let length = 0;
    for await (const chunk of names) {
      work.stopIfGone();
      for (const name of chunk) {
        length += Buffer.byteLength(name) + 1;
        starts.push(length);
      }
      parts.push(Buffer.from(`${chunk.join("\n")}\n`));
    }
    return new NameIndex(Buffer.concat(parts), Uint32Array.from(starts));
  }

  get bytes(): number {
    return this.#text.byteLength + this.#starts.byteLength;
  }

  async search(foldedName: string, work: LargeWork): Promise<number[]> {
    const needle = Buffer.from(foldedName);
    // Names are folded, so they hold no line break; a search for one must not match between two.
    if (needle.includes(LINE_BREAK)) return [];
    const positions: number[] = [];
    const count = this.#starts.length - 1;
    for (let first = 0; first < count; first += NAMES_AT_ONCE) {
      if (first > 0) await work.pause();
      this.#searchSome(needle, first, Math.min(first + NAMES_AT_ONCE, count), positions);
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
