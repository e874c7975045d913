// Generates completion scripts for three shells from one table of commands.
import { Argument, type Command, type Option } from "commander";
import type { Terminal } from "../terminal/terminal.ts";

export function addCompletionCommand(program: Command, terminal: Terminal): void {
  program
    .command("completion")
    .addArgument(new Argument("<SHELL>").choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) => terminal.print(SCRIPTS[shell](listEntries(program, "")).trimEnd()));
}

/**
 * A place on the command line and what completes it. `place` is `keys rotate:` after a command, `keys rotate:-` among
 * its options, or `keys rotate:--grace` after an option. `values` is `file`, `folder`, `free` for any text, or `words`
 * and a list.
 */
type Entry = [place: string, values: string];

const BY_PLACEHOLDER: Record<string, string> = { FILE: "file", SOURCE: "file", TO: "file", FOLDER: "folder" };

function listEntries(command: Command, path: string): Entry[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const toValues = (words: readonly string[] | undefined, placeholder = ""): string =>
    words === undefined ? (BY_PLACEHOLDER[placeholder] ?? "free") : `words ${words.join(" ")}`;
  const toEntry = ({ long, flags, argChoices }: Option): Entry => [
    `${path}:${long}`,
    toValues(argChoices, /<([A-Z]+)/.exec(flags)?.[1]),
  ];
  const names = help.visibleCommands(command).map((child) => child.name());
  const [first] = command.registeredArguments;
  return [
    [`${path}:`, names.length > 0 ? toValues(names) : toValues(first?.argChoices, first?.name())],
    [`${path}:-`, toValues(options.map(({ long }) => `${long}`))],
    ...options.filter(({ required }) => required).map(toEntry),
    ...command.commands.flatMap((child) => listEntries(child, `${path} ${child.name()}`.trim())),
  ];
}

const listPaths = (entries: Entry[]): string[] =>
  entries.flatMap(([place]) => (/.:$/.test(place) ? [`'${place.slice(0, -1)}'`] : []));

/** Formats a shell function that sets `values` for the current word. It works in zsh and in bash 3.2 or later. */
const formatLookup = (entries: Entry[]): string => `_lectern_table() {
  values=""
  case "$1" in
${entries.map(([place, values]) => `    '${place}') values='${values}' ;;`).join("\n")}
  esac
}
_lectern_values() {
  local cur="$1" prev="$2" at="" word
  shift 2
  for word in "$@"; do
    case "$at\${at:+ }$word" in
      ${listPaths(entries).join(" | ")}) at="$at\${at:+ }$word" ;;
    esac
  done
  _lectern_table "$at:$prev"
  if [[ -n $values ]]; then return; fi
  if [[ $cur == -* ]]; then _lectern_table "$at:-"; else _lectern_table "$at:"; fi
}`;

const SCRIPTS = {
  bash: (entries: Entry[]): string => `# Completes lectern in bash: source <(lectern completion bash)
${formatLookup(entries)}
_lectern() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}" values IFS=$' \\n'
  # bash splits words at =.
  if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD - 2]}"; fi
  _lectern_values "$cur" "$prev" "\${COMP_WORDS[@]:1:COMP_CWORD-1}"
  COMPREPLY=()
  case "$values" in
    "words "*) COMPREPLY=($(compgen -W "\${values#words }" -- "$cur")) ;;
    file) IFS=$'\\n' COMPREPLY=($(compgen -f -- "$cur")) && compopt -o filenames 2>/dev/null ;;
    folder) IFS=$'\\n' COMPREPLY=($(compgen -d -- "$cur")) && compopt -o filenames 2>/dev/null ;;
  esac
}
complete -F _lectern lectern
`,
  zsh: (entries: Entry[]): string => `#compdef lectern
# Completes lectern in zsh. Save this as the file _lectern in a folder of $fpath.
${formatLookup(entries)}
_lectern() {
  local values cur="\${words[CURRENT]}" prev="\${words[CURRENT - 1]}"
  if [[ $cur == --*=* ]]; then prev="\${cur%%=*}"; compset -P '*='; fi
  _lectern_values "$cur" "$prev" "\${(@)words[2,CURRENT - 1]}"
  case "$values" in
    'words '*) compadd -- \${=values#words } ;;
    file) _files ;;
    folder) _files -/ ;;
  esac
}
_lectern "$@"
`,
  fish: (entries: Entry[]): string => `# Completes lectern in fish: lectern completion fish | source
complete -c lectern -e
complete -c lectern -f
function __lectern_at
    set -l at
    for word in (commandline -opc)[2..]
        switch (string join ' ' -- $at $word)
            case ${listPaths(entries).join(" ")}
                set at (string join ' ' -- $at $word)
        end
    end
    test "$at" = "$argv[1]"
end
${entries.flatMap(formatFish).join("\n")}
`,
};

function formatFish([place, values]: Entry): string[] {
  const [path = "", what = ""] = place.split(":");
  const at = `complete -c lectern -n "__lectern_at '${path}'"`;
  const words = values.split(" ").slice(1);
  if (what === "-") return words.map((flag) => `${at} -l ${flag.slice(2)}`);
  const completed = { file: "-F", folder: "-f -a '(__fish_complete_directories)'", free: "-f" }[values];
  return [`${at}${what === "" ? "" : ` -l ${what.slice(2)} -r`} ${completed ?? `-f -a '${words.join(" ")}'`}`];
}
