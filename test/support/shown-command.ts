// Commands at a terminal that is a test's: of any width, with a clock of its own.
import { runProgram } from "../../src/cli/program.ts";
import { createTerminal, type Display } from "../../src/cli/terminal/terminal.ts";

/** What takes a line of progress away. */
export const ERASE = "\r\u001b[K";

const START = "2026-11-21T22:14:00.000Z";
let time = Date.parse(START);

/** Sets the clock of shown commands to its first time, and gives that. */
export function restartClock(): Date {
  time = Date.parse(START);
  return new Date(time);
}

export interface Shown {
  exitCode: number;
  stdout: string;
  /** Notes and drawings, in their order. */
  stderr: string;
  /** The lines of progress, as they were drawn. */
  lines: string[];
}

/** Runs a command at a terminal of so many columns, whose clock goes on by `stepMs` each time that somebody looks at it. */
export async function showCommand(args: string[], display: Partial<Display> = {}, stepMs = 60): Promise<Shown> {
  let [stdout, stderr] = ["", ""];
  const lines: string[] = [];
  const shown = { columns: 80, hasColors: false, ...display };
  const terminal = createTerminal({
    output: shown,
    notes: shown,
    print: (text) => void (stdout += `${text}\n`),
    note: (text) => void (stderr += `${text}\n`),
    draw(text) {
      stderr += text;
      if (text !== ERASE) lines.push(text.slice(ERASE.length));
    },
    readInput: () => new Blob([]).stream(),
    ask: async () => undefined,
    now: () => new Date((time += stepMs)),
  });
  const exitCode = await runProgram(args, terminal);
  return { exitCode, stdout, stderr, lines };
}
