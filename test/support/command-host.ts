// Runs commands one after another for its parent, and loads modules only once.
import type { CommandResult } from "./command.ts";
import { runRecorded } from "./shown-command.ts";

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

async function runHosted({ args, cwd, env, stdin }: HostedCommand): Promise<CommandResult> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  const { exitCode, stdout, stderr } = await runRecorded(args, NO_TERMINAL, () => new Date(), stdin);
  return { exitCode, stdout, stderr };
}

process.on("message", (command: HostedCommand) => void runHosted(command).then((result) => process.send?.(result)));
process.on("disconnect", () => process.exit());
