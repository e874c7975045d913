// Searches over 48,000 lessons, beside what else searches texts; and what other requests notice of them.
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ENGINE_SETTINGS } from "../bin/engine-settings.mjs";
import { BUILT_PROGRAM } from "../bin/find-program.mjs";
import { startSharedPostgres } from "../test/support/postgres.ts";
import type { BenchCatalog } from "./catalogs.ts";
import { LECTERN_PORT } from "./compare-with-nginx.ts";
import { median } from "./compare.ts";
import type { BenchOptions, Row } from "./row.ts";
import { QUERIES, toPercentile, type SearchFigures } from "./search-peer.ts";
import { createQueries, prepareTexts } from "./search-texts.ts";
import { runSteadyLoad } from "./steady-load.ts";
import { readMemoryMb } from "./subjects.ts";

const OTHERS_PER_SECOND = 500;
const OTHERS_SECONDS = 10;
/** More than are answered meanwhile. */
const QUERIES_OF_ROUND = 5000;

export async function measureSearches({ folder, rounds }: BenchOptions): Promise<Row[]> {
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
  return [...rows, ...(await measureOthers(catalog, searchDir, rounds))];
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

interface Server extends AsyncDisposable {
  url: string;
  search(query: string): Promise<{ status: number; total: number }>;
  /** The process with the index, once there was a search. */
  findChild(): number;
}

/** On both processors, as the system decides. */
async function startServer({ database, key }: BenchCatalog, searchDir: string): Promise<Server> {
  const flags = ["--database", database, "--host", "127.0.0.1", "--port", String(LECTERN_PORT), "--admin-port", "0"];
  const command = [
    process.execPath,
    BUILT_PROGRAM,
    "serve",
    ...flags,
    "--search-dir",
    searchDir,
    "--log-level",
    "error",
  ];
  const child = Bun.spawn(command, {
    env: { ...ENGINE_SETTINGS, ...process.env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const url = `http://127.0.0.1:${LECTERN_PORT}`;
  while (
    await fetch(url).then(
      (answer) => !answer.ok,
      () => true,
    )
  )
    await Bun.sleep(20);
  return {
    url,
    async search(query) {
      const answer = await fetch(`${url}/api/v1/search?q=${encodeURIComponent(query)}`, {
        headers: { "x-api-key": key },
      });
      const { data } = (await answer.json()) as { data: { total?: number } };
      return { status: answer.status, total: data.total ?? 0 };
    },
    findChild: () =>
      Number(
        Bun.spawnSync(["pgrep", "-P", String(child.pid)])
          .stdout.toString()
          .trim()
          .split("\n")[0],
      ),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

async function untilIndexed(server: Server): Promise<void> {
  while ((await server.search("nothing")).status !== 200) await Bun.sleep(50);
}

async function measureLectern(catalog: BenchCatalog, searchDir: string): Promise<SearchFigures> {
  rmSync(searchDir, { recursive: true, force: true });
  await using server = await startServer(catalog, searchDir);
  const startedAtMs = performance.now();
  await untilIndexed(server);
  const indexSeconds = (performance.now() - startedAtMs) / 1000;
  const times: number[] = [];
  for (const query of createQueries(QUERIES, 1)) {
    const begunAtMs = performance.now();
    const { status } = await server.search(query);
    if (status !== 200) throw new Error(`${query} is answered ${status}`);
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

/** Other requests while the index is built, and while somebody searches without a pause; each beside a quiet time of its own. */
async function measureOthers(catalog: BenchCatalog, searchDir: string, rounds: number): Promise<Row[]> {
  rmSync(searchDir, { recursive: true, force: true });
  await using server = await startServer(catalog, searchDir);
  const paths = Array.from({ length: 1000 }, (_, n) => `/api/v1/courses/c${n}/lessons/l${n % 48}`);
  const load = { url: server.url, paths, headers: { "x-api-key": catalog.key }, perSecond: OTHERS_PER_SECOND };
  const ask = async (): Promise<number> => (await runSteadyLoad({ ...load, seconds: OTHERS_SECONDS })).p99Ms;
  await ask();
  const beforeBuilding = await ask();
  void server.search("nothing");
  const building = await ask();
  await untilIndexed(server);
  // To make them takes a processor for seconds.
  const queries = Array.from({ length: rounds }, (_, round) => createQueries(QUERIES_OF_ROUND, round + 2));
  const [quiet, searched]: [number[], number[]] = [[], []];
  for (const some of queries) {
    quiet.push(await ask());
    const stop = searchOn(server, some);
    searched.push(await ask());
    await stop();
  }
  return [
    { when: "while the index is built", p99Ms: building, quietMs: beforeBuilding },
    { when: "while one client searches without a pause", p99Ms: median(searched), quietMs: median(quiet) },
  ].map(({ when, p99Ms, quietMs }) => ({
    work: `${OTHERS_PER_SECOND} other requests a second, ${when}`,
    result: `p99 ${(p99Ms - quietMs).toFixed(1)} ms above quiet`,
    reach: "≤ 2 ms above quiet",
    isReached: p99Ms <= quietMs + 2,
    details: `${p99Ms.toFixed(1)} against ${quietMs.toFixed(1)} ms; server, index and load on two processors`,
  }));
}

/** Searches one after the other until the function is called that it gives. */
function searchOn(server: Server, queries: readonly string[]): () => Promise<void> {
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
