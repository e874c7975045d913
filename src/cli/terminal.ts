import { writeSync } from "node:fs";
import { ExpectedError } from "../catalog/expected-error.ts";

/** Where text is shown. */
export interface Display {
  /** Characters in a line; undefined where it is no terminal, but a file or a program, for which nothing is cut. */
  readonly columns: number | undefined;
  readonly hasColors: boolean;
}

/** What a process or a test gives a command of the world around it. */
export interface TerminalEnds {
  /** Where results are printed. */
  output: Display;
  /** Where notes and progress are. */
  notes: Display;
  /** Prints lines of the result. Throws ExpectedError, caused by the system's error, when they cannot be written. */
  print(text: string): void;
  /** Prints lines about the work: warnings, errors. */
  note(text: string): void;
  /** Writes to where notes are, without a line break. */
  draw(text: string): void;
  /** Standard input; can be read once. */
  readInput(): ReadableStream<Uint8Array>;
  /** Asks whoever sits there; undefined when nobody does, as in a scheduled job. */
  ask(question: string): Promise<string | undefined>;
  now(): Date;
}

/** Where a command reads and prints: the streams of its process, unless whoever runs it says otherwise. */
export interface Terminal extends TerminalEnds {
  /**
   * Shows how far the work is, on one line in place of the one before; undefined takes it away. `describe` gets the number
   * of characters that fit, and is called at most ten times a second. Does nothing where notes go to no terminal.
   */
  showProgress(describe: ((columns: number) => string) | undefined): void;
}

/** Between two drawings of a line of progress. */
const REDRAW_MS = 100;
/** To the first character of the line, and without all that stands there. */
const ERASE_LINE = "\r\u001b[K";

/** Makes a terminal: a line of progress never mixes with what is printed. */
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
      // A line that fills the last column would go on in the next one.
      ends.draw(ERASE_LINE + describe(columns - 1));
    },
    async ask(question) {
      erase();
      return ends.ask(question);
    },
  };
}

/**
 * Writes a line, and waits while a pipe is full. Not with Bun.write, which writes parts twice on a pipe that takes a part at a
 * time, as one of Node; not with console.error, which Bun makes red at a terminal. Throws the system's error.
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

/** Ignores that nothing can be written: nothing is left to report it to. */
function tryToWrite(write: () => void): void {
  try {
    write();
  } catch {}
}

// Asked for each time: windows change their width.
function createDisplay(stream: NodeJS.WriteStream): Display {
  return {
    get columns() {
      // A terminal that cannot go back in a line is as good as none; one that does not tell its width has the usual one.
      return stream.isTTY && process.env.TERM !== "dumb" ? stream.columns || 80 : undefined;
    },
    get hasColors() {
      return wantsColors(process.env) ?? (stream.isTTY && process.env.TERM !== "dumb");
    },
  };
}

/** What the variables say that programs agree on (no-color.org, force-color.org); undefined when they say nothing. */
function wantsColors({ NO_COLOR, FORCE_COLOR }: NodeJS.ProcessEnv): boolean | undefined {
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return FORCE_COLOR === undefined || FORCE_COLOR === "" ? undefined : FORCE_COLOR !== "0";
}

/** The streams of this process. */
export const processTerminal: Terminal = createTerminal({
  output: createDisplay(process.stdout),
  notes: createDisplay(process.stderr),
  print(text) {
    try {
      writeLine(process.stdout.fd, text);
    } catch (error) {
      throw new ExpectedError(`Standard output cannot be written: ${(error as Error).message}.`, { cause: error });
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
