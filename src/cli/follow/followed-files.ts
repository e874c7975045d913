// Follows a local folder or file. Polls compare sizes and times, and do not read the content of files.
import { lstatSync, statSync, type Stats } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { toPrintable } from "../../catalog/printable.ts";
import { mayBeOpened } from "../../content/files/fence.ts";
import { nameTypedPath } from "../../content/files/folder-files.ts";
import { findGitLock, findStats } from "../write/follow-folder.ts";
import type { FollowedSource } from "./followed-source.ts";

/** How long a source must stay unchanged before it is read, because programs write files in steps. */
const QUIET_MS = 300;

export function followFiles(path: string): FollowedSource {
  return {
    name: toPrintable(nameTypedPath(path)),
    async fetchChange(known, _into, ended) {
      const isGitBusy = findGitLock(path);
      const revision = await readFingerprint(path, ended);
      if (revision === known) return undefined;
      await setTimeout(QUIET_MS, undefined, { signal: ended });
      // The source is still changing, so the next poll reads it.
      if (isGitBusy() || (await readFingerprint(path, ended)) !== revision) return undefined;
      return { path, label: undefined, revision };
    },
  };
}

/** Returns a digest of the names, sizes, times and inode numbers of all files that an import is allowed to open. */
async function readFingerprint(root: string, ended: AbortSignal): Promise<string> {
  // A sum does not depend on the order in which files are listed.
  let sum = 0n;
  const add = (path: string, { size, mtimeMs, ctimeMs, ino }: Stats): void => {
    sum = BigInt.asUintN(64, sum + Bun.hash([path, size, mtimeMs, ctimeMs, ino].join("\0")));
  };
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    ended.throwIfAborted();
    const found = findStats(statSync, folder);
    if (found?.isFile() === true)
      return Bun.hash([found.size, found.mtimeMs, found.ctimeMs, found.ino].join("\0")).toString(16);
    if (found?.isDirectory() !== true) {
      if (folder === root) throw new ExpectedError(`There is no file or folder ${toPrintable(root)}.`);
      continue;
    }
    // An import reports what it needs and cannot read.
    const names = await readdir(folder).catch((error: Error) => (folder === root ? Promise.reject(error) : []));
    for (const name of names) {
      const path = join(folder, name);
      const inside = relative(root, path);
      if (!mayBeOpened(inside)) continue;
      const entry = findStats(lstatSync, path);
      if (entry === undefined) continue;
      if (entry.isDirectory()) folders.push(path);
      // For a link, the digest covers both the link and its target.
      else for (const stats of [entry, findStats(statSync, path)]) if (stats !== undefined) add(inside, stats);
    }
  }
  return sum.toString(16);
}
