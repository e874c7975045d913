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

export type Shown = Awaited<ReturnType<typeof showCommand>>;

/**
 * Runs a command at a terminal with some columns, whose clock advances by `stepMs` at each reading. `stderr` has notes and
 * progress, in order; `lines` are the drawn lines of progress.
 */
export async function showCommand(args: string[], display: Partial<Display> = {}, stepMs = 60) {
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
