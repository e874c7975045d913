import type { Release } from "../../catalog/store.ts";
import { requireRows } from "./incomplete-release.ts";
import type { LargeWork } from "./large-work.ts";
import { RecentlyUsed } from "./recently-used.ts";

/** An index that is made of a release with more courses than this is used in turns. */
const COURSES_AT_ONCE = 10_000;

/** Indexes of releases, kept in memory. */
export class KeptIndexes<Index extends { readonly bytes: number; readonly courses: number }> {
  readonly #build: (release: Release, work: LargeWork) => Promise<Index>;
  /** By release id. */
  readonly #indexes: RecentlyUsed<number, Index>;

  /** `maxBytes` is the most that all of them may take: the least recently used are dropped first. */
  constructor(maxBytes: number, build: (release: Release, work: LargeWork) => Promise<Index>) {
    this.#indexes = new RecentlyUsed(maxBytes);
    this.#build = build;
  }

  /**
   * The index of a release. To use that of a large release, `work` waits for its turn; so it does before the index is built,
   * which is then done once for all requests. Throws as `work` does.
   */
  async obtain(release: Release, work: LargeWork): Promise<Index> {
    if (release.courses > COURSES_AT_ONCE || !this.#indexes.has(release.id)) await work.begin(0);
    const known = this.#indexes.find(release.id);
    if (known !== undefined) return known;
    const index = await this.#build(release, work);
    requireRows(release, index.courses, release.courses);
    this.#indexes.keep(release.id, index);
    return index;
  }
}
