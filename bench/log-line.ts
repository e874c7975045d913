// The cost of an access log line: compares a loop that writes lines with the same loop without them, in this process.
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AccessLog } from "../src/http/observe/access-log.ts";
import { median } from "./compare.ts";
import type { BenchOptions, Row } from "./row.ts";

const LINES = 25_000;
/** Makes about 100,000 lines per second: more than a server logs, but few enough for the pipe's reader. */
const LINES_PER_PAUSE = 512;
const PAUSE_MS = 5;
/** No more lines than a server logs in one turn of its event loop. */
const LINES_PER_TURN = 32;
/** Waits until pending writes finish, so that they count in the loop that logged them. */
const REST_MS = 250;
const WARM_UP_TURNS = 4;

const targets = Array.from({ length: 1000 }, (_, n) => `/api/v1/courses/course-${n}/lessons/lesson-${n % 45}`);

const LOGGED = {
  client: "192.0.2.1",
  method: "GET",
  status: 200,
  bytes: 1834,
  key: "key_0123456789ab",
  project: "bench",
  release: "12",
  cache: "hit",
  requestId: undefined,
  traceParent: undefined,
};

/** Measures logging to a file and to a pipe, a row each. */
export async function measureLogLine({ folder, rounds, seconds }: BenchOptions): Promise<Row[]> {
  mkdirSync(folder, { recursive: true });
  const file = openSync(join(folder, "access.log"), "w");
  const fifo = join(folder, "access.fifo");
  rmSync(fifo, { force: true });
  Bun.spawnSync(["mkfifo", fifo]);
  await using reader = Bun.spawn(["cat", fifo], { stdout: "ignore" });
  const pipe = openSync(fifo, "w");
  const [toFile, toPipe] = [new AccessLog(file), new AccessLog(pipe)];
  const costs: Record<"file" | "pipe", number[]> = { file: [], pipe: [] };
  for (let turn = 0; turn < WARM_UP_TURNS + rounds * seconds; turn++) {
    const without = await measureLoop(undefined);
    const [fileNs, pipeNs] = [await measureLoop(toFile), await measureLoop(toPipe)];
    ftruncateSync(file);
    if (turn < WARM_UP_TURNS) continue;
    costs.file.push(fileNs - without);
    costs.pipe.push(pipeNs - without);
  }
  await Promise.all([toFile.close(), toPipe.close()]);
  closeSync(file);
  closeSync(pipe);
  await reader.exited;
  return (["file", "pipe"] as const).map((kind) => toRow(kind, costs[kind]));
}

/** Returns the CPU time of this process, user and system, in nanoseconds per line. */
async function measureLoop(log: AccessLog | undefined): Promise<number> {
  const before = process.cpuUsage();
  for (let line = 0; line < LINES; line++) {
    const durationMs = (20 + (line % 977)) / 1000;
    const nowMs = Date.now();
    log?.write({ ...LOGGED, target: targets[line % 1000] ?? "", durationMs, nowMs });
    if (line % LINES_PER_PAUSE === 0) await Bun.sleep(PAUSE_MS);
    else if (line % LINES_PER_TURN === 0) await new Promise(setImmediate);
  }
  await Bun.sleep(REST_MS);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / LINES;
}

function toRow(kind: string, costs: number[]): Row {
  const sorted = costs.toSorted((a, b) => a - b);
  const at = (part: number): string => ((sorted[Math.floor(sorted.length * part)] ?? NaN) / 1000).toFixed(2);
  const us = median(costs) / 1000;
  return {
    work: `a line of the access log, to a ${kind}`,
    result: `${us.toFixed(2)} µs`,
    reach: kind === "file" ? "≤ 1 µs" : "none",
    why: "JavaScript formats a JSON object of a dozen members",
    isReached: kind === "file" ? us <= 1 : undefined,
    details: `half of ${costs.length} measurements are between ${at(0.25)} and ${at(0.75)} µs`,
  };
}
