import { Argument, Option, type Command } from "commander";
import { listStoreNames, type NameKind } from "../store/store-names.ts";
import { listCompletions } from "./completion-model.ts";
import { formatBash } from "./completion-bash.ts";
import { formatFish } from "./completion-fish.ts";
import { formatZsh } from "./completion-zsh.ts";
import { settings, environmentName } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

const SCRIPTS = { bash: formatBash, zsh: formatZsh, fish: formatFish };

/** What the scripts ask with, while a line is typed. */
interface Options {
  names?: NameKind;
  line?: string;
}

/** Adds `lectern completion`. */
export function addCompletionCommand(program: Command, terminal: Terminal): void {
  program
    .command("completion")
    .summary("print a script that completes commands in a shell")
    .description(
      "Prints a script with which a shell completes commands, options, their values, files, and the names of projects, " +
        "channels and sources in the database.",
    )
    .addArgument(new Argument("<SHELL>", "bash, zsh or fish").choices(Object.keys(SCRIPTS)))
    .addOption(new Option("--names <KIND>").choices(["project", "channel", "source"]).hideHelp())
    .addOption(new Option("--line <TEXT>").hideHelp())
    .addHelpText(
      "after",
      `
Examples:
  source <(lectern completion bash)
  lectern completion zsh > "\${fpath[1]}/_lectern"
  lectern completion fish > ~/.config/fish/completions/lectern.fish`,
    )
    .action(async (shell: keyof typeof SCRIPTS, { names, line = "" }: Options) => {
      if (names === undefined) terminal.print(SCRIPTS[shell](listCompletions(program)).trimEnd());
      else await printNames(names, line, terminal);
    });
}

/** Names for a line that is typed; nothing where there is no database, or it does not answer: nobody wants errors there. */
async function printNames(kind: NameKind, line: string, terminal: Terminal): Promise<void> {
  const find = (flag: string): string | undefined => new RegExp(`\\s--${flag}[ =](\\S+)`).exec(line)?.[1];
  const get = (name: "database" | "project" | "channel"): string | undefined =>
    find(settings[name].flag) ?? process.env[environmentName(name)];
  try {
    const url = get("database") ?? settings.database.default;
    const names = await listStoreNames(url, kind, get("project"), get("channel") ?? settings.channel.default);
    if (names.length > 0) terminal.print(names.join("\n"));
  } catch {
    // Nothing is completed then.
  }
}
