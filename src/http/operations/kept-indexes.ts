import type { Release } from "../../catalog/store.ts";
import { requireRows } from "./incomplete-release.ts";
import { KeptContent } from "./kept-content.ts";
import type { LargeWork } from "./large-work.ts";

/** An index that is made of a release with more courses than this is used in turns. */
const COURSES_AT_ONCE = 10_000;

/** Indexes of releases, kept in memory. */
export class KeptIndexes<Index extends { readonly bytes: number; readonly courses: number }> {
  readonly #build: (release: Release, work: LargeWork) => Promise<Index>;
  /** By release id. */
  readonly #indexes: KeptContent<Index>;

  /** `maxBytes` is the most that all of them may take. */
  constructor(maxBytes: number, build: (release: Release, work: LargeWork) => Promise<Index>) {
    this.#indexes = new KeptContent(maxBytes);
    this.#build = build;
  }

  /** The index of a release. To use that of a large one, `work` waits for its turn. Throws as `work` does, and ReleaseIncomplete. */
  async obtain(release: Release, work: LargeWork): Promise<Index> {
    const { project, id, courses } = release;
    if (courses > COURSES_AT_ONCE) await work.begin(0);
    return this.#indexes.obtain({ project, key: String(id), isLong: true }, work, async () => {
      const index = await this.#build(release, work);
      requireRows(release, index.courses, courses);
      return index;
    });
  }
}
