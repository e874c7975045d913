// Measures the peak memory of a process. The system's figure for an ended process is unusable: it is at least the
// parent's memory at the start. Linux only.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../bin/find-program.mjs";

/** The variable that names the file to which a process with `write-peak.ts` writes its peak. */
export const PEAK_FILE_VARIABLE = "STRESS_PEAK_FILE";
const TELL_PEAK = join(import.meta.dir, "write-peak.ts");

/** Returns the peak memory of a running process so far, in bytes. */
export function readPeakBytes(processId: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${processId}/status`, "utf8")) ?? [];
  if (kilobytes === undefined) throw new Error(`the system reports no peak memory for process ${processId}`);
  return Number(kilobytes) * 1024;
}

/** Runs a Lectern command, and kills it after `deadlineMs`. A killed command has a peak of Infinity. */
export async function runMeasured(
  args: string[],
  variables: Record<string, string> = {},
  { deadlineMs, stdin = "" }: { deadlineMs?: number; stdin?: string } = {},
): Promise<{ peakBytes: number; stdout: string; stderr: string; exitCode: number }> {
  const folder = mkdtempSync(join(tmpdir(), "lectern-peak-"));
  const file = join(folder, "peak");
  try {
    const child = Bun.spawn([process.execPath, "--preload", TELL_PEAK, findProgram(), ...args], {
      env: { ...process.env, ...variables, [PEAK_FILE_VARIABLE]: file },
      stdio: [new Blob([stdin]), "pipe", "pipe"],
      ...(deadlineMs === undefined ? {} : { timeout: deadlineMs, killSignal: "SIGKILL" as const }),
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    const exitCode = await child.exited;
    return { peakBytes: readNumber(file), stdout, stderr, exitCode };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readNumber(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return Infinity;
  }
}
