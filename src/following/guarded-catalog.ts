import type { CatalogReader } from "../catalog/catalog-reader.ts";

/** A read was refused because the store is known to be away. */
export class StoreAway extends Error {}

/**
 * Reads of the store that fail at once while it is away. When the store turns out to be away, reads that wait for it fail
 * at that moment too, so that no request waits for a time-out.
 */
export class GuardedCatalog {
  readonly catalog: CatalogReader;
  readonly #waiting = new Set<(error: Error) => void>();
  #isAway = false;

  constructor(catalog: CatalogReader) {
    this.catalog = {
      findCourse: (...course) => this.guard(() => catalog.findCourse(...course)),
      findLessonList: (...course) => this.guard(() => catalog.findLessonList(...course)),
      findVersion: (...course) => this.guard(() => catalog.findVersion(...course)),
      findLesson: (...lesson) => this.guard(() => catalog.findLesson(...lesson)),
      findFormerSlug: (...slug) => this.guard(() => catalog.findFormerSlug(...slug)),
      findPublishedRelease: (...release) => this.guard(() => catalog.findPublishedRelease(...release)),
      readKeptReleases: (...channel) => this.#iterate(catalog.readKeptReleases(...channel)),
      readCourse: (...version) => this.guard(() => catalog.readCourse(...version)),
      readSummaries: (...part) => this.#iterate(catalog.readSummaries(...part)),
      pickSummaries: (...part) => this.#iterate(catalog.pickSummaries(...part)),
      findCourseParts: (...course) => this.guard(() => catalog.findCourseParts(...course)),
      findLessonParts: (...lesson) => this.guard(() => catalog.findLessonParts(...lesson)),
      readListed: (...part) => this.#iterate(catalog.readListed(...part)),
      pickListed: (...part) => this.#iterate(catalog.pickListed(...part)),
      readNames: (...release) => this.#iterate(catalog.readNames(...release)),
      findPositions: (...courses) => this.guard(() => catalog.findPositions(...courses)),
      readTraits: (...release) => this.#iterate(catalog.readTraits(...release)),
      readContents: async (version) => this.guard(() => catalog.readContents(version)),
      readLessons: (...lessons) => this.#iterate(catalog.readLessons(...lessons)),
      readDifference: (...releases) => this.#iterate(catalog.readDifference(...releases)),
    };
  }

  /** Set by whoever follows the store. When true, all reads throw StoreAway. */
  set isAway(isAway: boolean) {
    this.#isAway = isAway;
    if (!isAway) return;
    for (const refuse of this.#waiting) refuse(new StoreAway("the store has stopped answering"));
  }

  /** A read of the same store that is none of the catalog's. Throws StoreAway as they do. */
  guard<T>(read: () => Promise<T>): Promise<T> {
    if (this.#isAway) return Promise.reject(new StoreAway("the store does not answer"));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.add(reject);
      // Not `finally`, which makes two promises more of each miss.
      read().then(
        (result) => {
          this.#waiting.delete(reject);
          resolve(result);
        },
        (error: unknown) => {
          this.#waiting.delete(reject);
          reject(error);
        },
      );
    });
  }

  async *#iterate<T>(chunks: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = chunks[Symbol.asyncIterator]();
    for (;;) {
      const next = await this.guard(() => iterator.next());
      if (next.done === true) return;
      yield next.value;
    }
  }
}
