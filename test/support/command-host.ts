// Runs commands one after another for its parent, and loads modules only once.
import { runProgram } from "../../src/cli/program.ts";
import { createTerminal } from "../../src/cli/terminal/terminal.ts";
import type { CommandResult } from "./command.ts";

/** The input of a hosted command. */
export interface HostedCommand {
  args: string[];
  cwd: string;
  /** All environment variables. */
  env: Record<string, string>;
  /** Standard input; undefined for an empty one. */
  stdin?: string | undefined;
}

const NO_TERMINAL = { columns: undefined, hasColors: false };

async function runHosted({ args, cwd, env, stdin = "" }: HostedCommand): Promise<CommandResult> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  let [stdout, stderr] = ["", ""];
  const terminal = createTerminal({
    output: NO_TERMINAL,
    notes: NO_TERMINAL,
    print: (text) => void (stdout += `${text}\n`),
    note: (text) => void (stderr += `${text}\n`),
    draw: (text) => void (stderr += text),
    readInput: () => new Blob([stdin]).stream(),
    ask: async () => undefined,
    now: () => new Date(),
  });
  const exitCode = await runProgram(args, terminal);
  return { exitCode, stdout, stderr };
}

process.on("message", (command: HostedCommand) => void runHosted(command).then((result) => process.send?.(result)));
process.on("disconnect", () => process.exit());
