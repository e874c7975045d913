// One folder for all files of a test run.
import { chmodSync, existsSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory, on Linux. */
const MEMORY = "/dev/shm";
/** Several times the size of a full run. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/**
 * Creates a folder that is deleted a second after this process ends, however it ends. In memory if it has space: on a disk
 * every commit of SQLite waits.
 */
export function createScratchFolder(): string {
  const path = mkdtempSync(join(hasRoom() ? MEMORY : tmpdir(), "lectern-tests-"));
  // A PostgreSQL server in it may run as another user.
  chmodSync(path, 0o755);
  removeAfterExit(path);
  return path;
}

/** Deletes a folder a second after this process, when its children have ended, too. */
export function removeAfterExit(path: string): void {
  const script = 'trap "" INT TERM; cat; sleep 1; rm -rf "$1"';
  Bun.spawn(["sh", "-c", script, "sh", path], { cwd: "/", stdin: "pipe", stdout: "ignore", stderr: "ignore" }).unref();
}

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ENOUGH_BYTES;
}
