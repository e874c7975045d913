import { Database } from "bun:sqlite";
import { readFileSync, writeFileSync } from "node:fs";
import type { LockHolder } from "../catalog/store.ts";
import { createPrivateFile } from "./sqlite-file.ts";
import { toDiskFull } from "./sqlite-writer.ts";

const LOCK_RETRY_MS = 100;

const nameLock = (path: string, project: string): string => `${path}.${project}.lock`;
const nameHolder = (path: string, project: string): string => `${path}.${project}.lock.json`;

/** An open transaction on an empty SQLite file: the system ends it with the process. Gives what frees it. */
export async function takeFileLock(
  path: string,
  project: string,
  holder: LockHolder,
  onWait: (holder: LockHolder | undefined) => void,
): Promise<() => Promise<void>> {
  const file = nameLock(path, project);
  let lock: Database | undefined;
  try {
    createPrivateFile(file);
    lock = new Database(file);
    // Nothing is ever committed; a journal on the disk would need some space.
    lock.run("pragma journal_mode = memory");
    for (let tries = 1; !tryLock(lock); tries++) {
      await Bun.sleep(LOCK_RETRY_MS);
      if (tries === 1) onWait(findHolder(path, project));
    }
  } catch (error) {
    lock?.close();
    throw toDiskFull(error, file);
  }
  try {
    writeFileSync(nameHolder(path, project), JSON.stringify(holder), { mode: 0o600 });
  } catch {
    // On a full disk, which only the holder of a lock can prune, others are not told who holds it.
  }
  return async () => lock.close();
}

function tryLock(lock: Database): boolean {
  try {
    lock.run("begin immediate");
    return true;
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith("SQLITE_BUSY") === true) return false;
    throw error;
  }
}

/** Who holds a lock, or held it last, without taking it. Undefined where nobody has, and while it changes hands. */
export function findHolder(path: string, project: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(nameHolder(path, project), "utf8")) as LockHolder;
  } catch {
    return undefined;
  }
}
