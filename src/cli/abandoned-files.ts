// Removes files that killed commands left behind.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removes files that match `names` if the process whose ID is the first group has ended. Ignores failures. */
export function removeAbandoned(folder: string, names: RegExp): void {
  for (const name of listNames(folder)) {
    const processId = Number(names.exec(name)?.[1]);
    // A file with our own process ID is from an earlier process.
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
