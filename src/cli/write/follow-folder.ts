// Polls a folder for changes, and spends at most a tenth of the time on polls.
import { readFileSync, statSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

const POLL_INTERVAL_MS = 50;
const MAX_SHARE = 0.1;
/** Gives programs time to finish writing a file. */
const QUIET_MS = 20;
/** Older Git locks are ignored, because killed processes probably left them behind. */
const MAX_LOCK_AGE_MS = 30_000;
const MAX_GIT_FILE_BYTES = 65_536;

/** Follows a folder until `ended` is aborted. Awaits each `onChange`. Rejects if `hasChanged` or `onChange` does. */
export async function followFolder(
  path: string,
  hasChanged: () => Promise<boolean>,
  onChange: () => Promise<void>,
  ended: AbortSignal,
): Promise<void> {
  const isGitBusy = findGitLock(path);
  for (let pauseMs = 0; ;) {
    await setTimeout(Math.max(POLL_INTERVAL_MS, pauseMs), undefined, { signal: ended }).catch(() => undefined);
    if (ended.aborted) return;
    const startedAtMs = performance.now();
    const isChanged = await hasChanged();
    pauseMs = (performance.now() - startedAtMs) / MAX_SHARE;
    if (!isChanged) continue;
    do await Bun.sleep(QUIET_MS);
    while (isGitBusy() && !ended.aborted);
    if (!ended.aborted) await onChange();
  }
}

/** Returns a function that tells whether Git is writing. `path` is a folder or a file. */
export function findGitLock(path: string): () => boolean {
  const isFile = findStats(statSync, path)?.isFile() === true;
  for (let from = resolve(isFile ? dirname(path) : path); ; from = dirname(from)) {
    const gitFolder = findGitFolder(join(from, ".git"));
    if (gitFolder !== undefined) {
      return () => {
        const found = findStats(statSync, join(gitFolder, "index.lock"));
        return found !== undefined && Date.now() - found.mtimeMs < MAX_LOCK_AGE_MS;
      };
    }
    if (from === dirname(from)) return () => false;
  }
}

/** Finds the Git folder. In a worktree, `.git` is a small file that names this folder. */
function findGitFolder(path: string): string | undefined {
  try {
    const found = statSync(path);
    if (found.isDirectory()) return path;
    // Other files are not read: reading a pipe or a device would not end.
    if (!found.isFile() || found.size > MAX_GIT_FILE_BYTES) return undefined;
    const [, named] = /^gitdir: (.+)$/m.exec(readFileSync(path, "utf8")) ?? [];
    return named === undefined ? undefined : resolve(dirname(path), named.trim());
  } catch {
    return undefined;
  }
}

/** Returns undefined for a missing or inaccessible path, such as a link to itself. */
export function findStats(find: (path: string) => Stats, path: string): Stats | undefined {
  try {
    return find(path);
  } catch {
    return undefined;
  }
}
