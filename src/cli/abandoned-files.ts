// What commands that were killed have left beside what they wrote.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Removes the files and folders of a folder whose names match, when the process that the first group numbers has ended. What
 * cannot be removed stays.
 */
export function removeAbandoned(folder: string, names: RegExp): void {
  for (const name of listNames(folder)) {
    const processId = Number(names.exec(name)?.[1]);
    // A number of this process is that of another one, from before.
    if (Number.isNaN(processId) || (processId !== process.pid && isRunning(processId))) continue;
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch {
      // It is another user's.
    }
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
