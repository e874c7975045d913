// The one folder for all files of a run of the tests.
import { chmodSync, existsSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory, on Linux. */
const MEMORY = "/dev/shm";
/** Several times what a run of all tests takes. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/**
 * Makes a folder that is gone a second after this process, in whatever way that ends. It lies in memory where there is room:
 * on a disk every commit of SQLite waits for it.
 */
export function createScratchFolder(): string {
  const path = mkdtempSync(join(hasRoom() ? MEMORY : tmpdir(), "lectern-tests-"));
  // A server of PostgreSQL in it may run as another user.
  chmodSync(path, 0o755);
  removeAfterExit(path);
  return path;
}

/** Removes a folder a second after this process has ended, when what it started has ended too. */
export function removeAfterExit(path: string): void {
  const script = 'trap "" INT TERM; cat; sleep 1; rm -rf "$1"';
  Bun.spawn(["sh", "-c", script, "sh", path], { cwd: "/", stdin: "pipe", stdout: "ignore", stderr: "ignore" }).unref();
}

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ENOUGH_BYTES;
}
