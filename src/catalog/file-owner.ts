// Identifies the process that writes an unfinished file.
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The place where process IDs are unique: processes in containers that share a folder often have the same ID. */
export const PLACE = Bun.hash(`${hostname()} ${readNamespace()}`).toString(36);

/** This process, in the names of unfinished files. */
export const OWNER = `${process.pid}.${PLACE}`;

/** Matches the names of `nameUnfinished`, and of their journals; the groups are the writing process's ID and place. */
export const UNFINISHED = /.\.unfinished-([1-9]\d*)\.(\w+)(?:-journal)?$/;

/** Returns the name of a backup or an export until it is complete. */
export const nameUnfinished = (path: string): string => `${path}.unfinished-${OWNER}`;

function readNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
