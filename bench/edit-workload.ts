// The cost of one edit: a changed lesson in a large course.
import { Database } from "bun:sqlite";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ENGINE_SETTINGS } from "../bin/engine-settings.mjs";
import { findProgram } from "../bin/find-program.mjs";
import { median } from "./compare.ts";
import type { BenchOptions, Row } from "./row.ts";

const WORKS = [
  { lessons: 5000, flags: [], maxMegabytes: 1.5, maxSeconds: 1 },
  { lessons: 100_000, flags: ["--max-line-size", "512"], maxMegabytes: 18, maxSeconds: 16 },
];

export async function measureEdits({ folder, rounds }: BenchOptions): Promise<Row[]> {
  mkdirSync(folder, { recursive: true });
  const rows: Row[] = [];
  for (const { lessons, flags, maxMegabytes, maxSeconds } of WORKS) {
    const database = join(folder, "edits.db");
    const source = join(folder, "edits.ndjson");
    const removeAll = (): void => {
      for (const path of [source, database, `${database}-wal`, `${database}-shm`]) rmSync(path, { force: true });
    };
    removeAll();
    const seconds: number[] = [];
    const megabytes: number[] = [];
    for (let edition = 0; edition <= Math.min(rounds, 3); edition++) {
      writeFileSync(source, createCourse(lessons, edition));
      const before = edition === 0 ? 0 : measureContent(database);
      const started = performance.now();
      await runImport(source, database, flags);
      if (edition === 0) continue;
      seconds.push((performance.now() - started) / 1000);
      megabytes.push((measureContent(database) - before) / 1e6);
    }
    removeAll();
    const [mb, s] = [median(megabytes), median(seconds)];
    rows.push({
      work: `one lesson edited in a course of ${lessons.toLocaleString("en-US")}`,
      result: `${mb.toFixed(2)} MB, ${s.toFixed(1)} s`,
      reach: `≤ ${maxMegabytes} MB, ≤ ${maxSeconds} s`,
      isReached: mb <= maxMegabytes && s <= maxSeconds,
      details: "the database's growth and the import's duration",
    });
  }
  return rows;
}

function createCourse(count: number, edition: number): string {
  const lessons = Array.from({ length: count }, (_, n) => {
    const text = n === count >> 1 ? `edition ${edition} ` : "";
    return {
      id: `lesson-${n}`,
      name: `Lesson ${n}`,
      additionalText: `${text}${`<p>${n} light water stone</p>`.repeat(60)}`,
    };
  });
  return `${JSON.stringify({ _id: "course", name: "Course", chapters: [{ id: "c", name: "C", lessons }] })}\n`;
}

/** Returns the size of the used pages, in bytes. */
function measureContent(path: string): number {
  const file = new Database(path);
  const [row] = file
    .query<{ bytes: number }, []>(
      "select (page_count - freelist_count) * page_size as bytes from pragma_page_count, pragma_freelist_count, pragma_page_size",
    )
    .all();
  file.close();
  return row?.bytes ?? 0;
}

async function runImport(source: string, database: string, flags: string[]): Promise<void> {
  const args = ["import", source, "--project", "bench", "--database", `sqlite:${database}`, ...flags];
  const child = Bun.spawn([process.execPath, findProgram(), ...args], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...ENGINE_SETTINGS, ...process.env },
  });
  const exitCode = await child.exited;
  if (exitCode !== 0) throw new Error(`The import exited with ${exitCode}.`);
}
