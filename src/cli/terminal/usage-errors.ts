// Describes usage errors in place of commander: the messages say what happened and what to do.
import type { Command, CommanderError } from "commander";
import { findNearestName } from "../../catalog/nearest-name.ts";
import { formatUsage, TOPICS, toPath } from "./help.ts";
import { listProjectNames } from "./name-hints.ts";
import { environmentName, type SettingName } from "../settings/settings.ts";

/** Maps words that people try to the commands that they probably mean. */
const SYNONYMS: Record<string, string> = {
  add: "import",
  build: "export",
  deploy: "publish",
  dump: "backup",
  gc: "prune",
  hook: "webhooks",
  hooks: "webhooks",
  lint: "check",
  migrate: "copy",
  new: "init",
  ps: "status",
  revert: "rollback",
  run: "serve",
  start: "serve",
  test: "check",
  undo: "rollback",
  up: "serve",
  validate: "check",
};

/** Describes commander's error in a line or two. */
export async function describeUsageError(program: Command, args: string[], error: CommanderError): Promise<string> {
  const { command, rest } = findCommand(program, args);
  const { code, message } = error;
  const quoted = /'(.*?)'/s.exec(message)?.[1] ?? "";
  switch (code) {
    case "commander.unknownCommand":
      return describeUnknownCommand(command, quoted, rest[rest.indexOf(quoted) + 1]);
    case "commander.unknownOption":
      return describeUnknownOption(program, command, quoted);
    case "commander.missingArgument":
      return `Missing ${quoted}. Usage: ${formatUsage(command)}`;
    case "commander.optionMissingArgument":
      return `${quoted.split(" ", 1).join()} needs a value: ${quoted}.`;
    case "commander.excessArguments":
      return describeExcess(command, rest);
    case "commander.invalidArgument":
      return describeInvalidValue(message);
    case "commander.missingMandatoryOptionValue":
      return describeMissingOption(program, command, args, rest, quoted);
    default:
      return message.replace(/^error: /, "");
  }
}

/** Describes an unknown command or help topic, and suggests the one that was probably meant. */
export function describeUnknownCommand(parent: Command, word: string, next = ""): string {
  const isProgram = parent.parent === null;
  const path = isProgram ? "" : `${toName(parent)} `;
  const names = parent.commands.map((each) => each.name());
  const synonym = isProgram ? SYNONYMS[word.toLowerCase()] : undefined;
  const meant = synonym ?? findNearestName(word, [...names, ...(isProgram ? Object.keys(TOPICS) : [])]);
  const unknown = `Unknown command \`${path}${word}\`.`;
  if (meant === undefined) return `${unknown} \`${toPath(parent)} --help\` lists the commands.`;
  const command = parent.commands.find((each) => each.name() === meant);
  const child = command?.commands.some((each) => each.name() === next) === true ? ` ${next}` : "";
  return `${unknown} Did you mean \`lectern ${command === undefined ? "help " : path}${meant}${child}\`?`;
}

/** Returns `keys create` for `lectern keys create`. */
function toName(command: Command): string {
  return toPath(command).replace("lectern ", "");
}

/** Finds the command that the arguments name, or a named group's default command, and the words after the name. */
function findCommand(program: Command, args: string[]): { command: Command; rest: string[] } {
  let [command, at] = [program, 0];
  for (; ; at++) {
    const next = command.commands.find((each) => [each.name(), ...each.aliases()].includes(args[at] ?? ""));
    if (next === undefined) break;
    command = next;
  }
  return { command: findDefault(command) ?? command, rest: args.slice(at) };
}

function findDefault(parent: Command): Command | undefined {
  const name: unknown = Reflect.get(parent, "_defaultCommandName");
  return parent.commands.find((each) => each.name() === name);
}

function describeUnknownOption(program: Command, command: Command, given: string): string {
  const flag = given.replace(/=.*/s, "");
  const unknown = `Unknown option ${flag}${command.parent === null ? "" : ` of \`${toName(command)}\``}.`;
  if (command.commands.length > 0 && command.parent !== null) {
    const names = command.commands.map((each) => each.name()).join(", ");
    return `\`${toName(command)}\` needs a command before ${flag}: ${names}.`;
  }
  const has = (each: Command, long: string): boolean => each.options.some((option) => option.long === long);
  const positive = flag.replace(/^--no-/, "--");
  if (positive !== flag && has(command, positive)) return `${unknown} Did you mean ${positive} off?`;
  const own = command.options.flatMap(({ long }) => long ?? []);
  const meant = findNearestName(flag, own);
  if (meant !== undefined) return `${unknown} Did you mean ${meant}?`;
  const others = listLeaves(program).filter((each) => has(each, flag));
  const names = others.slice(0, 3).map((each) => `\`${toName(each)}\``);
  const next = names.length === 0 ? "" : ` It is an option of ${names.join(", ")}${others.length > 3 ? ", ..." : ""}.`;
  return `${unknown}${next} \`${toPath(command)} --help\` lists ${command.parent === null ? "the commands" : "its options"}.`;
}

function listLeaves(parent: Command): Command[] {
  return parent.commands.flatMap((each) => (each.commands.length > 0 ? listLeaves(each) : [each]));
}

function describeExcess(command: Command, rest: string[]): string {
  const { parent } = command;
  const [first = ""] = rest;
  // A group passes an unknown command to its default command, as an argument.
  const isDefault = parent !== null && findDefault(parent) === command;
  if (isDefault && /^[^-]/.test(first)) return describeUnknownCommand(parent, first);
  const most = command.registeredArguments.length;
  const surplus = command.args.slice(most).join(" ");
  return most === 0
    ? `\`${toName(command)}\` takes no arguments. Remove \`${surplus}\`.`
    : `Unexpected argument \`${surplus}\`. Quote a name that contains spaces. Usage: ${formatUsage(command)}`;
}

function describeInvalidValue(message: string): string {
  const [, flag = "", value = "", variable, expected = ""] =
    /(--[\w-]+|argument '\w+').*? (?:argument|value) '(.*)'(?: from env '(\w+)')? is invalid(?: for argument '\w+')?\. (.*)$/s.exec(
      message,
    ) ??
    /^()error: command-argument value '(.*)' is invalid for argument '\w+'()\. (.*)$/s.exec(message) ??
    [];
  const what = variable ?? flag;
  const hint = expected.replace("Allowed choices are", "Expected one of");
  const choices = /^Expected one of (.*)\.$/s.exec(hint)?.[1]?.split(", ") ?? [];
  const meant = findNearestName(value, choices);
  return `Invalid ${what === "" ? "argument" : what} \`${value}\`. ${meant === undefined ? hint : `Did you mean ${meant}?`}`;
}

async function describeMissingOption(
  program: Command,
  command: Command,
  args: string[],
  rest: string[],
  flags: string,
): Promise<string> {
  // A misspelled option explains why a required one is missing.
  const unknown = command.args.find((word) => word.startsWith("--") && word.length > 2);
  if (unknown !== undefined) return describeUnknownOption(program, command, unknown);
  if (command.args.length > command.registeredArguments.length) return describeExcess(command, rest);
  const missing = command.registeredArguments.slice(command.args.length).filter(({ required }) => required);
  if (missing.length > 0) return `Missing ${missing[0]?.name()}. Usage: ${formatUsage(command)}`;
  const flag = flags.split(" ", 1).join();
  const option = command.options.find(({ long }) => long === flag);
  const variable = option?.envVar === undefined ? "" : `, or set ${environmentName(flag.slice(2) as SettingName)}`;
  const text = `Missing ${flag}. Give ${flags.replaceAll(/[<>]/g, "")}${variable}.`;
  return flag === "--project" ? text + (await describeProjects(args)) : text;
}

const MAX_NAMED = 10;

/** Returns a sentence that lists the projects of the command's database; "" if it contains none or cannot be opened. */
async function describeProjects(args: string[]): Promise<string> {
  const names = await listProjectNames(args).catch(() => []);
  const shown = names.slice(0, MAX_NAMED).join(", ") + (names.length > MAX_NAMED ? ", ..." : "");
  return names.length === 0
    ? ""
    : ` The database contains the ${names.length === 1 ? "project" : "projects"} ${shown}.`;
}
