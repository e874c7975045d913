// What `--help` says of commands: docs/commands.md has it, with a section for each.
import type { Command } from "commander";
import page from "../../docs/commands.md" with { type: "text" };

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
  const rows = section.matchAll(/^\| `([^ `]+).*?` \| (.*) \|$/gm);
  const meanings = new Map(Array.from(rows, ([, key = "", meaning = ""]) => [key, toText(meaning)]));
  for (const argument of command.registeredArguments)
    argument.description ||= meanings.get(`<${argument.name()}>`) ?? "";
  for (const option of command.options) option.description ||= meanings.get(`${option.long}`) ?? "";
  const [, examples = ""] = /```sh\n(.*?)\n```/s.exec(section) ?? [];
  command.addHelpText(
    "after",
    `\n${examples.includes("\n") ? "Examples" : "Example"}:\n${examples.replaceAll(/^/gm, "  ")}`,
  );
}

/** Without links, in one line. */
function toText(markdown: string): string {
  return markdown.replaceAll(/\[(.*?)\]\(.*?\)/g, "$1").replaceAll("\n", " ");
}
