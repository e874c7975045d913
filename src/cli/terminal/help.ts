// Provides the texts of help. They come from docs/commands.md and, for settings, from docs/settings.md.
import { Help, type Command, type Option } from "commander";
import page from "../../../docs/commands.md" with { type: "text" };
import settingsPage from "../../../docs/settings.md" with { type: "text" };
import { UsageFailure } from "../failure.ts";
import { toPath } from "./usage-errors.ts";

/** Matches a cell that only refers to the settings, or to the same option of `lectern import`. */
const REFERENCE = /^(\[Settings\]\(|As for \[)/;
const IMPORT_OPTIONS = readMeanings(readSection("lectern import"));
const LIMIT = /^--max-|^--pool-size|<(?:MIB|MS|SECONDS|MINUTES|RATE)>$/;
const SETTINGS = readMeanings(settingsPage);
/** The rows of the table of groups in docs/commands.md, one for each command. */
const OVERVIEW = [...readSection("lectern").matchAll(/^\| (\w+) \| `([a-z]+)` \| (.*?) \|(.*)\|$/gm)].map(
  ([, group = "", name = "", purpose = "", flags = ""]) => ({ group, name, purpose, first: flags.match(/--[\w-]+/g) }),
);

/** The topics that `lectern help TOPIC` explains, besides commands. */
export const TOPICS: Record<string, (help: Help) => string> = {
  settings: formatSettings,
  "exit-codes": formatExitCodes,
};

/** Adds the help text to each command. Throws if docs/commands.md does not describe a command. */
export function addHelp(program: Command): void {
  for (const command of program.commands) {
    const overview = OVERVIEW.find(({ name }) => name === command.name());
    if (overview === undefined)
      throw new Error(`The table of groups in docs/commands.md has no row for ${command.name()}`);
    addTexts(command, overview.first ?? []);
    command.summary(overview.purpose);
    if (command.commands.length > 0) command.description(`${overview.purpose}.`);
  }
}

function addTexts(command: Command, first: readonly string[]): void {
  for (const child of command.commands) addTexts(child, []);
  if (command.commands.length > 0) {
    command.usage("<COMMAND> [options]").helpCommand("help", "Prints help.");
    const names = command.commands.map((each) => each.name()).join(", ");
    // Runs only for a group without a default command. Commander would print the whole help.
    command.action(() => {
      throw new UsageFailure(`\`${command.name()}\` needs a command: ${names}.`);
    });
    return;
  }
  const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
  const args = command.registeredArguments.map((each) => `<${each.name()}>`);
  command.usage([...args, ...required, "[options]"].join(" "));
  const section = readSection(toPath(command));
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
    if (LIMIT.test(option.flags)) option.helpGroup("Limits:");
    else if (first.length > 0 && !first.includes(flag)) option.helpGroup("More options:");
  }
  const rank = ({ long, helpGroupHeading: group }: Option): number =>
    group === undefined ? first.indexOf(`${long}`) : group === "Limits:" ? 1000 : first.length;
  (command.options as Option[]).sort((a, b) => rank(a) - rank(b));
  const [, examples = ""] = /```sh\n(.*?)\n```/s.exec(section) ?? [];
  command.addHelpText("after", `\nExamples:\n${examples.replaceAll(/^/gm, "  ")}`);
}

/** Formats the help of a command or, for the program, the overview of all commands. */
export function formatHelp(command: Command, help: Help): string {
  if (command.parent !== null) return Help.prototype.formatHelp.call(help, command, help);
  const lines = OVERVIEW.map(({ group, name, purpose }, index) => {
    const title = group === OVERVIEW[index - 1]?.group ? "" : group;
    return help.styleTitle(title.padEnd(10)) + name.padEnd(12) + purpose;
  });
  return [
    command.description(),
    `${help.styleTitle("Usage:")} lectern COMMAND [options]`,
    "",
    ...lines,
    "",
    `Details: lectern help COMMAND; topics: ${Object.keys(TOPICS).join(", ")}`,
  ].join("\n");
}

function formatItems(help: Help, items: [term: string, description: string][]): string {
  const width = Math.max(...items.map(([term]) => term.length));
  return items.map(([term, description]) => help.formatItem(term, width, description, help)).join("\n");
}

function formatSettings(help: Help): string {
  const [introduction = "", ...sections] = settingsPage.split("\n## ");
  const groups = sections.flatMap((section) => {
    const [title = ""] = section.split("\n", 1);
    const rows = [...section.matchAll(/^\| `(--[\w-]+)` \| `(\w+)` \| (?:`(.*?)` )?\| (.*) \|$/gm)];
    const items = rows.map(([, flag = "", variable = "", value, meaning = ""]): [string, string] => {
      const fallback = value === undefined ? "" : ` Default: ${value}.`;
      return [variable, `${flag}: ${toFirstSentence(toText(meaning))}${fallback}`];
    });
    return items.length === 0 ? [] : [`${help.styleTitle(`${title}:`)}\n${formatItems(help, items)}`];
  });
  const text = toText(introduction.split("\n\n")[1] ?? "");
  return [help.boxWrap(text, help.helpWidth ?? Infinity), ...groups].join("\n\n");
}

function formatExitCodes(help: Help): string {
  const rows = [...page.matchAll(/^\| (\d) \| (.*) \|$/gm)];
  return formatItems(
    help,
    rows.map(([, code = "", meaning = ""]) => [code, toText(meaning)]),
  );
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
