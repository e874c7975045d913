// The most memory that a process had. What the system tells of a process that has ended is no measure of it: that is never below
// what its parent had when it started it. Linux only.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../bin/find-program.mjs";

/** Names the file into which a process with `tell-peak.ts` writes its peak. */
export const PEAK_FILE_VARIABLE = "STRESS_PEAK_FILE";
const TELL_PEAK = join(import.meta.dir, "tell-peak.ts");

/** The most that a running process had so far, in bytes. */
export function readPeakBytes(processId: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${processId}/status`, "utf8")) ?? [];
  if (kilobytes === undefined) throw new Error(`process ${processId} tells no peak of its memory`);
  return Number(kilobytes) * 1024;
}

/** Runs a command of Lectern to its end, or kills it after `deadlineMs`. Infinity is the peak of one that was killed. */
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
