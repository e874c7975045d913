// The cost of a cache per worker: random reads of lessons that take twice one cache.
import { courseId, lessonId, prepareCatalog, REAL } from "./catalogs.ts";
import { medianOf, medianRatio, takeTurns, type Contestant, type Work } from "./compare.ts";
import { runLoad } from "./load.ts";
import type { BenchOptions, Row } from "./row.ts";
import { readMemoryMb, startLectern } from "./subjects.ts";

/**
 * Long enough to fill the caches: each of four workers gets a quarter of the requests, and admits an answer on its
 * second request.
 */
const FILL_SECONDS = 25;

/**
 * Compares one process, four processes with a cache each, and four whose caches hold everything, like a shared cache
 * four times the size.
 */
export async function measureWorkers(options: BenchOptions): Promise<Row[]> {
  const catalog = await prepareCatalog(options.folder, REAL);
  const paths = Array.from({ length: REAL.courses * REAL.lessonsPerCourse }, (_, n) => {
    return `/api/v1/courses/${courseId(n % REAL.courses)}/lessons/${lessonId(Math.floor(n / REAL.courses))}`;
  });
  const work: Work = { paths, order: "random", headers: { "x-api-key": catalog.key, "accept-encoding": "gzip" } };
  const memory: number[] = [];
  const works: [string, string[]][] = [
    ["one process, 64 MiB", []],
    ["4 workers, 64 MiB each", ["--workers", "4"]],
    ["4 workers, 256 MiB each", ["--workers", "4", "--cache-size", "256"]],
  ];
  const contestants = works.map(([, flags], index): Contestant => {
    return {
      start: async (port) => startLectern(catalog, port, flags),
      async work(subject) {
        await runLoad({ ...work, url: subject.url, seconds: FILL_SECONDS });
        memory[index] = readMemoryMb(subject.pids);
        return work;
      },
    };
  });
  const results = await takeTurns(contestants, options);
  return works.map(([name], index): Row => {
    const measurements = results[index] ?? [];
    return {
      work: `48,000 lessons at random, gzip, ${name}`,
      result: `${medianOf(measurements).cpuUs.toFixed(1)} µs`,
      reach: "none",
      isReached: undefined,
      details: `${medianRatio(measurements, results[0] ?? []).toFixed(2)} × one process; ${memory[index]?.toFixed(0)} MB`,
    };
  });
}
