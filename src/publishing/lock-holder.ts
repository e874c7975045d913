import { hostname } from "node:os";
import type { LockHolder } from "../catalog/store.ts";

/** This process as the holder of a project's lock; `task` says for others what it does, such as `import of courses`. */
export function createHolder(task: string, now: Date): LockHolder {
  return { pid: process.pid, host: hostname(), since: now.toISOString(), task };
}
