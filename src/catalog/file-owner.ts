// Identifies the process that writes an unfinished file.
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The place where process IDs are unique: processes in containers that share a folder often have the same ID. */
export const PLACE = Bun.hash(`${hostname()} ${readNamespace()}`).toString(36);

/** This process, in the names of unfinished files. */
export const OWNER = `${process.pid}.${PLACE}`;

function readNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
