// Compares Lectern with nginx, which serves the same bytes from files.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { BenchCatalog } from "./catalogs.ts";
import { compare, type Comparison, type Work } from "./compare.ts";
import type { BenchOptions, Row } from "./row.ts";
import { startLectern, startNginx, writeStaticFile, type Subject } from "./subjects.ts";

export const LECTERN_PORT = 4871;
/** Prevents fetch from requesting compression. */
const PLAIN = { "accept-encoding": "identity" };

type StartSubject = (port: number) => Promise<Subject>;

/** Compares Lectern, or another subject, with nginx, which serves Lectern's answers from files. */
export async function compareWithNginx(
  options: BenchOptions,
  catalog: BenchCatalog,
  { paths, headers }: Work,
  { logs = false, startSubject = undefined as StartSubject | undefined } = {},
): Promise<Comparison> {
  const folder = await writeAnswers(options, catalog, paths);
  const flags = logs ? ["--access-log", "on"] : [];
  const output = logs ? join(options.folder, "access.log") : undefined;
  const startServer: StartSubject = async (port) => startLectern(catalog, port, flags, output);
  const withKey = { "x-api-key": catalog.key, ...headers };
  const work = async ({ url, name }: Subject): Promise<Work> => {
    const ownPaths = name === "nginx" ? paths.map(toFilePath) : paths;
    if (headers["if-none-match"] === undefined) return { paths: ownPaths, headers: withKey };
    const plain = await fetch(`${url}${paths[0]}`, { headers: { "x-api-key": catalog.key, ...PLAIN } });
    const conditional = { ...withKey, "if-none-match": plain.headers.get("etag") ?? "" };
    const { status } = await fetch(`${url}${paths[0]}`, { headers: { ...conditional, ...PLAIN } });
    if (status !== 304) throw new Error(`${name} answered ${status} to a request with its own ETag.`);
    return { paths, headers: conditional };
  };
  return compare(
    { start: startSubject ?? startServer, work },
    { start: async (port) => startNginx(folder, catalog.key, port, logs), work },
    options,
  );
}

/** Replaces nginx's files with Lectern's answers. Returns their folder. */
export async function writeAnswers(options: BenchOptions, catalog: BenchCatalog, paths: string[]): Promise<string> {
  const folder = join(options.folder, "nginx");
  rmSync(folder, { recursive: true, force: true });
  await using lectern = await startLectern(catalog, LECTERN_PORT);
  for (const path of new Set(paths)) {
    const response = await fetch(`${lectern.url}${path}`, { headers: { "x-api-key": catalog.key, ...PLAIN } });
    writeStaticFile(folder, toFilePath(path), await response.bytes());
  }
  return folder;
}

/** Files have no query, so nginx's path includes it. */
function toFilePath(path: string): string {
  return path.replace("?", "-");
}

/** Formats a comparison; `bound` is the goal, relative to nginx's CPU time per request. */
export function toRow(
  work: string,
  { subject, peer, ratio }: Comparison,
  reach: string,
  bound: number,
  why = "Bun's server alone takes most of it (first row)",
): Row {
  return {
    work,
    result: `${ratio.toFixed(2)} × nginx`,
    reach,
    isReached: ratio <= bound,
    details:
      `${subject.cpuUs.toFixed(1)} µs against ${peer.cpuUs.toFixed(1)} µs; p50 ${subject.p50Ms.toFixed(2)} against ` +
      `${peer.p50Ms.toFixed(2)} ms, p99 ${subject.p99Ms.toFixed(2)} against ${peer.p99Ms.toFixed(2)} ms`,
    why,
    ratio,
  };
}
