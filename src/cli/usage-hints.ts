// What somebody probably meant who has used a command wrongly.
import type { Command, CommanderError } from "commander";
import { findNearestName } from "../catalog/nearest-name.ts";
import { environmentName, settings, type SettingName } from "./settings.ts";

/** A hint for a message of commander's that has none of its own; undefined where nothing is like what was given. */
export function describeUsageHint(program: Command, args: string[], error: CommanderError): string | undefined {
  const meant = findMeant(program, args, error);
  return meant === undefined ? undefined : `(Did you mean ${meant}?)`;
}

function findMeant(program: Command, args: string[], { code, message }: CommanderError): string | undefined {
  const [first, second = ""] = args;
  const command = program.commands.find((each) => each.name() === first);
  switch (code) {
    // A command with others below it takes any word for an argument of the one that it runs by default.
    case "commander.excessArguments": {
      const name = command && findNearestName(second, listNames(command));
      return name && `${command.name()} ${name}`;
    }
    case "commander.unknownOption":
      return command !== undefined && command.commands.length > 0 && second.startsWith("-")
        ? listNames(command)
            .map((name) => `${command.name()} ${name}`)
            .join(", ")
        : undefined;
    // What is missing may be there under a name that commander looks at only later.
    case "commander.missingMandatoryOptionValue": {
      const flag = /'(--[\w-]+)/.exec(message)?.[1] ?? "";
      const given = args.map((word) => word.replace(/=.*/, "")).filter((word) => word.startsWith("--"));
      const slip = findNearestName(flag, given);
      return slip && `${flag} by ${slip}`;
    }
    case "commander.invalidArgument": {
      const [, value = "", choices = ""] =
        /argument '(.*)' is invalid\. (?:Allowed choices are|Expected) (.*)\.$/s.exec(message) ?? [];
      return findNearestName(value, choices.replace("one of ", "").split(", "));
    }
    default:
      return undefined;
  }
}

function listNames(parent: Command): string[] {
  return parent.commands.map((each) => each.name());
}

/**
 * Throws a CommanderError, after its message, for help on an unknown command: commander would show the help of the program.
 */
export function refuseUnknownCommand(program: Command, args: string[]): void {
  const isHelp = args[0] === "help";
  if (!isHelp && !args.some((word) => word === "--help" || word === "-h")) return;
  let command: Command = program;
  for (const word of isHelp ? args.slice(1) : args) {
    if (word.startsWith("-") || word === "help" || command.commands.length === 0) return;
    const next = command.commands.find((each) => [each.name(), ...each.aliases()].includes(word));
    if (next === undefined) {
      const meant = findNearestName(word, listNames(command));
      const hint = meant === undefined ? "" : `\n(Did you mean ${meant}?)`;
      return command.error(`error: unknown command '${word}'${hint}`, {
        code: "commander.unknownCommand",
        exitCode: 2,
      });
    }
    command = next;
  }
}

/** Lets a command that only groups others name these when it is given alone, in place of their help. */
export function requireSubcommand(command: Command): void {
  const showHelp = command.help.bind(command);
  command.help = ((context?: { error?: boolean }) => {
    if (context?.error !== true) return showHelp();
    return command.error(`error: ${command.name()} needs a command: ${listNames(command).join(", ")}`, { exitCode: 2 });
  }) as Command["help"];
}

/** What clients read: the examples, and the commands that the explorer shows. */
const CLIENT_VARIABLES = ["LECTERN_KEY", "LECTERN_URL"];

/** A line for each variable that looks like a setting's and is none, so that it has no effect. */
export function listVariableHints(environment: Record<string, string | undefined>): string[] {
  const known = (Object.keys(settings) as SettingName[]).map(environmentName);
  const expected = [...known, ...CLIENT_VARIABLES];
  const unknown = Object.keys(environment).filter((name) => name.startsWith("LECTERN_") && !expected.includes(name));
  return unknown.flatMap((name) => {
    const meant = findNearestName(name, known);
    return meant === undefined ? [] : [`${name} is no setting. Did you mean ${meant}?`];
  });
}
