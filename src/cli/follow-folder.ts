// When a folder is looked at again: soon after a hint of the system, and from time to time without one.
import { watchFolders } from "../content/files/watch-folders.ts";

/** So long nothing may happen before a look: programs write a file in steps, and Git many files. */
const QUIET_MS = 20;
const MAX_QUIET_MS = 500;
/** Hints may be lost, and some folders cannot be watched. */
const LOOK_INTERVAL_MS = 1000;
/** Looking takes no more than this part of the time, however large the folder is. */
const MAX_SHARE = 0.1;

/** What is followed. */
export interface FollowedFolder {
  path: string;
  /** The folders in it that matter, as they are now. */
  listFolders: () => Iterable<string>;
  hasChanged: () => Promise<boolean>;
  /** True while a program is changing many files; not for ever. */
  isBusy: () => boolean;
  /** Called, and waited for, when it has. */
  onChange: () => Promise<void>;
  /** Called when there are folders for which the system gives no hints. */
  onUnwatched: (count: number) => void;
}

/** Follows a folder until `ended`. Rejects with what `hasChanged` or `onChange` throws. */
export async function followFolder(folder: FollowedFolder, ended: AbortSignal): Promise<void> {
  const hints = new Hints();
  ended.addEventListener("abort", () => hints.give(), { once: true });
  const watch = watchFolders(folder.path, () => hints.give());
  const update = (): void => {
    const failed = watch.update(folder.listFolders());
    if (failed.length > 0) folder.onUnwatched(failed.length);
  };
  try {
    update();
    // What has changed before it was watched gave no hint.
    hints.give();
    for (let pauseMs = 0; !ended.aborted;) {
      if (await hints.wait(Math.max(LOOK_INTERVAL_MS, pauseMs))) await untilQuiet(hints, folder.isBusy);
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
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, ms);
      await promise;
      clearTimeout(timer);
      this.#wake = undefined;
    }
    const isGiven = this.#isGiven;
    this.#isGiven = false;
    return isGiven;
  }
}
