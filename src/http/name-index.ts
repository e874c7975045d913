import type { CatalogReader, Release } from "../catalog/store.ts";

/** Indexes of more than this, together, are not kept; the least recently used go first. */
const MAX_BYTES = 32 * 1024 * 1024;
const LINE_BREAK = 10;

/** Finds courses by a part of their name, from names that are kept in memory, packed. */
export class NameIndexes {
  readonly #catalog: CatalogReader;
  /** By release id, least recently used first. */
  readonly #indexes = new Map<number, NameIndex>();
  readonly #pending = new Map<number, Promise<NameIndex>>();

  constructor(catalog: CatalogReader) {
    this.#catalog = catalog;
  }

  /** The positions in the list of a release of the courses whose folded name contains `foldedName`, in order. */
  async search(release: Release, foldedName: string): Promise<number[]> {
    let index = this.#indexes.get(release.id);
    if (index === undefined) index = await this.#build(release);
    this.#indexes.delete(release.id);
    this.#indexes.set(release.id, index);
    this.#evict();
    return index.search(foldedName);
  }

  // One build per release, however many ask meanwhile.
  async #build(release: Release): Promise<NameIndex> {
    const pending = this.#pending.get(release.id) ?? NameIndex.build(this.#catalog.readNames(release));
    this.#pending.set(release.id, pending);
    try {
      return await pending;
    } finally {
      this.#pending.delete(release.id);
    }
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
  /** Where the line of each position begins. */
  readonly #starts: Uint32Array;

  private constructor(text: Buffer, starts: Uint32Array) {
    this.#text = text;
    this.#starts = starts;
  }

  static async build(names: AsyncIterable<string[]>): Promise<NameIndex> {
    const parts: Buffer[] = [];
    const starts: number[] = [];
    let length = 0;
    for await (const chunk of names) {
      for (const name of chunk) {
        starts.push(length);
        length += Buffer.byteLength(name) + 1;
      }
      parts.push(Buffer.from(`${chunk.join("\n")}\n`));
    }
    return new NameIndex(Buffer.concat(parts), Uint32Array.from(starts));
  }

  get bytes(): number {
    return this.#text.byteLength + this.#starts.byteLength;
  }

  search(foldedName: string): number[] {
    const needle = Buffer.from(foldedName);
    // Names are folded, so they hold no line break; a search for one must not match between two.
    if (needle.includes(LINE_BREAK)) return [];
    const positions: number[] = [];
    for (let found = this.#text.indexOf(needle); found !== -1;) {
      const position = this.#findLine(found);
      positions.push(position);
      const next = this.#starts[position + 1];
      if (next === undefined) break;
      found = this.#text.indexOf(needle, next);
    }
    return positions;
  }

  /** The line that holds a byte: binary search for the last start at or before it. */
  #findLine(byte: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= byte) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
