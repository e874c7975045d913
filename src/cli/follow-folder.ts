// When a folder is looked at again: soon after a hint of the system, and from time to time without one.
import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { watchFolders } from "../content/files/watch-folders.ts";

/** So long nothing may happen before a look: programs write a file in steps, and Git many files. */
const QUIET_MS = 20;
const MAX_QUIET_MS = 500;
/** Hints may be lost, and some folders cannot be watched. */
const LOOK_INTERVAL_MS = 1000;
/** Looking takes no more than this part of the time, however large the folder is. */
const MAX_SHARE = 0.1;
/** A lock of Git that is older was left by one that was killed, or is that of very long work. */
const MAX_LOCK_AGE_MS = 30_000;

/** What is followed. */
export interface FollowedFolder {
  path: string;
  /** The folders in it that matter, as they are now. */
  listFolders: () => Iterable<string>;
  hasChanged: () => Promise<boolean>;
  /** Called, and waited for, when it has. */
  onChange: () => Promise<void>;
  /** Called once, when there are folders for which the system gives no hints. */
  onUnwatched: (count: number) => void;
}

/** Follows a folder until `ended`. Rejects with what `hasChanged` or `onChange` throws. */
export async function followFolder(folder: FollowedFolder, ended: AbortSignal): Promise<void> {
  const hints = new Hints();
  ended.addEventListener("abort", () => hints.give(), { once: true });
  const watch = watchFolders(folder.path, () => hints.give());
  const isGitBusy = findGitLock(folder.path);
  let isTold = false;
  const update = (): void => {
    const failed = watch.update(folder.listFolders());
    if (failed.length > 0 && !isTold) folder.onUnwatched(failed.length);
    isTold ||= failed.length > 0;
  };
  try {
    update();
    // What has changed before it was watched gave no hint.
    hints.give();
    for (let pauseMs = 0; !ended.aborted;) {
      if (await hints.wait(Math.max(LOOK_INTERVAL_MS, pauseMs))) await untilQuiet(hints, isGitBusy);
      if (ended.aborted) return;
      const startedAtMs = performance.now();
      const hasChanged = await folder.hasChanged();
      pauseMs = (performance.now() - startedAtMs) / MAX_SHARE;
      if (!hasChanged) continue;
      await folder.onChange();
      update();
    }
  } finally {
    watch.close();
  }
}

async function untilQuiet(hints: Hints, isBusy: () => boolean): Promise<void> {
  const startedAtMs = performance.now();
  while (((await hints.wait(QUIET_MS)) && performance.now() - startedAtMs < MAX_QUIET_MS) || isBusy());
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

/** Hints, of which those that come while nobody waits count as one. */
class Hints {
  #isGiven = false;
  #wake: (() => void) | undefined;

  give(): void {
    this.#isGiven = true;
    this.#wake?.();
  }

  /** True when there is a hint, or comes one in this time. */
  async wait(ms: number): Promise<boolean> {
    if (!this.#isGiven) {
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      const timer = setTimeout(woken.resolve, ms);
      await woken.promise;
      clearTimeout(timer);
      this.#wake = undefined;
    }
    const isGiven = this.#isGiven;
    this.#isGiven = false;
    return isGiven;
  }
}
