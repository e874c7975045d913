// Searches of 48,000 lessons, compared with other engines; and their effect on other requests.
import { readdirSync, rmSync, statSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { startSharedPostgres } from "../test/support/postgres.ts";
import type { BenchCatalog } from "./catalogs.ts";
import { median } from "./compare.ts";
import type { BenchOptions, Row } from "./row.ts";
import { QUERIES, toPercentile, type SearchFigures } from "./search-peer.ts";
import { startSearching, type SearchingServer } from "./search-server.ts";
import { createQueries, prepareTexts } from "./search-texts.ts";
import { runSteadyLoad } from "./steady-load.ts";
import { readMemoryMb, readStolenSeconds } from "./subjects.ts";

const OTHERS_PER_SECOND = 500;
const OTHERS_SECONDS = 10;
/** More queries than the run completes. */
const QUERIES_OF_ROUND = 5000;

export async function measureSearches({ folder }: BenchOptions): Promise<Row[]> {
  const catalog = await prepareTexts(folder);
  const searchDir = join(folder, "search");
  const rows = [
    toRow("Lectern, over HTTP", await measureLectern(catalog, searchDir)),
    toRow("FTS5 alone, in process, by bm25", await measurePeer("fts5", folder)),
    toRow(
      "MiniSearch, in process, without phrases and excerpts, the first 100",
      await measurePeer("minisearch", folder),
    ),
  ];
  const postgres = await startSharedPostgres();
  rows.push(toRow("PostgreSQL's tsvector with GIN", await measurePeer("tsvector", folder, `${postgres.url}/postgres`)));
  return rows;
}

function toRow(name: string, { p50Ms, p99Ms, memoryMb, indexMb, indexSeconds }: SearchFigures): Row {
  const index = indexMb === 0 ? "in memory" : `${indexMb.toFixed(0)} MB`;
  return {
    work: `${QUERIES.toLocaleString("en")} searches of 48,000 lessons, ${name}`,
    result: `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    reach: "none",
    isReached: undefined,
    details: `memory ${memoryMb.toFixed(0)} MB; index ${index}, built in ${indexSeconds.toFixed(0)} s`,
  };
}

async function measurePeer(name: string, folder: string, url = ""): Promise<SearchFigures> {
  const command = [process.execPath, join(import.meta.dir, "search-peer.ts"), name, join(folder, "search-peers"), url];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
  return JSON.parse(await new Response(child.stdout).text()) as SearchFigures;
}

async function untilIndexed(server: SearchingServer): Promise<void> {
  while ((await server.search("nothing")).status !== 200) await Bun.sleep(50);
}

async function measureLectern(catalog: BenchCatalog, searchDir: string): Promise<SearchFigures> {
  rmSync(searchDir, { recursive: true, force: true });
  await using server = await startSearching(catalog, searchDir);
  const startedAtMs = performance.now();
  await untilIndexed(server);
  const indexSeconds = (performance.now() - startedAtMs) / 1000;
  const times: number[] = [];
  for (const query of createQueries(QUERIES, 1)) {
    const begunAtMs = performance.now();
    const { status } = await server.search(query);
    if (status !== 200) throw new Error(`${query} got status ${status}`);
    times.push(performance.now() - begunAtMs);
  }
  const bytes = readdirSync(searchDir).reduce((sum, file) => sum + statSync(join(searchDir, file)).size, 0);
  return {
    indexSeconds,
    indexMb: bytes / 2 ** 20,
    memoryMb: readMemoryMb([server.findChild()]),
    p50Ms: toPercentile(times, 0.5),
    p99Ms: toPercentile(times, 0.99),
  };
}

/** Measures other requests while the index is built and during continuous searches, with idle periods in between. */
export async function measureBesideSearches({ folder, rounds }: BenchOptions): Promise<Row[]> {
  const catalog = await prepareTexts(folder);
  const searchDir = join(folder, "search");
  rmSync(searchDir, { recursive: true, force: true });
  await using server = await startSearching(catalog, searchDir);
  const paths = Array.from({ length: 1000 }, (_, n) => `/api/v1/courses/c${n}/lessons/l${n % 48}`);
  const headers = { "x-api-key": catalog.key };
  const load = { url: server.url, paths, headers, perSecond: OTHERS_PER_SECOND, seconds: OTHERS_SECONDS, sleeps: true };
  const ask = async (): Promise<number> => (await runSteadyLoad(load)).p99Ms;
  await ask();
  const beforeBuilding = await ask();
  void server.search("nothing");
  const building = await ask();
  await untilIndexed(server);
  // Building the index occupies a processor for seconds.
  const queries = Array.from({ length: rounds }, (_, round) => createQueries(QUERIES_OF_ROUND, round + 2));
  const stolenBefore = readStolenSeconds();
  const [quiet, searched]: [number[], number[]] = [[await ask()], []];
  for (const some of queries) {
    const stop = searchOn(server, some);
    searched.push(await ask());
    await stop();
    quiet.push(await ask());
  }
  const stolen = readStolenSeconds() - stolenBefore;
  const seconds = OTHERS_SECONDS * (quiet.length + searched.length);
  const [turns, between] = [searched, quiet].map((times) => times.map((ms) => ms.toFixed(1)).join(", "));
  const extra = searched.map((ms, round) => ms - ((quiet[round] ?? 0) + (quiet[round + 1] ?? 0)) / 2);
  return [
    toOthersRow(
      "while the index is built",
      building - beforeBuilding,
      `${building.toFixed(1)} against ${beforeBuilding.toFixed(1)} ms`,
    ),
    toOthersRow(
      "while one client searches without a pause",
      median(extra),
      `${turns} ms in turns between ${between} ms; ${((stolen / seconds) * 50).toFixed(0)} % of both processors stolen, load ${(loadavg()[0] ?? 0).toFixed(1)}`,
    ),
  ];
}

function toOthersRow(when: string, extraMs: number, details: string): Row {
  return {
    work: `${OTHERS_PER_SECOND} other requests a second, ${when}`,
    result: `p99 ${extraMs.toFixed(1)} ms above quiet`,
    reach: "≤ 2 ms above quiet",
    isReached: extraMs <= 2,
    details: `${details}; server, index and load on two processors`,
  };
}

/** Searches continuously until the returned function is called. */
function searchOn(server: SearchingServer, queries: readonly string[]): () => Promise<void> {
  let isDone = false;
  const searching = (async () => {
    for (const query of queries) {
      if (isDone) return;
      await server.search(query);
    }
  })();
  return async () => {
    isDone = true;
    await searching;
  };
}
