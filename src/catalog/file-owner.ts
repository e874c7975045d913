// Identifies the process that writes an unfinished file.
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The place where process IDs are unique: processes in containers that share a folder often have the same ID. */
export const PLACE = Bun.hash(`${hostname()} ${readNamespace()}`).toString(36);

/** This process, in the names of unfinished files: its ID and start, since systems reuse IDs, and its place. */
export const OWNER = `${process.pid}-${readProcess(process.pid).start ?? ""}.${PLACE}`;

/** Matches the names of `nameUnfinished`, and of their journals; the groups are the writing process and its place. */
export const UNFINISHED = /.\.unfinished-([1-9]\d*-\d*)\.(\w+)(?:-journal)?$/;

/** Returns the name of a backup or an export until it is complete. */
export const nameUnfinished = (path: string): string => `${path}.unfinished-${OWNER}`;

/** Returns a process's state, and its start in ticks since boot; undefined if unknown, as outside Linux (proc(5)). */
export function readProcess(id: number): { state?: string | undefined; start?: string | undefined } {
  try {
    // In some containers, /proc shows the processes of another place.
    if (readlinkSync("/proc/self") !== String(process.pid)) return {};
    // The command's name, in parentheses, can contain any character.
    const [state, ...fields] = readFileSync(`/proc/${id}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    return { state, start: fields[18] };
  } catch {
    return {};
  }
}

function readNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
