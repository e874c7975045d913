import { Argument, type Command } from "commander";
import { listCompletions } from "./completion-model.ts";
import { formatBash } from "./completion-bash.ts";
import { formatFish } from "./completion-fish.ts";
import { formatZsh } from "./completion-zsh.ts";
import type { Terminal } from "./terminal.ts";

const SCRIPTS = { bash: formatBash, zsh: formatZsh, fish: formatFish };

/** Adds `lectern completion`. */
export function addCompletionCommand(program: Command, terminal: Terminal): void {
  program
    .command("completion")
    .summary("print a script that completes commands in a shell")
    .description("Prints a script with which a shell completes commands, options, their values and files.")
    .addArgument(new Argument("<SHELL>", "bash, zsh or fish").choices(Object.keys(SCRIPTS)))
    .addHelpText(
      "after",
      `
Examples:
  source <(lectern completion bash)
  lectern completion zsh > "\${fpath[1]}/_lectern"
  lectern completion fish > ~/.config/fish/completions/lectern.fish`,
    )
    .action((shell: keyof typeof SCRIPTS) => {
      terminal.print(SCRIPTS[shell](listCompletions(program)).trimEnd());
    });
}
