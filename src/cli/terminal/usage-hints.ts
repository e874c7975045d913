// Checks arguments before commander parses them, and finds misspelled environment variables.
import type { Command } from "commander";
import { findNearestName } from "../../catalog/nearest-name.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import { environmentName, settings, type SettingName } from "../settings/settings.ts";
import { describeUnknownCommand } from "./usage-errors.ts";

/** Returns `--help` for `help`, `keys create --help` for `help keys create`, and `--version` for `version` and `-V`. */
export function toPlainArguments(args: string[]): string[] {
  const [first, ...rest] = args;
  if (first === "help") return [...rest, "--help"];
  return args.length === 1 && (first === "version" || first === "-V") ? ["--version"] : args;
}

/** Throws CommandFailure for help on an unknown command, instead of showing the group's help, as commander would. */
export function refuseUnknownCommand(program: Command, args: string[]): void {
  if (!args.some((word) => word === "--help" || word === "-h")) return;
  let command: Command = program;
  for (const word of args) {
    if (word.startsWith("-") || word === "help" || command.commands.length === 0) return;
    const next = command.commands.find((each) => [each.name(), ...each.aliases()].includes(word));
    if (next === undefined) throw new CommandFailure(describeUnknownCommand(command, word), EXIT.usage);
    command = next;
  }
}

/** Makes a group that is called without a command print an error that lists its commands, instead of its help. */
export function requireSubcommand(command: Command): void {
  const showHelp = command.help.bind(command);
  command.help = ((context?: { error?: boolean }) => {
    if (context?.error !== true) return showHelp();
    const names = command.commands.map((each) => each.name()).join(", ");
    return command.error(`error: \`${command.name()}\` needs a command: ${names}.`, { exitCode: EXIT.usage });
  }) as Command["help"];
}

/** Variables that the examples and the commands in the explorer read. */
const CLIENT_VARIABLES = ["LECTERN_KEY", "LECTERN_URL"];

/** Returns a line for each variable that resembles a setting but is not one. */
export function listVariableHints(environment: Record<string, string | undefined>): string[] {
  const known = (Object.keys(settings) as SettingName[]).map(environmentName);
  const expected = [...known, ...CLIENT_VARIABLES];
  const unknown = Object.keys(environment).filter((name) => name.startsWith("LECTERN_") && !expected.includes(name));
  return unknown.flatMap((name) => {
    const meant = findNearestName(name, known);
    return meant === undefined ? [] : [`Unknown setting ${name}. Did you mean ${meant}?`];
  });
}
