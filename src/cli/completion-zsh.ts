import { listOptionValues, type CompletedCommand, type Values } from "./completion-model.ts";

/** A script that completes in zsh, sourced or as a file `_lectern` of its path of functions. */
export function formatZsh(commands: CompletedCommand[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== "");
  const describe = (entries: { name: string; text: string }[]): string =>
    entries.map(({ name, text }) => quote(`${name}:${text}`)).join(" ");
  const cases = (lines: (string | undefined)[]): string =>
    lines
      .filter((line) => line !== undefined)
      .map((line) => `    ${line}`)
      .join("\n");
  return `#compdef lectern
# Completes lectern in zsh: source <(lectern completion zsh)
_lectern() {
  local at="" values="" cur="\${words[CURRENT]}" prev="\${words[CURRENT - 1]}" i
  local -a entries names
  for ((i = 2; i < CURRENT; i++)); do
    case "$at\${at:+ }\${words[i]}" in
      ${paths.map((path) => quote(path)).join(" | ")}) at="$at\${at:+ }\${words[i]}" ;;
    esac
  done
  if [[ $cur == --*=* ]]; then
    prev="\${cur%%=*}"
    compset -P '*='
  fi
  case "$at:$prev" in
${cases(listOptionValues(commands).map(({ path, flag, values }) => `${path === undefined ? "*" : quote(path)}${quote(`:${flag}`)}) values=${quoteValues(values)} ;;`))}
  esac
  if [[ -z $values && $cur == -* ]]; then
    case "$at" in
${cases(commands.map(({ path, options }) => `  ${quote(path)}) entries=(${describe(options.map(({ flag, description }) => ({ name: flag, text: description })))}) ;;`))}
    esac
    _describe -o option entries
    return
  elif [[ -z $values ]]; then
    case "$at" in
${cases(commands.map(({ path, commands: below, argument }) => (below.length > 0 ? `  ${quote(path)}) entries=(${describe(below.map(({ name, summary }) => ({ name, text: summary })))}) ;;` : argument && `  ${quote(path)}) values=${quoteValues(argument)} ;;`)))}
    esac
    if (( \${#entries} )); then
      _describe command entries
      return
    fi
  fi
  case "$values" in
    'words '*)
      names=(\${=values#words })
      compadd -a names
      ;;
    file) _files ;;
    folder) _files -/ ;;
  esac
}
if [[ "\${funcstack[1]}" == _lectern ]]; then
  _lectern "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _lectern lectern
fi
`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function quoteValues(values: Values): string {
  return values.kind === "choice" ? quote(`words ${values.choices.join(" ")}`) : values.kind;
}
