// Commands at a simulated terminal of any width, with its own clock.
import { runProgram } from "../../src/cli/program.ts";
import { createTerminal, type Display } from "../../src/cli/terminal/terminal.ts";

/** Erases a line of progress. */
export const ERASE = "\r\u001b[K";

const START = "2026-11-21T22:14:00.000Z";
let time = Date.parse(START);

/** Sets the clock of shown commands, and returns its time. */
export function setClock(at = START): Date {
  time = Date.parse(at);
  return new Date(time);
}

/** Runs a command. `stderr` has notes and progress, in order; `lines` are the drawn lines of progress. */
export async function runRecorded(args: string[], display: Display, now: () => Date, stdin = "") {
  let [stdout, stderr] = ["", ""];
  const lines: string[] = [];
  const terminal = createTerminal({
    output: display,
    notes: display,
    print: (text) => void (stdout += `${text}\n`),
    note: (text) => void (stderr += `${text}\n`),
    draw(text) {
      stderr += text;
      if (text !== ERASE) lines.push(text.slice(ERASE.length));
    },
    readInput: () => new Blob([stdin]).stream(),
    ask: async () => undefined,
    now,
  });
  const exitCode = await runProgram(args, terminal);
  return { exitCode, stdout, stderr, lines };
}

export type Shown = Awaited<ReturnType<typeof showCommand>>;

/** Runs a command at a terminal with some columns, whose clock advances by `stepMs` at each reading. */
export const showCommand = (args: string[], display: Partial<Display> = {}, stepMs = 60) =>
  runRecorded(args, { columns: 80, hasColors: false, ...display }, () => new Date((time += stepMs)));
