import type { Logger } from "pino";
import type { CatalogReader } from "../catalog/catalog-reader.ts";
import type { ChangeFeed } from "../catalog/store.ts";
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
    readChapters: true,
    readDifference: true,
    compareLessons: true,
  } satisfies Record<StreamName, true>),
);
type Read = (...asked: unknown[]) => Promise<unknown> | AsyncIterable<unknown>;

export interface GuardOptions {
  catalog: CatalogReader;
  /** The number of connections that the catalog's reads share; undefined if they share none. */
  readsAtOnce?: number | undefined;
  /** The longest time for a read on such a connection; undefined for no limit. */
  readTimeoutMs?: number | undefined;
  /** Replaces the connections of the catalog's store. */
  content?: Pick<ChangeFeed, "reconnect">;
  /** Whether an error means that the database is damaged. By default, none does. */
  isDamage?: (error: unknown) => boolean;
  logger: Logger;
}

/** How long damage is known before the read that showed it is tried again. */
const DAMAGE_RETRY_MS = 1000;

/** While the store is down, fails new and pending reads at once, so that no request waits for a time-out. */
export class GuardedCatalog {
  /** Called with a warning for operators when a read reveals damage, and with undefined once it succeeds. */
  onDamage: (damage: string | undefined) => void = () => {};
  readonly #options: GuardOptions;
  #turns: ReadTurns | undefined;
  readonly #ofProjects = new Map<string, CatalogReader>();
  readonly #waiting = new Set<(error: Error) => void>();
  #isAway = false;
  #damage: string | undefined;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#turns = this.#createTurns();
  }

  /** Returns the warning for operators, or undefined if no damage is known. */
  get damage(): string | undefined {
    return this.#damage;
  }

  /** Returns the catalog for a project's reads, which take turns with other projects' reads. */
  catalogOf(project: string): CatalogReader {
    let catalog = this.#ofProjects.get(project);
    if (catalog === undefined) this.#ofProjects.set(project, (catalog = this.#guardFor(project)));
    return catalog;
  }

  #guardFor(project: string): CatalogReader {
    const guarded: Record<string, unknown> = {};
    for (const [name, read] of Object.entries(this.#options.catalog) as [string, Read][]) {
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
    const { readsAtOnce } = this.#options;
    return readsAtOnce === undefined ? undefined : new ReadTurns(readsAtOnce);
  }

  #inTurn<T>(project: string, read: () => Promise<T>): Promise<T> {
    const turns = this.#turns;
    if (turns === undefined) return read();
    return turns.run(project, () => {
      if (this.#isAway || turns !== this.#turns) throw new StoreAway("the store stopped responding");
      return this.#readInTime(read, turns);
    });
  }

  /** Limits the time of a read, since a connection can be lost without notice, and never answers then. */
  async #readInTime<T>(read: () => Promise<T>, turns: ReadTurns): Promise<T> {
    const { readTimeoutMs, content, logger } = this.#options;
    if (readTimeoutMs === undefined) return read();
    return withinTime(read(), readTimeoutMs).catch((error: unknown) => {
      // New turns mean that the connections have been replaced since.
      if (error instanceof TookTooLong && turns === this.#turns) {
        logger.warn("the database did not answer a read; replacing all connections");
        content?.reconnect();
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
          this.#takeError(error, readAgain);
          reject(error);
        },
      );
    });
  }

  #takeError(error: unknown, read: () => Promise<unknown>): void {
    if (this.#damage !== undefined || this.#options.isDamage?.(error) !== true) return;
    const cause = (error as Error).message;
    this.#noteDamage(
      `Reads of the database fail (${cause}). Run \`lectern doctor\`, or restore a backup with \`lectern restore\`.`,
    );
    this.#repeat(read);
  }

  #repeat(read: () => Promise<unknown>): void {
    const retry = async (): Promise<void> => {
      try {
        await read();
      } catch (error) {
        if (this.#options.isDamage?.(error) === true) return this.#repeat(read);
      }
      this.#noteDamage(undefined);
    };
    setTimeout(() => void retry(), DAMAGE_RETRY_MS).unref();
  }

  #noteDamage(damage: string | undefined): void {
    this.#damage = damage;
    this.onDamage(damage);
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
