import type { Release } from "../../catalog/store.ts";
import type { LargeWork } from "./large-work.ts";

/** An index that is made of a release with more courses than this is used in turns. */
const COURSES_AT_ONCE = 10_000;

/** Indexes of releases, kept in memory. */
export class KeptIndexes<Index extends { bytes: number }> {
  readonly #maxBytes: number;
  readonly #build: (release: Release, work: LargeWork) => Promise<Index>;
  /** By release id, least recently used first. */
  readonly #indexes = new Map<number, Index>();

  /** `maxBytes` is the most that all of them may take: the least recently used are dropped first. */
  constructor(maxBytes: number, build: (release: Release, work: LargeWork) => Promise<Index>) {
    this.#maxBytes = maxBytes;
    this.#build = build;
  }

  /**
   * The index of a release. To use that of a large release, `work` waits for its turn; so it does before the index is built,
   * which is then done once for all requests. Throws as `work` does.
   */
  async obtain(release: Release, work: LargeWork): Promise<Index> {
    if (release.courses > COURSES_AT_ONCE || !this.#indexes.has(release.id)) await work.begin(0);
    const index = this.#indexes.get(release.id) ?? (await this.#build(release, work));
    this.#indexes.delete(release.id);
    this.#indexes.set(release.id, index);
    this.#evict();
    return index;
  }

  #evict(): void {
    let bytes = [...this.#indexes.values()].reduce((sum, index) => sum + index.bytes, 0);
    for (const [id, index] of this.#indexes) {
      // One index is always kept: otherwise every search would read the whole list again.
      if (bytes <= this.#maxBytes || this.#indexes.size === 1) return;
      this.#indexes.delete(id);
      bytes -= index.bytes;
    }
  }
}
