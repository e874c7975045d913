// Mutates, truncates and mixes the bytes of sources and archives. Each must yield courses and problems, or an error for
// its author, within limits on time and memory.
import { join } from "node:path";
import { readRandomSettings } from "../test/support/random.ts";
import { judgeAll, type Judgement } from "./judgement.ts";
import { PEAK_FILE_VARIABLE } from "./peak-memory.ts";
import { createTestFolder } from "../test/support/store.ts";
import { readFileSync } from "node:fs";

const MAX_MEMORY_MB = 700;
const ROUND_MS = 1000;
const START_MS = 60_000;

/** Reads this many mutated sources. */
export async function fuzzReaders(count: number): Promise<Judgement[]> {
  const { seed } = readRandomSettings(0);
  const folder = createTestFolder();
  const peakFile = join(folder.path, "peak");
  const here = (name: string): string => join(import.meta.dir, name);
  const command = [
    process.execPath,
    "--preload",
    here("write-peak.ts"),
    here("read-mutations.ts"),
    `${seed}`,
    `${count}`,
  ];
  const child = Bun.spawn(command, {
    env: { ...process.env, [PEAK_FILE_VARIABLE]: peakFile },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: START_MS + count * ROUND_MS,
    killSignal: "SIGKILL",
  });
  const lines = (await child.stdout.text()).trimEnd().split("\n");
  const exitCode = await child.exited;
  const faults = lines.filter((line) => line.startsWith("fault"));
  if (exitCode !== 0) faults.push(`exited with ${exitCode} in ${lines.at(-1)}`);
  const peakMb = exitCode === 0 ? Number(readFileSync(peakFile, "utf8")) / 2 ** 20 : Infinity;
  folder.remove();
  return [
    judgeAll(
      `${count} mutated sources and archives are read or refused, seed ${seed} (${lines.at(-1)})`,
      faults.slice(0, 10),
    ),
    {
      isHeld: peakMb < MAX_MEMORY_MB,
      text: `mutated sources: ${peakMb.toFixed(0)} MB at most (below ${MAX_MEMORY_MB})`,
    },
  ];
}
