import type { CatalogReader } from "../catalog/catalog-reader.ts";
import type { DamageWatch } from "./damage-watch.ts";

export class StoreAway extends Error {}

/** While the store is down, reads fail at once, even pending ones, so that no request waits for a time-out. */
export class GuardedCatalog {
  readonly catalog: CatalogReader;
  readonly #watch: DamageWatch;
  readonly #waiting = new Set<(error: Error) => void>();
  #isAway = false;

  constructor(catalog: CatalogReader, watch: DamageWatch) {
    this.#watch = watch;
    const guarded: Record<string, unknown> = {};
    type Read = (...asked: unknown[]) => Promise<unknown> | AsyncIterable<unknown>;
    for (const [name, read] of Object.entries(catalog) as [string, Read][]) {
      guarded[name] = (...asked: unknown[]) => {
        if (this.#isAway) throw new StoreAway("the store is not responding");
        const reading = read(...asked);
        if (!(reading instanceof Promise)) return this.#iterate(reading, async () => drain(read(...asked)));
        return this.guard(
          () => reading,
          async () => read(...asked),
        );
      };
    }
    this.catalog = guarded as unknown as CatalogReader;
  }

  set isAway(isAway: boolean) {
    this.#isAway = isAway;
    if (!isAway) return;
    for (const refuse of this.#waiting) refuse(new StoreAway("the store stopped responding"));
  }

  /**
   * Reads the same store outside the catalog interface. Throws StoreAway, as catalog reads do. `readAgain` repeats the
   * read from the start.
   */
  guard<T>(read: () => Promise<T>, readAgain: () => Promise<unknown> = read): Promise<T> {
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
          this.#watch.takeError(error, readAgain);
          reject(error);
        },
      );
    });
  }

  async *#iterate<T>(chunks: AsyncIterable<T>, readAgain: () => Promise<unknown>): AsyncGenerator<T> {
    const iterator = chunks[Symbol.asyncIterator]();
    for (;;) {
      const next = await this.guard(() => iterator.next(), readAgain);
      if (next.done === true) return;
      yield next.value;
    }
  }
}

async function drain(chunks: Promise<unknown> | AsyncIterable<unknown>): Promise<void> {
  if (chunks instanceof Promise) return void (await chunks);
  const iterator = chunks[Symbol.asyncIterator]();
  while ((await iterator.next()).done !== true);
}
