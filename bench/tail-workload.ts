// Tail latency at a quarter of a processor's throughput, with a full cache and without a cache.
import { Database } from "bun:sqlite";
import { copyFileSync, rmSync } from "node:fs";
import { courseId, lessonId, prepareCatalog, REAL, type BenchCatalog } from "./catalogs.ts";
import { LECTERN_PORT } from "./compare-with-nginx.ts";
import { median } from "./compare.ts";
import { runLoad } from "./load.ts";
import type { BenchOptions, Row } from "./row.ts";
import { runSteadyLoad, type SteadyResult } from "./steady-load.ts";
import { readMemoryMb, startLectern } from "./subjects.ts";

const PER_SECOND = 6000;
const SECONDS = 20;
const FILL_SECONDS = 10;

interface TailRun extends SteadyResult {
  memoryMb: number;
  /** The cache's hit rate at the end. */
  hitRate: number;
}

export async function measureTail(options: BenchOptions): Promise<Row[]> {
  const catalog = await prepareCatalog(options.folder, REAL);
  const count = REAL.courses * REAL.lessonsPerCourse;
  // Popular and rare lessons, adjacent in the database.
  const paths = Array.from({ length: count }, (_, n) => {
    const lesson = (n * 7919) % count;
    return `/api/v1/courses/${courseId(lesson % REAL.courses)}/lessons/${lessonId(Math.floor(lesson / REAL.courses))}`;
  });
  const rows: Row[] = [];
  for (const [name, flags, bounds] of [
    ["full cache of 64 MiB", [], [6, 15]],
    ["cache off", ["--cache-size", "0"], undefined],
  ] as const) {
    const runs: TailRun[] = [];
    for (let round = 0; round < Math.min(options.rounds, 3); round++) runs.push(await run(catalog, paths, [...flags]));
    const of = (figure: keyof TailRun): number => median(runs.map((each) => each[figure]));
    const [p99Ms, p999Ms] = [of("p99Ms"), of("p999Ms")];
    rows.push({
      work: `6,000 requests a second for 48,000 lessons (Zipf), gzip, ${name}`,
      result: `p99 ${p99Ms.toFixed(1)} ms, p99.9 ${p999Ms.toFixed(1)} ms`,
      reach: bounds === undefined ? "none" : `p99 ≤ ${bounds[0]} ms, p99.9 ≤ ${bounds[1]} ms; ≤ 240 MB`,
      why: "not the cache: without it, the tail is the same (next row)",
      isReached: bounds && p99Ms <= bounds[0] && p999Ms <= bounds[1] && of("memoryMb") <= 240,
      details: `p50 ${of("p50Ms").toFixed(2)} ms; ${(of("hitRate") * 100).toFixed(0)} % from the cache; ${of("memoryMb").toFixed(0)} MB`,
    });
  }
  return rows;
}

async function run(catalog: BenchCatalog, paths: string[], flags: string[]): Promise<TailRun> {
  const original = catalog.database.slice("sqlite:".length);
  const path = `${original}.tail`;
  const removeCopy = (): void => {
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  };
  removeCopy();
  copyFileSync(original, path);
  try {
    const copy = { ...catalog, database: `sqlite:${path}` };
    await using lectern = await startLectern(copy, LECTERN_PORT, ["--log-level", "silent", ...flags]);
    const headers = { "x-api-key": catalog.key, "accept-encoding": "gzip" };
    await runLoad({ url: lectern.url, paths, headers, seconds: FILL_SECONDS });
    const result = await runSteadyLoad({ url: lectern.url, paths, headers, perSecond: PER_SECOND, seconds: SECONDS });
    const memoryMb = readMemoryMb(lectern.pids);
    return { ...result, memoryMb, hitRate: await measureHitRate(lectern.url, path, paths, headers) };
  } finally {
    removeCopy();
  }
}

/** Measures the hit rate: renames the lesson table, so that only cached answers succeed. */
async function measureHitRate(
  url: string,
  database: string,
  paths: string[],
  headers: Record<string, string>,
): Promise<number> {
  const file = new Database(database);
  const [table] = file
    .query<{ name: string }, []>("select name from sqlite_schema where type = 'table' and name like 'lesson%' limit 1")
    .all();
  file.run("pragma busy_timeout = 10000");
  file.run(`alter table ${table?.name} rename to gone`);
  file.close();
  let [hits, all] = [0, 0];
  // Requests rare lessons first, so that later requests evict little.
  for (let from = paths.length - 1; from >= 0; from -= 64) {
    const some = Array.from({ length: Math.min(64, from + 1) }, (_, index) => from - index);
    await Promise.all(
      some.map(async (n) => {
        const answer = await fetch(url + paths[n], { headers });
        await answer.arrayBuffer();
        all += 1 / (n + 1);
        if (answer.status === 200) hits += 1 / (n + 1);
      }),
    );
  }
  return hits / all;
}
