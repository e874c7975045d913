import type { CatalogReader } from "../catalog/catalog-reader.ts";

export class StoreAway extends Error {}

/** While the store is down, reads fail at once, including pending ones: no request waits for a time-out. */
export class GuardedCatalog {
  readonly catalog: CatalogReader;
  readonly #waiting = new Set<(error: Error) => void>();
  #isAway = false;

  constructor(catalog: CatalogReader) {
    const guarded: Record<string, unknown> = {};
    type Read = (...asked: unknown[]) => Promise<unknown> | AsyncIterable<unknown>;
    for (const [name, read] of Object.entries(catalog) as [string, Read][]) {
      guarded[name] = (...asked: unknown[]) => {
        if (this.#isAway) throw new StoreAway("the store is not responding");
        const reading = read(...asked);
        return reading instanceof Promise ? this.guard(() => reading) : this.#iterate(reading);
      };
    }
    this.catalog = guarded as unknown as CatalogReader;
  }

  set isAway(isAway: boolean) {
    this.#isAway = isAway;
    if (!isAway) return;
    for (const refuse of this.#waiting) refuse(new StoreAway("the store stopped responding"));
  }

  /** A read of the same store outside the catalog. Throws StoreAway as catalog reads do. */
  guard<T>(read: () => Promise<T>): Promise<T> {
    if (this.#isAway) return Promise.reject(new StoreAway("the store is not responding"));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.add(reject);
      // Not `finally`, which creates two more promises per cache miss.
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
