import { readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLACE, readProcess } from "../catalog/file-owner.ts";

/** The age at which files of another place count as abandoned. */
const FOREIGN_MS = 6 * 60 * 60_000;

/**
 * Removes files that killed commands left behind, and keeps those of running processes. The first group of `names`
 * matches the process that wrote a file, such as `12-345`; the second, if any, matches its place. Ignores failures.
 */
export function removeAbandoned(folder: string, names: RegExp): void {
  for (const name of listNames(folder)) {
    const [, writer, place = PLACE] = names.exec(name) ?? [];
    if (writer === undefined) continue;
    const path = join(folder, name);
    try {
      if (place === PLACE ? isUsedHere(writer) : Date.now() - statSync(path).mtimeMs < FOREIGN_MS) continue;
      rmSync(path, { recursive: true, force: true });
    } catch {}
  }
}

/** Removes the temporary folders that killed commands left behind: they can use up the database's disk. */
export function removeAbandonedFolders(): void {
  removeAbandoned(tmpdir(), /^lectern-(?:empty|follow|preview)-([1-9]\d*-\d*)\.(\w+)-/);
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A file with the ID of this process was written by an earlier process with the same ID. */
function isUsedHere(writer: string): boolean {
  const [id, start = ""] = writer.split("-");
  if (Number(id) === process.pid) return false;
  try {
    process.kill(Number(id), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const found = readProcess(Number(id));
  // A killed process that its parent never waits for, as in some containers, still accepts signals.
  return found.state !== "Z" && (start === "" || found.start === undefined || found.start === start);
}
