import type { CompletedCommand, Values } from "./completion-model.ts";

/** A script that completes in fish. */
export function formatFish(commands: CompletedCommand[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== "");
  return `# Completes lectern in fish: lectern completion fish | source
function __lectern_path
    set -l at
    for word in (commandline -opc)[2..]
        set -l next (string join ' ' -- $at $word)
        switch $next
            case ${paths.map(quote).join(" ")}
                set at $next
        end
    end
    echo -- "$at"
end
function __lectern_at
    test (__lectern_path | string collect) = "$argv[1]"
end
complete -c lectern -e
complete -c lectern -f
${commands.flatMap(formatCommand).join("\n")}
`;
}

function formatCommand({ path, commands, options, argument }: CompletedCommand): string[] {
  const at = `complete -c lectern -n ${quote(`__lectern_at ${quote(path)}`)}`;
  return [
    ...commands.map(({ name, summary }) => `${at} -a ${name} -d ${quote(summary)}`),
    ...(argument === undefined || commands.length > 0 ? [] : [`${at} ${formatValues(argument)}`.trimEnd()]),
    ...options.map(({ flag, description, values }) => {
      const takes = values === undefined ? "" : ` -r ${formatValues(values)}`;
      return `${at} -l ${flag.slice(2)}${takes.trimEnd()} -d ${quote(description)}`;
    }),
  ];
}

function formatValues(values: Values): string {
  switch (values.kind) {
    case "choice":
      return `-f -a ${quote(values.choices.join(" "))}`;
    case "file":
      return "-F";
    case "folder":
      return "-f -a '(__fish_complete_directories)'";
    case "free":
      return "-f";
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
