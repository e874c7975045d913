// Imports a large catalog into an empty database, as a command, on one processor and on two.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ENGINE_SETTINGS } from "../bin/engine-settings.mjs";
import { BUILT_PROGRAM } from "../bin/find-program.mjs";
import { writeNdjson } from "./catalogs.ts";
import { median } from "./compare.ts";
import type { BenchOptions, Row } from "./row.ts";
import { readMemoryMb } from "./subjects.ts";

const SHAPE = { name: "import", courses: 5000, lessonsPerCourse: 50, lessonCharacters: 4000 };
const WHY = "one thread does nearly all of the work, so the rate depends on the processor";
const LESSONS = SHAPE.courses * SHAPE.lessonsPerCourse;

interface ImportRun {
  seconds: number;
  cpuUs: number;
  memoryMb: number;
}

/** The two alternate, with up to three runs each, since a run takes up to a minute. */
export async function measureImports({ folder, rounds }: BenchOptions): Promise<Row[]> {
  mkdirSync(folder, { recursive: true });
  const source = join(folder, `import-${LESSONS}-${SHAPE.lessonCharacters}.ndjson`);
  if (!existsSync(source)) writeNdjson(source, SHAPE);
  const alone: ImportRun[] = [];
  const both: ImportRun[] = [];
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    alone.push(await runImport(folder, source, "0"));
    both.push(await runImport(folder, source, "0,1"));
  }
  const perSecond = (runs: ImportRun[]): number => LESSONS / median(runs.map(({ seconds }) => seconds));
  const gain = perSecond(both) / perSecond(alone);
  const memoryMb = Math.max(...[...alone, ...both].map((run) => run.memoryMb));
  const name = `import of ${LESSONS.toLocaleString("en-US")} lessons of 4 KB`;
  return [
    {
      work: `${name}, one processor`,
      result: `${Math.round(perSecond(alone)).toLocaleString("en-US")} a second`,
      reach: "≥ 4,500 a second",
      isReached: perSecond(alone) >= 4500,
      why: WHY,
      details: `${median(alone.map(({ cpuUs }) => cpuUs)).toFixed(0)} µs of CPU a lesson`,
    },
    {
      work: `${name}, two processors`,
      result: `${Math.round(perSecond(both)).toLocaleString("en-US")} a second`,
      reach: "≥ 7,000 a second; < 400 MB",
      isReached: perSecond(both) >= 7000 && memoryMb < 400,
      why: WHY,
      details: `${gain.toFixed(2)} × one; ${median(both.map(({ cpuUs }) => cpuUs)).toFixed(0)} µs of CPU a lesson; at most ${memoryMb.toFixed(0)} MB`,
    },
  ];
}

async function runImport(folder: string, source: string, processors: string): Promise<ImportRun> {
  const database = join(folder, "import.db");
  const removeDatabase = (): void => {
    for (const end of ["", "-wal", "-shm", ".bench.lock"]) rmSync(database + end, { force: true });
  };
  removeDatabase();
  const lectern = [process.execPath, BUILT_PROGRAM];
  const args = ["import", source, "--project", "bench", "--database", `sqlite:${database}`];
  const started = performance.now();
  const child = Bun.spawn(["taskset", "-c", processors, ...lectern, ...args], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...ENGINE_SETTINGS, ...process.env },
  });
  // The system's figure for an ended process is at least its parent's memory at the start.
  let memoryMb = 0;
  while (child.exitCode === null) {
    memoryMb = Math.max(memoryMb, readMemoryMb([child.pid]));
    await Promise.race([child.exited, Bun.sleep(100)]);
  }
  const exitCode = await child.exited;
  const seconds = (performance.now() - started) / 1000;
  removeDatabase();
  const usage = child.resourceUsage();
  if (exitCode !== 0 || usage === undefined) throw new Error(`The import exited with ${exitCode}.`);
  return { seconds, cpuUs: Number(usage.cpuTime.total) / LESSONS, memoryMb };
}
