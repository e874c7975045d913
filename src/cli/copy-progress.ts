import type { CopyProgress } from "../store/copy-store.ts";
import { Progress } from "./progress.ts";
import type { Terminal } from "./terminal.ts";

/** Tells a terminal how far a copy or a backup is, table by table: first what is copied, then what is compared. */
export class CopyProgressLine {
  readonly #terminal: Terminal;
  #part = "";
  #progress: Progress | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  tell({ task, table, rows, total }: CopyProgress): void {
    if (this.#part !== `${task} ${table}`) {
      this.#part = `${task} ${table}`;
      const doing = `${task === "copy" ? "Copying" : "Comparing"} ${table}`;
      this.#progress = new Progress(this.#terminal, { doing, noun: "row", total });
    }
    this.#progress?.tell(rows);
  }

  /** Takes the line away. */
  end(): void {
    this.#progress?.end();
  }
}
