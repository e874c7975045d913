// Readers request everything, in every coding, from a server with two workers while releases are published and pruned.
// Every answer must be complete and from one release, and memory must not grow.
import { pruneReleases } from "../src/publishing/publish.ts";
import { startAsker } from "../test/read-path/connection.ts";
import { readMetrics } from "../test/read-path/metrics.ts";
import { listChildren, residentMegabytes } from "../test/read-path/processes.ts";
import { importCourses } from "../test/support/catalog.ts";
import { startServing, type RunningCommand } from "../test/support/command.ts";
import { publishingAt } from "../test/support/in-process.ts";
import { createRandom, readRandomSettings } from "../test/support/random.ts";
import { createKey, send } from "../test/support/server.ts";
import { openTestStore, type Engine, type TestStore } from "../test/support/store.ts";
import type { Judgement } from "./judgement.ts";
import { createEdition, MixedLoad } from "./mixed-load.ts";
import { median } from "./soak-judgement.ts";

const PUBLISH_EVERY_MS = 1000;
const MEMORY_INTERVAL_MS = 100;
/** The promised delay until a change is visible. */
const MAX_SEEN_MS = 1000;
const MIN_ANSWERS_PER_SECOND = 500;
const ASKERS = 16;
/** Small enough to fill early, after which memory must not grow. */
const CACHE_MEGABYTES = 4;

/** Reads for some seconds. Only the long form judges times. */
export async function serveMixedReaders(engine: Engine, seconds: number, isLong: boolean): Promise<Judgement[]> {
  const database = await openTestStore(engine);
  await importCourses(database.store, "acme", createEdition(1));
  const key = await createKey(database.store, "acme");
  const args = ["serve", "--workers", "2", "--cache-size", String(CACHE_MEGABYTES)];
  const server = await startServing(args, { env: { LECTERN_DATABASE: database.url } });
  try {
    const run = new MixedRun(database, server, key);
    await run.serve(seconds);
    return (await run.judge(seconds, isLong)).map((judgement) => ({
      ...judgement,
      text: `mixed readers on ${engine.name}: ${judgement.text}`,
    }));
  } finally {
    server.kill();
    await server.exited;
    await database.drop();
  }
}

class MixedRun {
  readonly #seed = readRandomSettings(0).seed;
  readonly #load: MixedLoad;
  readonly #database: TestStore;
  readonly #server: RunningCommand;
  readonly #key: string;
  #answers = 0;
  #looks = 0;
  readonly #failures: string[] = [];
  readonly #megabytes: number[] = [];
  readonly #seenAfterMs: number[] = [];

  constructor(database: TestStore, server: RunningCommand, key: string) {
    this.#database = database;
    this.#server = server;
    this.#key = key;
    this.#load = new MixedLoad(createRandom(this.#seed), key);
  }

  async serve(seconds: number): Promise<void> {
    const askers = Array.from({ length: ASKERS }, () =>
      startAsker(
        this.#server.url,
        () => this.#load.next(),
        (answer, path) => this.#load.check(answer, path),
      ),
    );
    const endsAt = Date.now() + seconds * 1000;
    while (Date.now() < endsAt) await this.#publishAndWait();
    await Promise.all(askers.map(async (asker) => asker.stop()));
    this.#answers = askers.reduce((sum, asker) => sum + asker.answers, 0);
    this.#failures.push(...askers.flatMap((asker) => asker.failures));
  }

  async #publishAndWait(): Promise<void> {
    const { store } = this.#database;
    const edition = this.#load.published + 1;
    const { outcome } = await importCourses(store, "acme", createEdition(edition), new Date().toISOString());
    if (outcome.status !== "published" || outcome.release.number !== edition) throw new Error("was not published");
    this.#load.published = edition;
    const publishedAt = performance.now();
    for (let isSeen = false; !isSeen; this.#looks++) {
      const answer = await send(this.#server.url, "/api/v1/courses?limit=1", { key: this.#key });
      isSeen = answer.headers.get("catalog-release") === String(edition);
    }
    this.#seenAfterMs.push(performance.now() - publishedAt);
    await pruneReleases(publishingAt(store, "acme", new Date().toISOString()), 3);
    while (performance.now() < publishedAt + PUBLISH_EVERY_MS) {
      const workers = listChildren(this.#server.pid);
      this.#megabytes.push(workers.reduce((sum, pid) => sum + residentMegabytes(pid), 0));
      await Bun.sleep(MEMORY_INTERVAL_MS);
    }
  }

  async judge(seconds: number, isLong: boolean): Promise<Judgement[]> {
    const { sum } = await readMetrics(this.#server.adminUrl);
    const log = this.#server.stderr().trimEnd().split("\n");
    const remarks = log.filter((line) => !line.includes('"msg":"serving"'));
    const counted = sum("lectern_http_requests_total");
    const asked = this.#answers + this.#looks;
    const wrong = [...this.#failures, ...remarks, ...(counted === asked ? [] : [`${counted} counted of ${asked}`])];
    // The first third fills the cache.
    const third = Math.floor(this.#megabytes.length / 3);
    const [middle, end] = [
      median(this.#megabytes.slice(third, 2 * third)),
      median(this.#megabytes.slice(-Math.max(1, third))),
    ];
    const cacheMegabytes = sum("lectern_cache_bytes") / 1024 / 1024;
    const perSecond = this.#answers / seconds;
    const slowestMs = Math.max(...this.#seenAfterMs);
    const timed = (isHeld: boolean): boolean | undefined => (isLong ? isHeld : undefined);
    return [
      {
        isHeld: wrong.length === 0,
        text: `${wrong.length} of ${asked} answers wrong (none), ${this.#load.published} releases, seed ${this.#seed}${wrong
          .slice(0, 5)
          .map((line) => `\n         ${line}`)
          .join("")}`,
      },
      {
        isHeld: end < middle * 1.15 + 15 && cacheMegabytes <= 2 * CACHE_MEGABYTES,
        text: `workers' memory ${middle.toFixed(0)} MB in the middle, ${end.toFixed(0)} MB at the end (must not grow)`,
      },
      {
        isHeld: timed(perSecond > MIN_ANSWERS_PER_SECOND),
        text: `${perSecond.toFixed(0)} answers a second (above ${MIN_ANSWERS_PER_SECOND})`,
      },
      {
        isHeld: timed(slowestMs < MAX_SEEN_MS),
        text: `a release is visible after ${slowestMs.toFixed(0)} ms at most (below ${MAX_SEEN_MS})`,
      },
    ];
  }
}
