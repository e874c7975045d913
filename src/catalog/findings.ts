// The findings of `lectern doctor`.

/** A fault harms readers now or later. A warning names what might. A note only informs. A skipped check did not run. */
export interface Finding {
  state: "fault" | "warning" | "note" | "skipped";
  message: string;
  /** All files that the message is about. */
  files?: string[];
}

/** A check with its findings: none if all is well. */
export interface Examined {
  check: string;
  findings: Finding[];
}

export const fault = (message: string): Finding => ({ state: "fault", message });
export const warning = (message: string): Finding => ({ state: "warning", message });
export const skipped = (message: string): Finding => ({ state: "skipped", message });

export const RESTORE = "Restore a backup (`lectern restore`), or import the content into a new database.";
