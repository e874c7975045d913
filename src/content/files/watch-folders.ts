// Hints of the system that something in a folder has changed. What has changed is found out by looking.
import { statSync, watch, type FSWatcher } from "node:fs";
import { join } from "node:path";

/** More folders than this are not watched: each takes memory of the system, of which all programs have a part. */
const MAX_WATCHED = 5000;

/** Hints for some folders. */
export interface FolderWatch {
  /**
   * Watches these folders of the root, and no others from now on. Gives those that cannot be watched: there are too many, or
   * the system has no more room for it.
   */
  update(folders: Iterable<string>): string[];
  close(): void;
}

interface Watched {
  watcher: FSWatcher;
  /** Tells whether another folder has taken the place. */
  identity: string;
}

/** Calls `onHint` when something may have changed in the folders that are watched; it may come late, often, or for nothing. */
export function watchFolders(root: string, onHint: () => void): FolderWatch {
  const watched = new Map<string, Watched>();
  const drop = (folder: string): void => {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  };
  const add = (folder: string, identity: string): boolean => {
    try {
      const watcher = watch(join(root, folder), { persistent: false }, onHint);
      watcher.on("error", onHint);
      watched.set(folder, { watcher, identity });
      return true;
    } catch {
      return false;
    }
  };
  return {
    update(folders) {
      const wanted = new Set(folders);
      for (const folder of watched.keys()) if (!wanted.has(folder)) drop(folder);
      const failed: string[] = [];
      for (const folder of wanted) {
        const identity = identify(join(root, folder));
        if (identity === undefined) drop(folder);
        if (identity === undefined || watched.get(folder)?.identity === identity) continue;
        // Before the next one: it would get the hints of the old one, which is gone.
        drop(folder);
        if (watched.size >= MAX_WATCHED || !add(folder, identity)) failed.push(folder);
      }
      return failed;
    },
    close() {
      for (const folder of watched.keys()) drop(folder);
    },
  };
}

/** Undefined for what is no folder. */
function identify(path: string): string | undefined {
  try {
    const found = statSync(path);
    return found.isDirectory() ? `${found.dev} ${found.ino}` : undefined;
  } catch {
    return undefined;
  }
}
