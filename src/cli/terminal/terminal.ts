import { writeSync } from "node:fs";
import { ExpectedError } from "../../catalog/expected-error.ts";

export interface Display {
  /** The terminal's width; undefined for a file or a pipe. */
  readonly columns: number | undefined;
  readonly hasColors: boolean;
}

/** The part of a terminal that a process or a test provides. */
export interface TerminalEnds {
  output: Display;
  notes: Display;
  /** Prints lines of the result. If that fails, throws an ExpectedError whose cause is the system's error. */
  print(text: string): void;
  /** Prints warnings and errors. Never throws. */
  note(text: string): void;
  /** Writes a note without a line break. */
  draw(text: string): void;
  /** Returns standard input. Call it once. */
  readInput(): ReadableStream<Uint8Array>;
  /** Asks the user. Resolves with undefined if there is no terminal, for example in a scheduled job. */
  ask(question: string): Promise<string | undefined>;
  now(): Date;
}

export interface Terminal extends TerminalEnds {
  /**
   * Replaces the progress line of a terminal. Calls `describe` with the number of characters that fit, at most ten
   * times a second. Without `describe`, removes the line.
   */
  showProgress(describe: ((columns: number) => string) | undefined): void;
}

const REDRAW_MS = 100;
const ERASE_LINE = "\r\u001b[K";

/** Creates a terminal that removes the progress line before other output. */
export function createTerminal(ends: TerminalEnds): Terminal {
  let isDrawn = false;
  let drawnAt = -Infinity;
  const erase = (): void => {
    if (!isDrawn) return;
    isDrawn = false;
    ends.draw(ERASE_LINE);
  };
  return {
    ...ends,
    print(text) {
      erase();
      ends.print(text);
    },
    note(text) {
      erase();
      ends.note(text);
    },
    showProgress(describe) {
      const { columns } = ends.notes;
      if (columns === undefined) return;
      if (describe === undefined) {
        erase();
        drawnAt = -Infinity;
        return;
      }
      const at = ends.now().getTime();
      if (at - drawnAt < REDRAW_MS) return;
      drawnAt = at;
      isDrawn = true;
      // A text that reaches the last column would wrap.
      ends.draw(ERASE_LINE + describe(columns - 1));
    },
    async ask(question) {
      erase();
      return ends.ask(question);
    },
  };
}

/**
 * Writes a line, and waits while a pipe is full. Bun.write would repeat text if a pipe accepts only a part at a time,
 * and console.error would print in red on a terminal.
 */
function writeLine(fd: number, text: string): void {
  let rest: Uint8Array = new TextEncoder().encode(`${text}\n`);
  while (rest.byteLength > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Bun.sleepSync(1);
    }
  }
}

function tryToWrite(write: () => void): void {
  try {
    write();
  } catch {}
}

// Uses getters, because a window's width can change.
function createDisplay(stream: NodeJS.WriteStream): Display {
  return {
    get columns() {
      // A dumb terminal cannot erase a line, so treat it as a pipe. Some terminals do not report their width.
      return stream.isTTY && process.env.TERM !== "dumb" ? stream.columns || 80 : undefined;
    },
    get hasColors() {
      return wantsColors(process.env) ?? (stream.isTTY && process.env.TERM !== "dumb");
    },
  };
}

/** Follows no-color.org and force-color.org. Returns undefined if the environment states no preference. */
function wantsColors({ NO_COLOR, FORCE_COLOR }: NodeJS.ProcessEnv): boolean | undefined {
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return FORCE_COLOR === undefined || FORCE_COLOR === "" ? undefined : FORCE_COLOR !== "0";
}

export const processTerminal: Terminal = createTerminal({
  output: createDisplay(process.stdout),
  notes: createDisplay(process.stderr),
  print(text) {
    try {
      writeLine(process.stdout.fd, text);
    } catch (error) {
      throw new ExpectedError(`Cannot write to standard output: ${(error as Error).message}.`, { cause: error });
    }
  },
  note: (text) => tryToWrite(() => writeLine(process.stderr.fd, text)),
  draw: (text) => tryToWrite(() => writeSync(process.stderr.fd, text)),
  readInput: () => Bun.stdin.stream(),
  async ask(question) {
    if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
    const { createInterface } = await import("node:readline/promises");
    const dialogue = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await dialogue.question(question);
    dialogue.close();
    return answer;
  },
  now: () => new Date(),
});
