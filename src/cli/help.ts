// What `--help` says of commands: docs/commands.md has it, with a section for each, and docs/settings.md for settings.
import type { Command } from "commander";
import page from "../../docs/commands.md" with { type: "text" };
import settingsPage from "../../docs/settings.md" with { type: "text" };

/** A cell that leads elsewhere: to settings, or to the same option of another command. */
const REFERENCE = /^(\[Settings\]\(|As for \[)/;
const SETTINGS = readMeanings(settingsPage);

/** Gives all commands below this one their description, the meaning of their arguments and options, and examples. */
export function addHelp(parent: Command, path = "lectern"): void {
  for (const command of parent.commands) {
    const name = `${path} ${command.name()}`;
    if (command.commands.length > 0) addHelp(command, name);
    else describe(command, name);
  }
}

function describe(command: Command, name: string): void {
  const [, after] = page.split(`\n## ${name}\n\n`);
  if (after === undefined) throw new Error(`docs/commands.md has no section ${name}`);
  const [section = ""] = after.split("\n## ");
  const [description = ""] = section.split("\n\n");
  command.description(toText(description)).summary(
    toText(description)
      .split(/[.,:](?: |$)/, 1)
      .join(),
  );
  const meanings = readMeanings(section);
  for (const argument of command.registeredArguments) {
    argument.description = meanings.get(`<${argument.name()}>`) ?? "";
  }
  for (const option of command.options) {
    const flag = `${option.long}`;
    // Of a setting the first sentence.
    option.description = meanings.get(flag) ?? SETTINGS.get(flag)?.replace(/(?<=\.) .*/, "") ?? "";
  }
  const [, examples = ""] = /```sh\n(.*?)\n```/s.exec(section) ?? [];
  command.addHelpText(
    "after",
    `\n${examples.includes("\n") ? "Examples" : "Example"}:\n${examples.replaceAll(/^/gm, "  ")}`,
  );
}

/** The last cells of the rows of tables, by the flag or argument in the first. */
function readMeanings(markdown: string): Map<string, string> {
  const rows = [...markdown.matchAll(/^\| `([^ `]+).*?` \|(?:.* \|)? (.*) \|$/gm)];
  const own = rows.filter(([, , meaning = ""]) => !REFERENCE.test(meaning));
  return new Map(own.map(([, key = "", meaning = ""]) => [key, toText(meaning)]));
}

/** Without links, in one line. */
function toText(markdown: string): string {
  return markdown.replaceAll(/\[(.*?)\]\(.*?\)/g, "$1").replaceAll("\n", " ");
}
