import type { CatalogReader } from "../catalog/catalog-reader.ts";
import type { DamageWatch } from "./damage-watch.ts";
import { TookTooLong, withinTime } from "./follow-store.ts";
import { ReadTurns } from "./read-turns.ts";

export class StoreAway extends Error {}

type StreamName = {
  [Name in keyof CatalogReader]: ReturnType<CatalogReader[Name]> extends AsyncIterable<unknown> ? Name : never;
}[keyof CatalogReader];
const STREAMS: ReadonlySet<string> = new Set(
  Object.keys({
    readKeptReleases: true,
    readCourses: true,
    pickCourses: true,
    readTraits: true,
    readLessons: true,
    readLessonBodies: true,
    readDifference: true,
    compareLessons: true,
  } satisfies Record<StreamName, true>),
);
type Read = (...asked: unknown[]) => Promise<unknown> | AsyncIterable<unknown>;

/** Limits the time of reads that share connections: a connection can be lost without notice, and never answers then. */
export interface ReadLimit {
  timeoutMs: number;
  /** Replaces the connections. */
  onTimeout: () => void;
}

/** While the store is down, fails new and pending reads at once, so that no request waits for a time-out. */
export class GuardedCatalog {
  readonly #unguarded: CatalogReader;
  readonly #watch: DamageWatch;
  readonly #readsAtOnce: number | undefined;
  readonly #limit: ReadLimit | undefined;
  #turns: ReadTurns | undefined;
  readonly #ofProjects = new Map<string, CatalogReader>();
  readonly #waiting = new Set<(error: Error) => void>();
  #isAway = false;

  /** `readsAtOnce` is the number of connections that reads share, or undefined if they share none. */
  constructor(catalog: CatalogReader, watch: DamageWatch, readsAtOnce?: number, limit?: ReadLimit) {
    this.#unguarded = catalog;
    this.#watch = watch;
    this.#readsAtOnce = readsAtOnce;
    this.#limit = limit;
    this.#turns = this.#createTurns();
  }

  /** Returns the catalog for a project's reads, which take turns with other projects' reads. */
  catalogOf(project: string): CatalogReader {
    let catalog = this.#ofProjects.get(project);
    if (catalog === undefined) this.#ofProjects.set(project, (catalog = this.#guardFor(project)));
    return catalog;
  }

  #guardFor(project: string): CatalogReader {
    const guarded: Record<string, unknown> = {};
    for (const [name, read] of Object.entries(this.#unguarded) as [string, Read][]) {
      guarded[name] = (...asked: unknown[]) => {
        if (this.#isAway) throw new StoreAway("the store is not responding");
        const again = async (): Promise<unknown> => drain(read(...asked));
        if (STREAMS.has(name)) return this.#iterate(project, read(...asked) as AsyncIterable<unknown>, again);
        return this.guard(project, () => read(...asked) as Promise<unknown>, again);
      };
    }
    return guarded as unknown as CatalogReader;
  }

  #createTurns(): ReadTurns | undefined {
    return this.#readsAtOnce === undefined ? undefined : new ReadTurns(this.#readsAtOnce);
  }

  #inTurn<T>(project: string, read: () => Promise<T>): Promise<T> {
    const turns = this.#turns;
    if (turns === undefined) return read();
    return turns.run(project, () => {
      if (this.#isAway || turns !== this.#turns) throw new StoreAway("the store stopped responding");
      return this.#limit === undefined ? read() : this.#readInTime(read, turns, this.#limit);
    });
  }

  async #readInTime<T>(read: () => Promise<T>, turns: ReadTurns, { timeoutMs, onTimeout }: ReadLimit): Promise<T> {
    return withinTime(read(), timeoutMs).catch((error: unknown) => {
      // New turns mean that the connections have been replaced since.
      if (error instanceof TookTooLong && turns === this.#turns) {
        onTimeout();
        this.#dropReads();
      }
      throw error;
    });
  }

  set isAway(isAway: boolean) {
    this.#isAway = isAway;
    if (isAway) this.#dropReads();
  }

  #dropReads(): void {
    // Start new turns, because reads on replaced connections can hang forever and would keep their places.
    this.#turns = this.#createTurns();
    for (const refuse of this.#waiting) refuse(new StoreAway("the store stopped responding"));
  }

  /**
   * Reads in a project's turn; `project` is "" for assets, which belong to no project. While the store is down, throws
   * StoreAway, as catalog reads do. `readAgain` repeats the read from the start.
   */
  guard<T>(project: string, read: () => Promise<T>, readAgain: () => Promise<unknown> = read): Promise<T> {
    if (this.#isAway) return Promise.reject(new StoreAway("the store is not responding"));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.add(reject);
      // `finally` would create two more promises per cache miss.
      this.#inTurn(project, read).then(
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

  async *#iterate<T>(project: string, chunks: AsyncIterable<T>, readAgain: () => Promise<unknown>): AsyncGenerator<T> {
    const iterator = chunks[Symbol.asyncIterator]();
    for (;;) {
      const next = await this.guard(project, () => iterator.next(), readAgain);
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
