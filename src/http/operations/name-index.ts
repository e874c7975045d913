import type { CatalogReader } from "../../catalog/catalog-reader.ts";
import type { Release } from "../../catalog/store.ts";
import type { LargeWork } from "./large-work.ts";

/** The most that all kept indexes may take; the least recently used are dropped first. */
const MAX_BYTES = 32 * 1024 * 1024;
/** This many names are searched before other requests get their turn. */
const NAMES_AT_ONCE = 10_000;
const LINE_BREAK = 10;

/** Finds courses by a part of their name, in names that are kept in memory as one text per release. */
export class NameIndexes {
  readonly #catalog: CatalogReader;
  /** By release id, least recently used first. */
  readonly #indexes = new Map<number, NameIndex>();

  constructor(catalog: CatalogReader) {
    this.#catalog = catalog;
  }

  /**
   * The positions in the list of courses of those whose folded name contains `foldedName`, in order. A search among many
   * names waits for its turn. So does reading the names, which is then done once for all requests. Throws as `work` does.
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
      // One index is always kept: otherwise every search would read all names again.
      if (bytes <= MAX_BYTES || this.#indexes.size === 1) return;
      this.#indexes.delete(id);
      bytes -= index.bytes;
    }
  }
}

/** All names of a release as one text, a line each: a search is one pass over it, without an object per name. */
class NameIndex {
  readonly #text: Buffer;
  /** The offset of each position's line, and the end of the last line. */
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
    // Folded names hold no line break, so a search for one must not match across two lines.
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
