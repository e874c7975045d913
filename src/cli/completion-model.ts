// What can stand where in a line, from the commands themselves: every shell's script says the same.
import type { Argument, Command, Option } from "commander";
import { settings } from "./settings.ts";

/** What completes a value; `free` is what only the user knows. */
export type Values = { kind: "choice"; choices: readonly string[] } | { kind: "file" | "folder" | "free" };

export interface CompletedOption {
  /** `--project` */
  flag: string;
  description: string;
  /** Undefined where it takes none. */
  values: Values | undefined;
}

export interface CompletedCommand {
  /** `keys create`; "" for the program. */
  path: string;
  commands: { name: string; summary: string }[];
  options: CompletedOption[];
  /** Of its first argument; undefined where it takes none. */
  argument: Values | undefined;
}

const BY_PLACEHOLDER: Record<string, Values> = {
  FILE: { kind: "file" },
  SOURCE: { kind: "file" },
  TO: { kind: "file" },
  FOLDER: { kind: "folder" },
};

/** All commands, the program first, each with what can follow it. */
export function listCompletions(program: Command): CompletedCommand[] {
  return listBelow(program, "");
}

function listBelow(command: Command, path: string): CompletedCommand[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command).flatMap(toOption);
  const commands = help.visibleCommands(command).map((child) => ({
    name: child.name(),
    summary: child.summary() || (/^[^.:,]*/.exec(child.description())?.[0] ?? ""),
  }));
  const [first] = command.registeredArguments;
  const own = { path, commands, options, argument: first && toValues(first.argChoices, BY_PLACEHOLDER[first.name()]) };
  return [own, ...command.commands.flatMap((child) => listBelow(child, `${path} ${child.name()}`.trim()))];
}

function toOption(option: Option): CompletedOption[] {
  const { long, description } = option;
  if (typeof long !== "string") return [];
  const setting = Object.values(settings).find(({ flag }) => `--${flag}` === long) as
    | { choices?: string[] }
    | undefined;
  const takesValue = option.required || option.optional;
  const values = toValues(option.argChoices ?? setting?.choices, BY_PLACEHOLDER[findPlaceholder(option)]);
  return [{ flag: long, description, values: takesValue ? values : undefined }];
}

function toValues(choices: Argument["argChoices"], other: Values = { kind: "free" }): Values {
  return choices === undefined ? other : { kind: "choice", choices };
}

/** `FOLDER` of `--asset-folder <FOLDER>` */
function findPlaceholder({ flags }: Option): string {
  return /[<[]([A-Z]+)/.exec(flags)?.[1] ?? "";
}

/** What completes the values of an option: everywhere where `path` is undefined, else after the command of that path. */
export interface OptionValues {
  path: string | undefined;
  flag: string;
  values: Values;
}

/** The values of all options; one entry for those that take the same wherever they stand. */
export function listOptionValues(commands: CompletedCommand[]): OptionValues[] {
  const all = commands.flatMap(({ path, options }) =>
    options.flatMap(({ flag, values }) => (values === undefined ? [] : [{ path, flag, values }])),
  );
  const byFlag = Map.groupBy(all, ({ flag }) => flag);
  return [...byFlag.values()].flatMap((entries): OptionValues[] => {
    const different = new Set(entries.map(({ values }) => JSON.stringify(values)));
    return different.size === 1 ? entries.slice(0, 1).map((entry) => ({ ...entry, path: undefined })) : entries;
  });
}
