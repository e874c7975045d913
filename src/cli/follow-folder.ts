// When a folder is read again: it is looked at often, for a small part of the time.
import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

const LOOK_INTERVAL_MS = 50;
/** Looking takes no more than this part of the time, however large the folder is. */
const MAX_SHARE = 0.1;
/** A change is given so much time: programs write a file in steps. */
const QUIET_MS = 20;
/** A lock of Git that is older was left by a process that was killed. */
const MAX_LOCK_AGE_MS = 30_000;

/** Follows a folder until `ended`; `onChange` is waited for. Rejects with what `hasChanged` or `onChange` throws. */
export async function followFolder(
  path: string,
  hasChanged: () => Promise<boolean>,
  onChange: () => Promise<void>,
  ended: AbortSignal,
): Promise<void> {
  const isGitBusy = findGitLock(path);
  for (let pauseMs = 0; ;) {
    await setTimeout(Math.max(LOOK_INTERVAL_MS, pauseMs), undefined, { signal: ended }).catch(() => undefined);
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

/** Returns a function that tells whether Git is changing files around a folder; always false where there is no repository. */
function findGitLock(folder: string): () => boolean {
  for (let from = resolve(folder); ; from = dirname(from)) {
    const gitFolder = findGitFolder(join(from, ".git"));
    if (gitFolder !== undefined) {
      return () => {
        const found = statSync(join(gitFolder, "index.lock"), { throwIfNoEntry: false });
        return found !== undefined && Date.now() - found.mtimeMs < MAX_LOCK_AGE_MS;
      };
    }
    if (from === dirname(from)) return () => false;
  }
}

/** In a worktree `.git` is a file that names the folder. Undefined where there is neither. */
function findGitFolder(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return found && path;
  const [, named] = /^gitdir: (.+)$/m.exec(readFileSync(path, "utf8")) ?? [];
  return named === undefined ? undefined : resolve(dirname(path), named.trim());
}
