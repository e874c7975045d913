import type { CatalogReader } from "../catalog/store.ts";

/** The store was found to be away; nobody asked it. */
export class StoreAway extends Error {}

/**
 * Reads of the store that end at once while it is away, those too that wait for it at the moment when that is found out:
 * a request that must be refused is refused without a delay.
 */
export class GuardedCatalog {
  readonly catalog: CatalogReader;
  readonly #waiting = new Set<(error: Error) => void>();
  #isAway = false;

  constructor(catalog: CatalogReader) {
    this.catalog = {
      findCourse: async (...course) => this.#ask(() => catalog.findCourse(...course)),
      findLessonList: async (...course) => this.#ask(() => catalog.findLessonList(...course)),
      countLessons: async (...course) => this.#ask(() => catalog.countLessons(...course)),
      findLesson: async (...lesson) => this.#ask(() => catalog.findLesson(...lesson)),
      findFormerSlug: async (...slug) => this.#ask(() => catalog.findFormerSlug(...slug)),
      findPublishedRelease: async (...release) => this.#ask(() => catalog.findPublishedRelease(...release)),
      readSummaries: (...part) => this.#iterate(catalog.readSummaries(...part)),
      pickSummaries: (...part) => this.#iterate(catalog.pickSummaries(...part)),
      readNames: (...release) => this.#iterate(catalog.readNames(...release)),
    };
  }

  /** Says whether the store answers. */
  set isAway(isAway: boolean) {
    this.#isAway = isAway;
    if (!isAway) return;
    for (const refuse of this.#waiting) refuse(new StoreAway("the store has stopped answering"));
  }

  #ask<T>(read: () => Promise<T>): Promise<T> {
    if (this.#isAway) return Promise.reject(new StoreAway("the store does not answer"));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.add(reject);
      read()
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(reject));
    });
  }

  async *#iterate<T>(chunks: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = chunks[Symbol.asyncIterator]();
    for (;;) {
      const next = await this.#ask(() => iterator.next());
      if (next.done === true) return;
      yield next.value;
    }
  }
}
