// Formats the help of commands. The texts come from docs/commands.md and, for settings, from docs/settings.md.
import type { Command, Help, Option } from "commander";
import page from "../../../docs/commands.md" with { type: "text" };
import settingsPage from "../../../docs/settings.md" with { type: "text" };

/** Matches a cell that only refers to the settings, or to the same option of `lectern import`. */
const REFERENCE = /^(\[Settings\]\(|As for \[)/;
const IMPORT_OPTIONS = readMeanings(readSection("lectern import"));
const LIMIT = /^--max-|^--pool-size|<(?:MIB|MS|SECONDS|MINUTES|RATE)>$/;
const SETTINGS = readMeanings(settingsPage);
/** The rows of the table of groups in docs/commands.md, one for each command. */
const OVERVIEW = [...readSection("lectern").matchAll(/^\| (\w+) \| `([a-z]+)` \| (.*?) \|(.*)\|$/gm)].map(
  ([, group = "", name = "", purpose = "", flags = ""]) => ({ group, name, purpose, first: flags.match(/--[\w-]+/g) }),
);

type Item = [term: string, description: string];

/** The topics that `lectern help TOPIC` explains, besides commands. */
export const TOPICS: Record<string, (help: Help) => string> = {
  settings: formatSettings,
  "exit-codes": formatExitCodes,
};

/** Adds the help text to each command. Throws if docs/commands.md does not describe a command. */
export function addHelp(program: Command): void {
  for (const command of program.commands) {
    addTexts(command, `lectern ${command.name()}`);
    const overview = findOverview(command);
    if (overview === undefined)
      throw new Error(`The table of groups in docs/commands.md has no row for ${command.name()}`);
    command.summary(overview.purpose);
    if (command.commands.length > 0) command.description(`${overview.purpose}.`);
  }
}

function addTexts(command: Command, path: string): void {
  for (const child of command.commands) addTexts(child, `${path} ${child.name()}`);
  if (command.commands.length > 0) return;
  const section = readSection(path);
  const [paragraph = ""] = section.split("\n\n");
  const description = toFirstSentence(toText(paragraph));
  command.description(description).summary(description.replace(/[.,:](?: .*)?$/, ""));
  const meanings = readMeanings(section);
  for (const argument of command.registeredArguments) {
    argument.description = meanings.get(`<${argument.name()}>`) ?? "";
  }
  for (const option of command.options) {
    const flag = `${option.long}`;
    option.description = meanings.get(flag) ?? SETTINGS.get(flag) ?? IMPORT_OPTIONS.get(flag) ?? "";
  }
}

/** Formats the help of a command or, for the program, the overview of all commands. */
export function formatHelp(command: Command, help: Help): string {
  if (command.parent === null) return formatOverview(command, help);
  const path = toPath(command);
  const [, examples] = /```sh\n(.*?)\n```/s.exec(command.commands.length > 0 ? "" : readSection(path)) ?? [];
  const isSetting = command.options.some(({ envVar }) => envVar !== undefined);
  return [
    help.boxWrap(command.description(), help.helpWidth ?? Infinity),
    `${help.styleTitle("Usage:")} ${formatUsage(command)}`,
    formatGroup(
      help,
      "Commands",
      command.commands.map((child) => [toTerm(child), child.summary()]),
    ),
    formatGroup(
      help,
      "Arguments",
      help.visibleArguments(command).map((each) => [each.name(), each.description]),
    ),
    ...formatOptions(command, help),
    isSetting
      ? help.boxWrap("Environment variables can set options: `lectern help settings`.", help.helpWidth ?? Infinity)
      : "",
    examples === undefined ? "" : `${help.styleTitle("Examples:")}\n${examples.replaceAll(/^/gm, "  ")}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n");
}

/** Describes the usage of a command, such as `lectern import <SOURCE> --project <NAME> [options]`. */
export function formatUsage(command: Command): string {
  const [alias] = command.aliases();
  const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
  return [
    alias === undefined ? toPath(command) : `${toPath(command)}|${alias}`,
    ...(command.commands.length > 0 ? ["<COMMAND>"] : command.registeredArguments.map((each) => `<${each.name()}>`)),
    ...required,
    "[options]",
  ].join(" ");
}

/** Returns the full name of a command, such as `lectern keys create`. */
export function toPath(command: Command): string {
  return command.parent === null ? command.name() : `${toPath(command.parent)} ${command.name()}`;
}

function formatOverview(program: Command, help: Help): string {
  const rows = OVERVIEW.filter(({ name }) => program.commands.some((command) => command.name() === name));
  const lines = rows.map(({ group, name, purpose }, index) => {
    const title = group === rows[index - 1]?.group ? "" : group;
    return help.styleTitle(title.padEnd(10)) + name.padEnd(12) + purpose;
  });
  return [
    program.description(),
    `${help.styleTitle("Usage:")} lectern COMMAND [options]`,
    "",
    ...lines,
    "",
    `Details: lectern help COMMAND; topics: ${Object.keys(TOPICS).join(", ")}`,
  ].join("\n");
}

function formatOptions(command: Command, help: Help): string[] {
  const first = findOverview(command)?.first ?? [];
  const visible = help.visibleOptions(command);
  const listed = first.flatMap((flag) => visible.find(({ long }) => long === flag) ?? []);
  const rest = visible.filter((option) => !listed.includes(option) && option.long !== "--help");
  const limits = rest.filter(({ flags }) => LIMIT.test(flags));
  const others = rest.filter((option) => !limits.includes(option));
  const [required, optional] = [others.filter(({ mandatory }) => mandatory), others.filter((each) => !each.mandatory)];
  const toItems = (options: Option[]): Item[] => options.map((option) => [option.flags, describeOption(option)]);
  return [
    formatGroup(help, "Options", toItems(listed)),
    formatGroup(help, listed.length === 0 ? "Options" : "More options", toItems([...required, ...optional])),
    formatGroup(help, "Limits", toItems(limits)),
  ];
}

function describeOption({ description, argChoices, defaultValue, defaultValueDescription, required }: Option): string {
  const value = defaultValueDescription ?? String(defaultValue);
  const hasDefault =
    required && defaultValue !== undefined && !/\bdefault/.test(description) && !description.includes(`\`${value}\``);
  return [
    description,
    ...(argChoices === undefined || argChoices.every((choice) => description.includes(choice))
      ? []
      : [`One of ${argChoices.join(", ")}.`]),
    ...(hasDefault ? [`Default: ${value}.`] : []),
  ].join(" ");
}

function formatGroup(help: Help, title: string, items: Item[]): string {
  return items.length === 0 ? "" : `${help.styleTitle(`${title}:`)}\n${formatItems(help, items)}`;
}

function formatItems(help: Help, items: Item[]): string {
  const width = items.reduce((most, [term]) => Math.max(most, term.length), 0);
  return items.map(([term, description]) => help.formatItem(term, width, description, help)).join("\n");
}

function formatSettings(help: Help): string {
  const [introduction = "", ...sections] = settingsPage.split("\n## ");
  const groups = sections.map((section) => {
    const [title = ""] = section.split("\n", 1);
    const rows = [...section.matchAll(/^\| `(--[\w-]+)` \| `(\w+)` \| (?:`(.*?)` )?\| (.*) \|$/gm)];
    const items = rows.map(([, flag = "", variable = "", value, meaning = ""]): Item => {
      const fallback = value === undefined ? "" : ` Default: ${value}.`;
      return [variable, `${flag}: ${toFirstSentence(toText(meaning))}${fallback}`];
    });
    return formatGroup(help, title, items);
  });
  const text = toText(introduction.split("\n\n")[1] ?? "");
  return [help.boxWrap(text, help.helpWidth ?? Infinity), ...groups.filter((group) => group !== "")].join("\n\n");
}

function formatExitCodes(help: Help): string {
  const rows = page.matchAll(/^\| (\d) \| (.*) \|$/gm);
  return formatItems(
    help,
    [...rows].map(([, code = "", meaning = ""]) => [code, toText(meaning)]),
  );
}

function findOverview(command: Command): (typeof OVERVIEW)[number] | undefined {
  return OVERVIEW.find(({ name }) => `lectern ${name}` === toPath(command));
}

function toTerm(command: Command): string {
  return [command.name(), ...command.registeredArguments.map((argument) => `<${argument.name()}>`)].join(" ");
}

function readSection(path: string): string {
  const [, after] = page.split(`\n## ${path}\n\n`);
  if (after === undefined) throw new Error(`docs/commands.md has no section ${path}`);
  return after.split("\n## ", 1).join();
}

/**
 * Maps the flag or argument in the first cell of a row to the text of the last cell or, for a setting, to the text's
 * first sentence.
 */
function readMeanings(markdown: string): Map<string, string> {
  const rows = [...markdown.matchAll(/^\| `([^ `]+).*?` \|(?:.* \|)? (.*) \|$/gm)];
  const own = rows.filter(([, , meaning = ""]) => !REFERENCE.test(meaning));
  const toMeaning = markdown === settingsPage ? toFirstSentence : String;
  return new Map(own.map(([, key = "", meaning = ""]) => [key, toMeaning(toText(meaning))]));
}

function toFirstSentence(text: string): string {
  // The dot in `0-9 . _` does not end a sentence.
  return text.replace(/(?<=\S\.) .*/, "");
}

/** Replaces links with their texts, and joins lines. */
function toText(markdown: string): string {
  return markdown.replaceAll(/\[(.*?)\]\(.*?\)/g, "$1").replaceAll("\n", " ");
}
