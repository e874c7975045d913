import { listOptionValues, type CompletedCommand, type Values } from "./completion-model.ts";

/** A script that completes in bash, from version 3.2 on. */
export function formatBash(commands: CompletedCommand[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== "");
  const cases = (lines: (string | undefined)[]): string =>
    [...new Set(lines)]
      .filter((line) => line !== undefined)
      .map((line) => `    ${line}`)
      .join("\n");
  return `# Completes lectern in bash: source <(lectern completion bash)
_lectern() {
  local at="" values="" i
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}"
  # bash makes words of both sides of =.
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]]; then
    prev="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at\${at:+ }\${COMP_WORDS[i]}" in
      ${paths.map((path) => `"${path}"`).join(" | ")}) at="$at\${at:+ }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at:$prev" in
${cases(listOptionValues(commands).map(({ path, flag, values }) => `${path === undefined ? "*" : `"${path}"`}":${flag}") values=${quote(values)} ;;`))}
  esac
  if [[ -z $values && $cur == -* ]]; then
    case "$at" in
${cases(commands.map(({ path, options }) => `  "${path}") values="words ${options.map(({ flag }) => flag).join(" ")}" ;;`))}
    esac
  elif [[ -z $values ]]; then
    case "$at" in
${cases(commands.map(({ path, commands: below, argument }) => (below.length > 0 ? `  "${path}") values="words ${below.map(({ name }) => name).join(" ")}" ;;` : argument && `  "${path}") values=${quote(argument)} ;;`)))}
    esac
  fi
  COMPREPLY=()
  case "$values" in
    "words "*) COMPREPLY=($(compgen -W "\${values#words }" -- "$cur")) ;;
    file | folder)
      local IFS=$'\\n' kind="-f"
      [[ $values == folder ]] && kind="-d"
      COMPREPLY=($(compgen $kind -- "$cur"))
      compopt -o filenames 2>/dev/null
      ;;
  esac
}
complete -F _lectern lectern
`;
}

function quote(values: Values): string {
  return values.kind === "choice" ? `"words ${values.choices.join(" ")}"` : values.kind;
}
