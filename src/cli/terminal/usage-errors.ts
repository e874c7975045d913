// Words commander's errors as sentences, and finds misspelled names.
import type { Command, CommanderError } from "commander";
import { findNearestName } from "../../catalog/nearest-name.ts";
import { environmentName, settings, type SettingName } from "../settings/settings.ts";
import { openStore } from "../../store/open-store.ts";

/** Variables that the examples and the commands in the explorer read. */
const CLIENT_VARIABLES = ["LECTERN_KEY", "LECTERN_URL"];
const INVALID_VALUE =
  /^error: option '(--[\w-]+).*?' (?:argument|value) '(.*?)'(?: from env '(\w+)')? is invalid\. (.*)$/s;
const MAX_NAMED = 10;
const NAMES_TIMEOUT_MS = 1000;

/** Describes an error such as `error: unknown option '--prot'\n(Did you mean --port?)`. */
export async function describeUsageError(program: Command, args: string[], error: CommanderError): Promise<string> {
  const { code, message } = error;
  if (code === "commander.missingMandatoryOptionValue" && message.includes("'--project ")) {
    return `Missing --project. Give --project NAME, or set LECTERN_PROJECT.${await describeProjects(args)}`;
  }
  const command = findCommand(program, args);
  // A group passes an unknown command to its default command, as an argument.
  const [, word = "-"] = args;
  if (code === "commander.excessArguments" && command.commands.length > 0 && !word.startsWith("-")) {
    const names = command.commands.map((each) => each.name());
    const meant = findNearestName(word, names) ?? names.join(" or ");
    return `Unknown command \`${command.name()} ${word}\`. Did you mean ${meant}?`;
  }
  const [, flag, value, what = flag, hint] = INVALID_VALUE.exec(message) ?? [];
  if (what !== undefined) return `Invalid ${what} \`${value}\`. ${hint}`;
  const [, fault = "", meant] = /^error: (.*?)\.?(?:\n\((.*)\))?$/s.exec(message) ?? [];
  const sentence = `${fault.charAt(0).toUpperCase()}${fault.slice(1).replaceAll(/'(.*?)'/gs, "`$1`")}`;
  if (code === "commander.invalidArgument") return sentence.endsWith("?") ? sentence : `${sentence}.`;
  return `${sentence}. ${meant ?? `\`${toPath(command)} --help\` explains the usage.`}`;
}

function findCommand(program: Command, args: string[]): Command {
  let command = program;
  for (const word of args) {
    const next = findSubcommand(command, word);
    if (next === undefined) break;
    command = next;
  }
  return command;
}

export function findSubcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((each) => [each.name(), ...each.aliases()].includes(word));
}

/** Returns the full name of a command, such as `lectern keys create`. */
export function toPath(command: Command): string {
  return command.parent === null ? command.name() : `${toPath(command.parent)} ${command.name()}`;
}

/** Returns a sentence that lists the projects of the command's database; "" if it contains none or cannot be opened. */
async function describeProjects(args: string[]): Promise<string> {
  const names = await listProjects(args).catch(() => []);
  const shown = names.slice(0, MAX_NAMED).join(", ") + (names.length > MAX_NAMED ? ", ..." : "");
  return names.length === 0
    ? ""
    : ` The database contains the ${names.length === 1 ? "project" : "projects"} ${shown}.`;
}

async function listProjects(args: string[]): Promise<string[]> {
  const at = args.findLastIndex((word) => /^--database(=|$)/.test(word));
  const given = at === -1 ? process.env["LECTERN_DATABASE"] : (args[at]?.split("=", 2)[1] ?? args[at + 1]);
  const url = settings.database.parse(given ?? settings.database.default);
  const postgres = { poolSize: 1, connectTimeoutMs: NAMES_TIMEOUT_MS, statementTimeoutMs: NAMES_TIMEOUT_MS };
  const store = await openStore(url, { create: false, postgres });
  try {
    return await store.publishing.listProjects();
  } finally {
    await store.close();
  }
}

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
