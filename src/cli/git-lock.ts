import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** A lock that is older was left by a Git that was killed, or is that of very long work. */
const MAX_AGE_MS = 30_000;

/** Gives a function that tells whether Git is changing files around a folder; always false where there is no repository. */
export function findGitLock(folder: string): () => boolean {
  for (let from = resolve(folder); ; from = dirname(from)) {
    const gitFolder = findGitFolder(join(from, ".git"));
    if (gitFolder !== undefined) return () => isNew(join(gitFolder, "index.lock"));
    if (from === dirname(from)) return () => false;
  }
}

function isNew(lock: string): boolean {
  const found = statSync(lock, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs < MAX_AGE_MS;
}

/** In a worktree `.git` is a file that names the folder. Undefined where there is neither. */
function findGitFolder(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return found && path;
  const [, named] = /^gitdir: (.+)$/m.exec(readFileSync(path, "utf8")) ?? [];
  return named === undefined ? undefined : resolve(dirname(path), named.trim());
}
