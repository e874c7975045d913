import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Removes files that killed commands left behind, and keeps those of running processes. The first group of `names`
 * matches the ID of the process that wrote a file. Ignores failures.
 */
export function removeAbandoned(folder: string, names: RegExp): void {
  for (const name of listNames(folder)) {
    const processId = Number(names.exec(name)?.[1]);
    // A file with the ID of this process was written by an earlier process with the same ID.
    if (Number.isNaN(processId) || (processId !== process.pid && isRunning(processId))) continue;
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch {}
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
