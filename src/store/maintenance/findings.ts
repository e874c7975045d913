// What `lectern doctor` finds.

export type CheckName =
  | "schema"
  | "integrity"
  | "rows"
  | "assets"
  | "bodies"
  | "locks"
  | "replica"
  | "clock"
  | "permissions"
  | "disk"
  | "modes"
  | "bind";

/** A fault hurts readers or will; a warning may; a note is for the one who reads on. Skipped is what could not be looked at. */
export interface Finding {
  state: "fault" | "warning" | "note" | "skipped";
  message: string;
}

/** A check with what it found: nothing where all is well. */
export interface Examined {
  check: CheckName;
  findings: Finding[];
}

export const fault = (message: string): Finding => ({ state: "fault", message });
export const warning = (message: string): Finding => ({ state: "warning", message });
export const skipped = (message: string): Finding => ({ state: "skipped", message });

export const RESTORE = "Restore a backup (`lectern restore`), or import the content into a new database.";
