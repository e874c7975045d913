// Workloads of real clients: more than a cache holds, compressed, in pages, by name.
import { courseId, lessonId, prepareCatalog, REAL, type BenchCatalog } from "./catalogs.ts";
import { compareWithNginx, LECTERN_PORT, toRow, writeAnswers } from "./compare-with-nginx.ts";
import { medianOf, medianRatio, takeTurns, type Contestant, type Work } from "./compare.ts";
import { runLoad } from "./load.ts";
import type { BenchOptions, Row } from "./row.ts";
import { readMemoryMb, startLectern, startNginx } from "./subjects.ts";

const API = "/api/v1/courses";

/**
 * More lessons than the cache holds, read in turn (like a crawler) and with a Zipf distribution (like people). Compares
 * with nginx, which serves a file per lesson and keeps 15,000 open.
 */
export async function measureManyLessons(options: BenchOptions): Promise<Row[]> {
  const catalog = await prepareCatalog(options.folder, REAL);
  const paths = Array.from({ length: REAL.courses * REAL.lessonsPerCourse }, (_, n) => {
    return `${API}/${courseId(n % REAL.courses)}/lessons/${lessonId(Math.floor(n / REAL.courses))}`;
  });
  const plain = { "x-api-key": catalog.key };
  const gzip = { ...plain, "accept-encoding": "gzip" };
  const inTurn: Work = { paths, headers: plain };
  const inTurnGzip: Work = { paths, headers: gzip };
  const byZipf: Work = { paths: drawByZipf(paths), headers: plain };
  const works: LessonWork[] = [
    ["48,000 lessons in turn, cache off", ["--cache-size", "0"], inTurn, 25],
    ["48,000 lessons in turn, cache of 64 MiB", [], inTurn, 20],
    ["48,000 lessons in turn, gzip, cache off", ["--cache-size", "0"], inTurnGzip, 25],
    ["48,000 lessons in turn, gzip, cache of 64 MiB", [], inTurnGzip, 20],
    ["48,000 lessons, some more often (Zipf), cache of 64 MiB", [], byZipf, 16],
  ];
  const folder = await writeAnswers(options, catalog, paths);
  const loads = [...new Set(works.map(([, , load]) => load))];
  const results = await takeTurns(
    [
      ...works.map(([, flags, load]): Contestant => {
        return { start: async (port) => startLectern(catalog, port, flags), work: () => load };
      }),
      ...loads.map((load): Contestant => {
        return { start: async (port) => startNginx(folder, catalog.key, port, false), work: () => load };
      }),
    ],
    options,
  );
  const rows = works.map(([work, flags, load, boundUs], index): Row => {
    const [ours, theirs] = [results[index] ?? [], results[works.length + loads.indexOf(load)] ?? []];
    const { cpuUs, p50Ms, p99Ms } = medianOf(ours);
    return {
      work,
      result: `${cpuUs.toFixed(1)} µs, ${medianRatio(ours, theirs).toFixed(2)} × nginx`,
      reach: `≤ ${boundUs} µs`,
      isReached: cpuUs <= boundUs,
      why:
        flags.length > 0
          ? "each request reads SQLite"
          : "an answer beyond the 2,000 ready ones is built from its cached body",
      details: `against ${medianOf(theirs).cpuUs.toFixed(1)} µs; p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`,
    };
  });
  return [...rows, await measureMemoryAfter(works, catalog, options)];
}

type LessonWork = [work: string, flags: string[], load: Work, boundUs: number];

/** Paths with a Zipf distribution: the n-th is requested 1/n times as often as the first. */
function drawByZipf(paths: string[]): string[] {
  const sums: number[] = [];
  for (const [n] of paths.entries()) sums.push((sums.at(-1) ?? 0) + 1 / (n + 1));
  const total = sums.at(-1) ?? 0;
  // Scatters the paths without a pattern, the same way in every run.
  return paths.map((_, n) => {
    const drawn = (((n * 7919) % paths.length) + 0.5) / paths.length;
    const [low, high] = [0, sums.length - 1];
    return paths[findFirst(low, high, (index) => (sums[index] ?? 0) >= drawn * total)] ?? "";
  });
}

function findFirst(low: number, high: number, isReached: (index: number) => boolean): number {
  if (low >= high) return low;
  const middle = Math.floor((low + high) / 2);
  return isReached(middle) ? findFirst(low, middle, isReached) : findFirst(middle + 1, high, isReached);
}

async function measureMemoryAfter(works: LessonWork[], catalog: BenchCatalog, { seconds }: BenchOptions): Promise<Row> {
  await using lectern = await startLectern(catalog, LECTERN_PORT);
  for (const [, , load] of works) await runLoad({ ...load, url: lectern.url, seconds: Math.max(2, seconds) });
  const pages = { paths: [...PAGES, ...NAMES], headers: { "x-api-key": catalog.key } };
  await runLoad({ ...pages, url: lectern.url, seconds: Math.max(2, seconds) });
  const memoryMb = readMemoryMb(lectern.pids);
  return {
    work: "memory after lessons, pages and searches",
    result: `${memoryMb.toFixed(0)} MB`,
    reach: "≤ 240 MB",
    isReached: memoryMb <= 240,
    details: "one server, all workloads in turn",
  };
}

const PAGES = Array.from({ length: 10 }, (_, page) => `${API}?limit=100&offset=${page * 100}`);
const NAMES = Array.from({ length: 97 }, (_, n) => `${API}?name=${n + 100}`);

export async function comparePages(options: BenchOptions): Promise<Row[]> {
  const catalog = await prepareCatalog(options.folder, REAL);
  const works: [string, string[], string, number][] = [
    ["ten pages of 100 courses in turn", PAGES, "≤ 1.3 × nginx", 1.3],
    ["first page of 20 courses", [`${API}?limit=20`], "≤ 1.1 × nginx", 1.1],
    ["97 searches by name in turn", NAMES, "≤ 1.3 × nginx", 1.3],
  ];
  const rows: Row[] = [];
  for (const [work, paths, reach, bound] of works) {
    rows.push(toRow(work, await compareWithNginx(options, catalog, { paths, headers: {} }), reach, bound));
  }
  return rows;
}
